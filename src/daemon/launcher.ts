import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { keyMakerSocketOf } from '../config/key-maker-socket.ts'
import { keeperOf } from '../config/keeper-section.ts'
import type { ProcessUsers } from '../config/processes-section.ts'
import { enabledSmartcard, type Config } from '../config/schema.ts'
import type { Log } from '../log.ts'
import { exitCodes } from './exit.ts'
import { identitiesOf, runAs, type Identities, type Identity } from './process-users.ts'

export interface LauncherOptions {
  readonly config: Config
  readonly configFile: string
  readonly users: ProcessUsers
  /** JavaScript file of the daemon, which runs once for each user. */
  readonly entry: string
  readonly log: Log
}

/** The two parts of the daemon. Without a part, one daemon runs both. */
export const daemonParts = ['workers', 'inside'] as const
export type DaemonPart = (typeof daemonParts)[number]

/**
 * For root without systemd: runs the daemon as two users, one for the workers and one for keeper and token hosts. The
 * root process only passes signals on. It has no channel to the others, so that a compromised worker cannot send it
 * anything. Resolves with the exit code when both have ended.
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
  // First the workers, because calls under way need the token.
  const code = await daemon.ended
  hosts.kill('SIGTERM')
  await hosts.ended
  return first === undefined ? exitCodes.internal : code
}

const userOf = (part: DaemonPart, { name }: Identity) => ({ [part]: name })

/** The capabilities for ports below 1024. */
function capabilitiesFor(config: Config): string[] {
  const { http, validator, monitor } = config
  const smartcard = enabledSmartcard(config)
  const ports = [
    http.port,
    ...(validator.enabled ? [validator.port] : []),
    ...(smartcard === undefined ? [] : [smartcard.port]),
    ...(monitor.enabled ? [monitor.port] : []),
  ]
  return ports.some((port) => port > 0 && port < 1024) ? ['net_bind_service'] : []
}

/** Below /run, they are deleted when the machine starts. An existing folder keeps its owner and mode. */
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
  /** Resolves to the exit code. */
  readonly ended: Promise<number>
  kill(signal: NodeJS.Signals): void
}

function start([program = '', ...args]: readonly string[]): Started {
  // In a process group of its own: a terminal's signals then reach only this process, which passes each on once.
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true })
  const ended = new Promise<number>((resolve) => {
    child.once('error', () => resolve(exitCodes.internal))
    child.once('exit', (code) => resolve(code ?? exitCodes.internal))
  })
  return { ended, kill: (signal) => child.kill(signal) }
}
