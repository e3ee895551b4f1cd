import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = join(dirname(fileURLToPath(import.meta.url)), '../../src')

/** The rows of `docs/architecture.md`, "Who may import whom"; the first pattern that fits a file names its role. */
const roles: readonly (readonly [role: string, files: RegExp])[] = [
  ['ground', /^(fault|clock)\.ts$|^access\//],
  ['log', /^log\.ts$/],
  ['config', /^config\//],
  ['frames', /^hsm\/(frame|batch-frame)\.ts$/],
  ['port', /^hsm\/[a-z-]+\.ts$/],
  ['client', /^hsm\/client\//],
  ['host', /^hsm\/host\//],
  ['pkcs11', /^hsm\/pkcs11\//],
  ['store', /^store\//],
  ['audit', /^audit\//],
  ['contract', /^api\/(endpoint|envelope|faults|flag|openapi(-[a-z]+)?|shapes)\.ts$/],
  ['pipeline', /^api\//],
  ['route', /^[a-z]+\/routes\//],
  ['server', /^server\//],
  [
    'root',
    /^(appliance|cluster|endpoints|exit|housekeeping|listeners|main|services|tables|worker|worker-process|worker-slot)\.ts$|^console\//,
  ],
  [
    'records',
    /^(session|login|otp|user|certificate|vault|transparent|validation|template|object)\/([a-z]+-)?records\.ts$/,
  ],
  [
    'domain',
    /^(session|login|otp|user|certificate|vault|transparent|policy|template|recognition|validation|generator|release|mime|object)\/[a-z0-9-]+\.ts$/,
  ],
]

const everyone = [...new Set(roles.map(([role]) => role))]

/** Which roles each role may import, beside itself; types of the store pass anywhere, for a transaction is handed through. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  ground: [],
  log: [],
  config: ['ground'],
  port: ['ground'],
  frames: ['ground', 'port'],
  client: ['ground', 'port', 'frames', 'log'],
  host: ['ground', 'port', 'frames', 'pkcs11', 'config', 'log'],
  pkcs11: ['ground', 'port'],
  store: ['ground', 'config'],
  audit: ['ground', 'port', 'store'],
  contract: ['ground'],
  pipeline: ['ground', 'contract', 'audit'],
  route: ['ground', 'contract', 'domain', 'records'],
  domain: ['ground', 'port', 'audit', 'records'],
  records: ['ground', 'port', 'store', 'domain'],
  server: ['ground', 'contract', 'log'],
  root: everyone,
}

/** Types that may be named where their module may not be used. */
const typesAllowed: Readonly<Record<string, readonly string[]>> = {
  ground: ['store'],
  contract: ['store', 'audit'],
  pipeline: ['store'],
  domain: ['store'],
  route: ['store', 'port'],
}

/** Feature → feature, one way. */
const features: Readonly<Record<string, readonly string[]>> = {
  session: ['user'],
  otp: ['user'],
  user: ['policy'],
  certificate: ['user'],
  login: ['user', 'otp', 'certificate', 'session'],
  validation: ['otp'],
  transparent: ['vault'],
  vault: ['policy', 'user'],
  recognition: ['template'],
  generator: ['policy'],
  object: ['vault', 'template', 'policy'],
}

/** Packages with one owner. */
const owners: readonly (readonly [specifier: RegExp, roles: readonly string[]])[] = [
  [/^(pkcs11js|graphene-pk11)$/, ['pkcs11']],
  [/^(better-sqlite3|pg)$/, ['store']],
  [/^typeorm$/, ['store', 'records', 'root', 'audit']],
  [/^(koa|@koa\/.*|co-body|busboy)$/, ['pipeline']],
  [/^node:(tls|http2|https)$/, ['server', 'root']],
  [/^(@otplib\/.*|otplib|@peculiar\/.*|node-forge)$/, ['domain']],
  [/^pino$/, ['log']],
  [/^commander$/, ['root', 'host']],
]

interface Import {
  readonly file: string
  readonly specifier: string
  readonly typeOnly: boolean
}

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const imports = files.flatMap(importsOf)
const local = imports.filter(({ specifier }) => specifier.startsWith('.'))
const packages = imports.filter(({ specifier }) => !specifier.startsWith('.'))

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [
    ...text.matchAll(
      /^(?:import|export)\s+(type\s+)?(?:[^'"]*?from\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm,
    ),
  ].map((match) => ({
    file,
    specifier: match[2] ?? match[3] ?? '',
    typeOnly: match[1] !== undefined,
  }))
}

const roleOf = (file: string): string | undefined => roles.find(([, pattern]) => pattern.test(file))?.[0]
const targetOf = ({ file, specifier }: Import): string => relative('.', normalize(join(dirname(file), specifier)))
const featureOf = (file: string): string | undefined =>
  ['domain', 'records', 'route'].includes(roleOf(file) ?? '') ? file.split('/')[0] : undefined

describe('the house', () => {
  it('has a role for every file', () => {
    expect(files.filter((file) => roleOf(file) === undefined)).toEqual([])
  })

  it('sees enough imports to judge by', () => {
    expect(local.length).toBeGreaterThan(files.length)
  })

  it('lets each role import only what its row allows', () => {
    const broken = local.filter((one) => {
      const from = roleOf(one.file) ?? ''
      const to = roleOf(targetOf(one)) ?? ''
      return from !== to && !allowed[from]?.includes(to) && !(one.typeOnly && typesAllowed[from]?.includes(to))
    })
    expect(broken.map((one) => `${one.file} → ${targetOf(one)}`)).toEqual([])
  })

  it('lets features use each other one way only', () => {
    const broken = local.filter((one) => {
      const from = featureOf(one.file)
      const to = featureOf(targetOf(one))
      return from !== undefined && to !== undefined && from !== to && !features[from]?.includes(to)
    })
    expect(broken.map((one) => `${one.file} → ${targetOf(one)}`)).toEqual([])
  })

  it('gives each package with an owner to its owner alone', () => {
    const broken = packages.filter(({ file, specifier, typeOnly }) => {
      const owner = owners.find(([pattern]) => pattern.test(specifier))
      return owner !== undefined && !typeOnly && !owner[1].includes(roleOf(file) ?? '')
    })
    expect(broken.map((one) => `${one.file} imports ${one.specifier}`)).toEqual([])
  })

  it('reads the environment in config and nowhere else, and ends the process in the root alone', () => {
    const reading = (pattern: RegExp, free: readonly string[]) =>
      files.filter((file) => !free.includes(roleOf(file) ?? '') && pattern.test(readFileSync(join(root, file), 'utf8')))
    // One library takes its configuration from the environment alone: the pkcs11 role may set that variable, and read none.
    expect(reading(/process\.env(?!\['SOFTHSM2_CONF'\] = )/, ['config'])).toEqual([])
    expect(reading(/process\.exit\b(?!Code)/, ['root', 'host'])).toEqual([])
  })

  it('has no drawer without a name', () => {
    expect(files.filter((file) => /(^|\/)(index|utils?|helpers?|common|shared|types)(\.ts$|\/)/.test(file))).toEqual([])
  })
})
