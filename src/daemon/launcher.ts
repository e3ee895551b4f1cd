import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { keyMakerSocketOf } from '../config/key-maker-socket.ts'
import { keeperOf } from '../config/keeper-section.ts'
import type { ProcessUsers } from '../config/processes-section.ts'
import type { Config } from '../config/schema.ts'
import type { Log } from '../log.ts'
import { exitCodes } from './exit.ts'
import { identitiesOf, runAs, type Identities, type Identity } from './process-users.ts'

export interface LauncherOptions {
  readonly config: Config
  readonly configFile: string
  readonly users: ProcessUsers
  /** JavaScript file of the daemon, which is run again once for each user. */
  readonly entry: string
  readonly log: Log
}

/** What one of the two daemons runs; without it, one daemon runs all. */
export const daemonParts = ['workers', 'inside'] as const
export type DaemonPart = (typeof daemonParts)[number]

/**
 * Runs the daemon as two users, for root without systemd: one with the workers, and one with keeper and token hosts. The
 * process of root does no more than pass signals on. It has no channel to the others, so a worker that is taken over
 * has nothing to tell it. Resolves with the exit code when both have ended.
 */
export async function launch({ config, configFile, users, entry, log }: LauncherOptions): Promise<number> {
  const identities = identitiesOf(users)
  makeSocketFolders(config, identities)
  const { workers, inside } = identities
  const command = (part: DaemonPart) => [process.execPath, entry, '--config', configFile, '--part', part]
  const group = ['--socket-group', String(workers.gid)]
  const hosts = start([...runAs(inside, { moreGroups: [workers.gid] }), ...command('inside'), ...group])
  const daemon = start([...runAs(workers, { capabilities: capabilitiesFor(config) }), ...command('workers')])
  log.info({ ...userOf('workers', workers), ...userOf('inside', inside) }, 'workers and inside run as different users')

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => daemon.kill(signal === 'SIGINT' ? 'SIGTERM' : signal))
  const first = await Promise.race([daemon.ended, hosts.ended.then(() => undefined)])
  if (first === undefined) {
    log.error({}, 'the process that watches keeper and token hosts ended, so the daemon stops')
    daemon.kill('SIGTERM')
  }
  // Calls under way need the token until they are done.
  const code = await daemon.ended
  hosts.kill('SIGTERM')
  await hosts.ended
  return first === undefined ? exitCodes.internal : code
}

const userOf = (part: DaemonPart, { name }: Identity) => ({ [part]: name })

/** The one thing for which a daemon without systemd is started as root otherwise. */
function capabilitiesFor({ http, validator }: Config): string[] {
  const ports = [http.port, ...(validator.enabled ? [validator.port] : [])]
  return ports.some((port) => port > 0 && port < 1024) ? ['net_bind_service'] : []
}

/** Below /run they are gone with each start of the machine. What is there keeps its owner and its mode. */
function makeSocketFolders(config: Config, { workers, inside }: Identities): void {
  const { socket, operatorSocket } = keeperOf(config)
  for (const path of [...config.hsm.sockets, keyMakerSocketOf(config.hsm), socket, operatorSocket]) {
    const folder = dirname(path)
    if (existsSync(folder)) continue
    mkdirSync(folder, { recursive: true, mode: 0o750 })
    chownSync(folder, inside.uid, workers.gid)
  }
}

interface Started {
  /** Resolves with the exit code. */
  readonly ended: Promise<number>
  kill(signal: NodeJS.Signals): void
}

function start([program = '', ...args]: readonly string[]): Started {
  // In a group of its own: what a terminal sends to the group reaches this process alone, which passes it on once.
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true })
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(exitCodes.internal))
    child.once('exit', (code) => resolve(code ?? exitCodes.internal))
  })
  return { ended, kill: (signal) => child.kill(signal) }
}
