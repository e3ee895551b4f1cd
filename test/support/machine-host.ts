import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const tools = ['debootstrap', 'systemd-nspawn', 'nsenter', 'setpriv', 'unshare', 'flock', 'tar']

/** Why this computer cannot boot machines for tests; undefined where it can. */
export const whyNoMachines: string | undefined = reason()

function reason(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'machines with a systemd of their own are booted by root alone: run scripts/test as root'
  const missing = tools.filter((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0)
  if (missing.length > 0) return `not installed: ${missing.join(', ')} (scripts/test installs what holds them)`
  const { status, stderr } = spawnSync('unshare', ['-m', '-p', '-n', '-f', 'true'], { encoding: 'utf8' })
  return status === 0 ? undefined : `the kernel lets no machines be made here: ${stderr.trim()}`
}

/**
 * Folder of the machines. It is outside of the run's folder, and kept between runs, because making one takes minutes.
 */
export const machineFolder = join(process.env['XDG_CACHE_HOME'] ?? '/var/cache', 'strongroom-test')

/** Running copies. The next run removes those of a run that was killed. */
export const runningFolder = join(machineFolder, 'running')

let lock: Promise<void> | undefined

/**
 * Takes the lock for machines: they are expensive, so that only one test process of a computer boots any at a time. The
 * lock is held until this process ends.
 */
export function holdMachines(): Promise<void> {
  lock ??= takeLock()
  return lock
}

async function takeLock(): Promise<void> {
  mkdirSync(machineFolder, { recursive: true })
  // It contains access tokens of npm's settings.
  chmodSync(machineFolder, 0o700)
  // Ends with its input, and so with this process, however that ends.
  const holder = spawn('flock', [join(machineFolder, 'lock'), 'sh', '-c', 'echo held; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  for (const stream of [holder, holder.stdin, holder.stdout]) (stream as { unref?: () => void }).unref?.()
  mkdirSync(runningFolder, { recursive: true })
  for (const left of readdirSync(runningFolder)) rmSync(join(runningFolder, left), { recursive: true, force: true })
}
