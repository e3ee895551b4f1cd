import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const tools = ['debootstrap', 'systemd-nspawn', 'nsenter', 'setpriv', 'unshare', 'flock', 'tar']

/** Why this computer boots no machines for tests; undefined where it does. */
export const whyNoMachines: string | undefined = reason()

function reason(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'machines with a systemd of their own are booted by root alone: run scripts/test as root'
  const missing = tools.filter((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0)
  if (missing.length > 0) return `not installed: ${missing.join(', ')} (scripts/test installs what holds them)`
  const { status, stderr } = spawnSync('unshare', ['-m', '-p', '-n', '-f', 'true'], { encoding: 'utf8' })
  return status === 0 ? undefined : `the kernel lets no machines be made here: ${stderr.trim()}`
}

/** Where machines are kept between runs. Outside the folder of the run, because making one takes minutes. */
export const machineFolder = join(process.env['XDG_CACHE_HOME'] ?? '/var/cache', 'strongroom-test')

/** Copies that run; those of a run that was killed are removed by the next one. */
export const runningFolder = join(machineFolder, 'running')

let lock: Promise<void> | undefined

/** Machines are heavy: one process of tests at a time boots any on a computer. Held until this process ends. */
export function holdMachines(): Promise<void> {
  lock ??= takeLock()
  return lock
}

async function takeLock(): Promise<void> {
  mkdirSync(machineFolder, { recursive: true })
  // Tokens of npm's settings lie in it.
  chmodSync(machineFolder, 0o700)
  // Ends when its input does, which is when this process ends, however it ends.
  const holder = spawn('flock', [join(machineFolder, 'lock'), 'sh', '-c', 'echo held; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  for (const stream of [holder, holder.stdin, holder.stdout]) (stream as { unref?: () => void }).unref?.()
  mkdirSync(runningFolder, { recursive: true })
  for (const left of readdirSync(runningFolder)) rmSync(join(runningFolder, left), { recursive: true, force: true })
}
