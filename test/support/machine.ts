import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe } from 'vitest'
import { baseFolder, proxyFlags, type Base, type Suite } from './machine-base.ts'
import { holdMachines, runningFolder, whyNoMachines } from './machine-host.ts'
import { output, ran, type Ran } from './machine-process.ts'

/**
 * A `describe` whose tests boot machines. It is skipped where none can boot; the reason is printed at the end of the
 * run.
 */
export const describeInMachines = describe.skipIf(whyNoMachines !== undefined)

export interface MachineOptions {
  /** Default: trixie. */
  readonly suite?: Suite
  /** Default: built. */
  readonly base?: Base
  /**
   * `own` (default): a network of its own with only a loopback interface. `shared`: that of this computer, where its
   * ports must be free.
   */
  readonly network?: 'own' | 'shared'
  /** Further options of systemd-nspawn, for example `--bind=…` or `--network-bridge=…`. */
  readonly options?: readonly string[]
}

export interface RunOptions {
  /** Lets this command use this computer's network, for apt and npm in a machine with a network of its own. */
  readonly online?: boolean
  readonly input?: string
}

/** A disposable Debian with a running systemd. */
export interface Machine {
  /** The folder that is `/` in the machine. */
  readonly root: string
  /** Runs a line of bash as root, in /root. */
  readonly run: (line: string, options?: RunOptions) => Promise<Ran>
  /** Runs such a line. Resolves to its output; rejects for any exit code but 0. */
  readonly must: (line: string, options?: RunOptions) => Promise<string>
  /** Process id of the machine's init in this computer. */
  readonly init: () => number
  /** Reboots it in order, like an administrator. */
  readonly reboot: () => Promise<void>
  /** Ends it like a power failure. `boot` starts it again with the same disk. */
  readonly kill: () => Promise<void>
  readonly boot: () => Promise<void>
  /** Powers it off and removes it. */
  readonly end: () => Promise<void>
}

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const ownNetwork = ['--private-network']

/** Boots a copy of the base. The first use of a base makes it, which takes minutes. */
export async function bootMachine(options: MachineOptions = {}): Promise<Machine> {
  await holdMachines()
  const base = await baseFolder(options.suite ?? 'trixie', options.base ?? 'built')
  mkdirSync(runningFolder, { recursive: true })
  const folder = mkdtempSync(join(runningFolder, 'machine-'))
  const root = join(folder, 'root')
  await output('cp', ['-a', '--reflink=auto', base, root])
  const machine = createMachine(folder, root, options)
  try {
    await machine.boot()
  } catch (error) {
    await machine.end()
    throw error
  }
  return machine
}

function createMachine(folder: string, root: string, { network = 'own', options = [] }: MachineOptions): Machine {
  const log = join(folder, 'boot.log')
  let nspawn: ChildProcess | undefined

  const init = (): number => {
    const pid = nspawn?.pid ?? 0
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0])
  }
  const run: Machine['run'] = (line, { online = false, input } = {}) => {
    const namespaces = ['-m', '-u', '-i', '-p', ...(online ? [] : ['-n'])]
    const environment = [`PATH=${path}`, 'HOME=/root', 'LANG=C.UTF-8', 'TERM=dumb', 'DEBIAN_FRONTEND=noninteractive']
    const proxies = proxyFlags().filter((flag) => flag !== '-E')
    const shell = ['/usr/bin/env', '-i', ...environment, ...proxies, '/bin/bash', '-c', `cd /root && ${line}`]
    return ran('nsenter', ['-t', String(init()), ...namespaces, '--', ...shell], input)
  }
  const must: Machine['must'] = async (line, how) => {
    const { status, stdout, stderr } = await run(line, how)
    if (status !== 0) throw new Error(`${line}: exit code ${status}\n${stdout.slice(-3000)}${stderr.slice(-3000)}`)
    return stdout
  }
  const isUp = async (): Promise<boolean> => {
    try {
      const { stdout } = await run('systemctl is-system-running')
      return /^(running|degraded)/.test(stdout)
    } catch {
      // Its init has not started yet, or is being replaced.
      return false
    }
  }
  const waitUntilUp = async (): Promise<void> => {
    const deadline = Date.now() + 120_000
    while (!(await isUp())) {
      if (nspawn?.exitCode !== null || Date.now() > deadline)
        throw new Error(`the machine does not come up:\n${readFileSync(log, 'utf8').slice(-3000)}`)
      await sleep(100)
    }
  }
  const boot = async (): Promise<void> => {
    const out = openSync(log, 'a')
    const flags = ['-D', root, '--boot', '--register=no', '--keep-unit', '--settings=no', '--link-journal=no']
    const more = [
      '--resolv-conf=copy-host',
      '--hostname=appliance',
      ...(network === 'own' ? ownNetwork : []),
      ...options,
    ]
    // This process's end kills it and its machine.
    nspawn = spawn('setpriv', ['--pdeathsig', 'KILL', 'systemd-nspawn', ...flags, ...more], {
      stdio: ['ignore', out, out],
    })
    closeSync(out)
    await waitUntilUp()
  }
  const ended = async (): Promise<void> => {
    if (nspawn !== undefined && nspawn.exitCode === null && nspawn.signalCode === null) await once(nspawn, 'exit')
    nspawn = undefined
  }
  const kill = async (): Promise<void> => {
    process.kill(init(), 'SIGKILL')
    await ended()
  }
  const end = async (): Promise<void> => {
    if (nspawn?.exitCode === null) {
      // systemd answers before it powers off; the connection may end early.
      await run('systemctl poweroff').catch(() => undefined)
      const giveUp = setTimeout(() => nspawn?.kill('SIGKILL'), 60_000)
      await ended()
      clearTimeout(giveUp)
    }
    rmSync(folder, { recursive: true, force: true })
  }
  const reboot = async (): Promise<void> => {
    await run('systemctl reboot')
    // For a reboot, systemd-nspawn exits with code 133 and its caller starts it again.
    await ended()
    await boot()
  }
  return { root, run, must, init, reboot, kill, boot, end }
}
