import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { output } from './machine-process.ts'
import { machineFolder } from './machine-host.ts'

const root = resolve(import.meta.dirname, '../..')

/** Debian's releases: bookworm is 12, trixie 13. */
export type Suite = 'bookworm' | 'trixie'

/**
 * The initial state of a machine. `bare`: Debian as it is installed, without Node. `built`: with the packages and
 * compiled Node packages that `scripts/setup` would install, so that no test waits for them (only trixie, whose Node is
 * new enough).
 */
export type Base = 'bare' | 'built'

const barePackages = ['systemd', 'systemd-sysv', 'dbus', 'ca-certificates', 'iproute2', 'procps']
/** The packages of `scripts/setup`, Debian's Node, and sqlite3 to inspect the database. */
const builtPackages =
  'softhsm2 openssl curl ca-certificates gcc g++ make python3 util-linux bsdutils nodejs npm sqlite3'.split(' ')
/** Folder of the checkout in a machine. */
export const checkoutFolder = '/root/strongroom'

/** The folder of the base. It is made at its first use and copied afterwards. */
export async function baseFolder(suite: Suite, base: Base): Promise<string> {
  if (base === 'bare') return made(`${suite}-bare`, [suite, ...barePackages], (folder) => bootstrap(suite, folder))
  const bare = await baseFolder(suite, 'bare')
  const locked = readFileSync(join(root, 'package-lock.json'), 'utf8')
  return made(`${suite}-built`, [...builtPackages, locked], async (folder) => {
    await output('cp', ['-a', '--reflink=auto', bare, folder])
    await installOn(folder)
  })
}

/**
 * Makes the folder unless one by this recipe exists. The newest one by another recipe is kept, for branches with other
 * packages.
 */
async function made(
  name: string,
  recipe: readonly string[],
  make: (folder: string) => Promise<unknown>,
): Promise<string> {
  const stamp = createHash('sha256').update(recipe.join('\n')).digest('hex').slice(0, 12)
  const folder = join(machineFolder, `${name}-${stamp}`)
  if (existsSync(folder)) return folder
  mkdirSync(machineFolder, { recursive: true })
  const others = readdirSync(machineFolder).filter((other) => other.startsWith(`${name}-`))
  const age = (other: string): number =>
    other.endsWith('.unfinished') ? 0 : statSync(join(machineFolder, other)).ctimeMs
  for (const old of others.toSorted((a, b) => age(b) - age(a)).slice(1))
    rmSync(join(machineFolder, old), { recursive: true, force: true })
  console.log(`  … making a machine for tests in ${folder}: once, a few minutes`)
  const unfinished = `${folder}.unfinished`
  // What a failed attempt left: the copy of another base would lie in it.
  rmSync(unfinished, { recursive: true, force: true })
  await make(unfinished)
  renameSync(unfinished, folder)
  return folder
}

async function bootstrap(suite: Suite, folder: string): Promise<void> {
  const mirror = await debianMirror()
  await output('debootstrap', [
    '--variant=minbase',
    `--include=${barePackages.join(',')}`,
    suite,
    folder,
    ...(mirror === undefined ? [] : [mirror]),
  ])
  await takeOverSettings(folder)
}

/** The mirror of this computer's apt; undefined for the default of debootstrap. */
async function debianMirror(): Promise<string | undefined> {
  const listed = await output('sh', ['-c', 'cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true'])
  return /https?:\/\/\S+\/debian\/?(?=\s|$)/.exec(listed)?.[0]
}

/**
 * Gives the machine the settings by which this computer reaches mirror and registry: authorities, proxies, npm's
 * settings.
 */
async function takeOverSettings(folder: string): Promise<void> {
  const authorities = '/usr/local/share/ca-certificates'
  if (existsSync(authorities)) cpSync(authorities, join(folder, authorities), { recursive: true })
  await output('chroot', [folder, '/usr/bin/env', '-i', 'PATH=/usr/sbin:/usr/bin', 'update-ca-certificates'])
  const acquire = await output('sh', ['-c', 'apt-config dump | grep -iE "^Acquire::https?::Proxy" || true'])
  if (acquire !== '') writeFileSync(join(folder, 'etc/apt/apt.conf.d/90proxy'), acquire)
  const settings = join(homedir(), '.npmrc')
  const own = existsSync(settings) ? readFileSync(settings, 'utf8') : ''
  // The path of Node's headers differs between machines.
  const lines = own.split('\n').filter((line) => !/^\s*(nodedir|cafile|registry|prefix)\s*=/.test(line))
  const registry = (await output('npm', ['config', 'get', 'registry'])).trim()
  lines.push(`registry=${registry}`, 'cafile=/etc/ssl/certs/ca-certificates.crt', '')
  writeFileSync(join(folder, 'root/.npmrc'), lines.join('\n'), { mode: 0o600 })
}

async function installOn(folder: string): Promise<void> {
  const checkout = join(folder, checkoutFolder)
  mkdirSync(checkout, { recursive: true })
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(root, file), join(checkout, file))
  const inside = [
    `apt-get -q update && apt-get -q -y install --no-install-recommends ${builtPackages.join(' ')}`,
    `cd ${checkoutFolder} && npm_config_build_from_source=true npm ci --no-audit --no-fund`,
    'apt-get clean && rm -rf /root/.npm',
  ].join(' && ')
  const flags = ['-q', '--register=no', '--keep-unit', '--resolv-conf=replace-host', '--pipe', '-D', folder]
  const environment = ['-E', 'DEBIAN_FRONTEND=noninteractive', '-E', 'HOME=/root', ...proxyFlags()]
  await output('systemd-nspawn', [...flags, ...environment, '/bin/bash', '-c', inside])
}

/** The proxies of this process's environment, as flags of systemd-nspawn. */
export function proxyFlags(): string[] {
  return ['http_proxy', 'https_proxy', 'no_proxy'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : ['-E', `${name}=${value}`]
  })
}
