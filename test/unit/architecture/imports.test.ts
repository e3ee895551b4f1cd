import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../../src')

interface Layer {
  readonly name: string
  readonly files: RegExp
  /** The layers it may import beside itself. */
  readonly imports: readonly string[]
  /** The layers of which it may import types alone. */
  readonly types?: readonly string[]
  /** The packages that no other layer imports. */
  readonly owns?: RegExp
}

/** `docs/architecture.md`, "Who may import whom". The first pattern that fits a file names its layer. */
const layers: readonly Layer[] = [
  {
    name: 'ground',
    files:
      /^(bounded-reading|burst|ended-process|fault|clock|file-identity|folder-making|folder-owner|folder-sync|groups|largest|linked-list|log|journal-output|open-files|process-identity|read-only|recent-map|release|service-manager|state-file|stopped-process|user-turns)\.ts$|^(access|encoding)\//,
    imports: [],
    types: ['store'],
    owns: /^pino$/,
  },
  { name: 'config', files: /^config\//, imports: ['ground'] },
  { name: 'port', files: /^hsm\/[a-z-]+\.ts$/, imports: ['ground'] },
  { name: 'protocol', files: /^hsm\/protocol\//, imports: ['ground', 'port'] },
  { name: 'client', files: /^hsm\/client\//, imports: ['ground', 'port', 'protocol'] },
  {
    name: 'token server',
    files: /^hsm\/server\//,
    imports: ['ground', 'port', 'protocol', 'pkcs11', 'config'],
    owns: /^better-sqlite3$/,
  },
  { name: 'host', files: /^hsm\/host\//, imports: ['ground', 'port', 'protocol', 'pkcs11', 'config', 'token server'] },
  {
    name: 'keeper',
    files: /^hsm\/keeper\//,
    imports: ['ground', 'port', 'protocol', 'pkcs11', 'config', 'token server'],
    owns: /^better-sqlite3$/,
  },
  { name: 'pkcs11', files: /^hsm\/pkcs11\//, imports: ['ground', 'port'], owns: /^(pkcs11js|graphene-pk11)$/ },
  { name: 'store', files: /^store\//, imports: ['ground', 'config'], owns: /^(better-sqlite3|pg)$/ },
  { name: 'audit', files: /^audit\//, imports: ['ground', 'port', 'store'] },
  { name: 'backup', files: /^backup\//, imports: ['ground'], owns: /^age-encryption$/ },
  {
    name: 'monitor',
    files: /^monitor\//,
    imports: ['ground'],
    types: ['audit'],
    owns: /^prom-client$/,
  },
  { name: 'server', files: /^http\/server\//, imports: ['ground', 'contract'] },
  { name: 'contract', files: /^http\/(contract|routes)\//, imports: ['ground'], types: ['store', 'audit'] },
  {
    name: 'pipeline',
    files: /^http\//,
    imports: ['ground', 'contract', 'audit'],
    types: ['store'],
    owns: /^(koa|@koa\/.*|multer)$/,
  },
  {
    name: 'web',
    files: /^web\//,
    imports: [],
    types: ['contracts of calls'],
    owns: /^(react|react-dom|react-aria-components|@tanstack\/react-query|wouter|lucide-react|papaparse|age-encryption)(\/.*)?$/,
  },
  // What the console shares with the appliance: the types that are written from the OpenAPI document.
  { name: 'contracts of calls', files: /^\.\.\/clients\/node\/src\/api\.ts$/, imports: [] },
  { name: 'root', files: /^(bin|daemon|console)\//, imports: ['*'] },
  {
    name: 'route',
    files: /^features\/[a-z-]+\/routes\//,
    imports: ['ground', 'contract', 'domain'],
    types: ['store', 'port'],
  },
  {
    name: 'domain',
    files: /^features\/[a-z-]+\/[a-z0-9-]+\.ts$/,
    imports: ['ground', 'port', 'audit', 'store'],
    owns: /^(otplib|@otplib\/.*|@peculiar\/.*|@simplewebauthn\/server(\/.*)?|node-forge)$/,
  },
]

/** Feature → feature, one way. */
const features: Readonly<Record<string, readonly string[]>> = {
  users: ['passwords'],
  audit: ['users', 'vaults'],
  otp: ['users'],
  certificates: ['users'],
  passkeys: ['users', 'certificates'],
  auth: ['users', 'otp', 'passkeys', 'certificates'],
  me: ['users', 'otp', 'passkeys', 'auth'],
  services: ['users', 'certificates', 'auth'],
  links: ['users'],
  'otp-validation': ['otp'],
  vaults: ['users', 'passwords', 'destruction'],
  transparent: ['vaults', 'destruction'],
  files: ['templates'],
  objects: ['vaults', 'templates', 'passwords'],
}

/** Names by which a file is found in every folder of its kind; any other name stands once. */
const repeatedNames = /^(features\/[a-z-]+|audit)\/records\.ts$|^console\/(?!checks\/|output\/)[a-z-]+\/[a-z-]+\.ts$/

interface Import {
  readonly file: string
  readonly specifier: string
  readonly typeOnly: boolean
}

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
const imports = files.flatMap(importsOf)
const local = imports.filter(({ specifier }) => specifier.startsWith('.'))
const packages = imports.filter(({ specifier }) => !specifier.startsWith('.'))

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [
    ...text.matchAll(
      /^(?:import|export)\s+(type\s+)?(?:[^'"]*?from\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm,
    ),
  ].map((match) => ({ file, specifier: match[2] ?? match[3] ?? '', typeOnly: match[1] !== undefined }))
}

const layerOf = (file: string): Layer | undefined => layers.find(({ files: pattern }) => pattern.test(file))
const targetOf = ({ file, specifier }: Import): string => normalize(join(dirname(file), specifier))
const featureOf = (file: string): string | undefined => /^features\/([a-z-]+)\//.exec(file)?.[1]
const arrow = (one: Import): string => `${one.file} → ${targetOf(one)}`

describe('the house', () => {
  it('has a layer for every file', () => {
    expect(files.filter((file) => layerOf(file) === undefined)).toEqual([])
  })

  it('sees enough imports to judge by', () => {
    expect(local.length).toBeGreaterThan(files.length)
  })

  it('lets each layer import only what its row allows', () => {
    const broken = local.filter((one) => {
      const from = layerOf(one.file)
      const to = layerOf(targetOf(one))
      if (from === undefined || to === undefined) return true
      if (from === to || from.imports.includes('*') || from.imports.includes(to.name)) return false
      return !(one.typeOnly && from.types?.includes(to.name))
    })
    expect(broken.map(arrow)).toEqual([])
  })

  it('lets features use each other one way only', () => {
    const broken = local.filter((one) => {
      const from = featureOf(one.file)
      const to = featureOf(targetOf(one))
      return from !== undefined && to !== undefined && from !== to && !features[from]?.includes(to)
    })
    expect(broken.map(arrow)).toEqual([])
  })

  it('has no circle, types counted', () => {
    const targets = new Map(files.map((file) => [file, local.filter((one) => one.file === file).map(targetOf)]))
    const state = new Map<string, 'open' | 'done'>()
    const circles: string[] = []
    const visit = (file: string, path: readonly string[]): void => {
      if (state.get(file) === 'done') return
      if (state.get(file) === 'open') return void circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
      state.set(file, 'open')
      for (const target of targets.get(file) ?? []) visit(target, [...path, file])
      state.set(file, 'done')
    }
    for (const file of files) visit(file, [])
    expect(circles).toEqual([])
  })

  it('gives each package with owners to them alone', () => {
    const broken = packages.filter(({ file, specifier, typeOnly }) => {
      const owners = layers.filter(({ owns }) => owns?.test(specifier))
      return owners.length > 0 && !typeOnly && !owners.some((owner) => owner === layerOf(file))
    })
    expect(broken.map((one) => `${one.file} imports ${one.specifier}`)).toEqual([])
  })

  it('imports typeorm in the store, in records and where the tables are listed', () => {
    const allowed = /^store\/|(^|[/-])records\.ts$|^daemon\//
    expect(packages.filter((one) => one.specifier === 'typeorm' && !one.typeOnly && !allowed.test(one.file))).toEqual(
      [],
    )
  })

  it('reads the environment in config and nowhere else, and ends the process in the root alone', () => {
    const reading = (pattern: RegExp, owners: readonly string[]) =>
      files.filter(
        (file) => !owners.includes(layerOf(file)?.name ?? '') && pattern.test(readFileSync(join(root, file), 'utf8')),
      )
    // SoftHSM2 takes its configuration from the environment alone: the pkcs11 layer may set that variable, and read none.
    expect(reading(/process\.env(?!\['SOFTHSM2_CONF'\] = )/, ['config'])).toEqual([])
    expect(reading(/process\.exit\b(?!Code)/, ['root'])).toEqual([])
  })

  it('gives a name to one file', () => {
    const nameOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1)
    const once = files.filter((file) => !repeatedNames.test(file))
    expect(once.filter((file) => once.some((other) => other !== file && nameOf(other) === nameOf(file)))).toEqual([])
  })

  it('has no drawer without a name, and no file of more than 300 lines', () => {
    expect(files.filter((file) => /(^|\/)(index|utils?|helpers?|common|shared|types)\.tsx?$/.test(file))).toEqual([])
    expect(files.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 301)).toEqual([])
  })
})

describe('the page of the architecture', () => {
  const page = readFileSync(resolve(root, '../docs/architecture.md'), 'utf8')
  const chapter = page.slice(page.indexOf('## Who may import whom'), page.indexOf('## Keys'))
  const [rows = [], usedBy = []] = chapter.split('Features use each other').map((part) =>
    [...part.matchAll(/^\| .*\|$/gm)]
      .map(([row]) =>
        row
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
      .slice(2),
  )
  const listed = (cell = ''): string[] => (cell === '–' ? [] : cell.split(', '))
  const quoted = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

  it('has the layers, and what each may import', () => {
    const told = rows.map(([name, , may, types]) => ({ name, imports: listed(may), types: listed(types) }))
    expect(told).toEqual(
      expect.arrayContaining(layers.map(({ name, imports: may, types = [] }) => ({ name, imports: may, types }))),
    )
    expect(told).toHaveLength(layers.length)
  })

  it('has the files of each layer', () => {
    const covers = (name: string, file: string): boolean =>
      quoted(rows.find(([layer]) => layer === name)?.[1]).some((pattern) =>
        pattern.endsWith('/')
          ? new RegExp(`^${pattern.replaceAll('*', '[^/]+')}`).test(file)
          : new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}$`).test(file),
      )
    expect(files.filter((file) => !covers(layerOf(file)?.name ?? '', file))).toEqual([])
  })

  it('has the owners of each package', () => {
    const told = rows.flatMap(([name, , , , owned]) => quoted(owned).map((one) => `${name}: ${one}`))
    const nameOf = (specifier: string): string => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
    const found = packages
      .map(({ file, specifier }) => ({ layer: layerOf(file), specifier }))
      .filter(({ layer, specifier }) => layer?.owns?.test(specifier))
      .map(({ layer, specifier }) => `${layer?.name}: ${nameOf(specifier)}`)
    expect(told.toSorted()).toEqual([...new Set(found)].toSorted())
  })

  it('has what features use', () => {
    const told = usedBy.map(([feature, uses]) => [quoted(feature)[0], quoted(uses)])
    expect(Object.fromEntries(told)).toEqual(features)
  })
})
