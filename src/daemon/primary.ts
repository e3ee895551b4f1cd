import { resolve } from 'node:path'
import { systemClock } from '../clock.ts'
import { readEnvironment } from '../config/environment.ts'
import { keyMakerSocketOf } from '../config/key-maker-socket.ts'
import { keeperOf } from '../config/keeper-section.ts'
import { loadConfig } from '../config/loader.ts'
import type { Config } from '../config/schema.ts'
import type { ApplianceState } from '../features/utils/appliance-state.ts'
import { createTokenSupervisor, type TokenSupervisor } from '../hsm/client/supervisor.ts'
import { createLog, type Log } from '../log.ts'
import { createNotify, type Notify } from '../service-manager.ts'
import { createCluster, type Cluster } from './cluster.ts'
import { forbidCoreDumps } from './core-dumps.ts'
import { exitCodes, exitReasonOf, type ExitReason } from './exit.ts'
import { checkFiles } from './file-check.ts'
import { ignoreSignals } from './ignored-signals.ts'
import { launch, type DaemonPart } from './launcher.ts'
import { hasHangingProbe } from './monitor/timeout.ts'
import { createWatch } from './monitor/watch.ts'

const environment = readEnvironment()

export interface DaemonOptions {
  readonly configFile: string
  readonly check: boolean
  /** JavaScript file of the daemon, and of a worker process. */
  readonly entry: string
  readonly workerEntry: string
  /** The part that the launcher, which runs as root, has started this process for. */
  readonly part?: DaemonPart | undefined
  readonly socketGroup?: number | undefined
}

/** Runs the daemon until it is stopped, or with `check` only reads the configuration and the certificates that it names. Ends the process. */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const { check, entry, part } = options
  ignoreSignals()
  const configFile = resolve(options.configFile)
  try {
    const config = loadConfig(configFile)
    if (check) {
      checkFiles(config)
      exit({ code: exitCodes.stopped, message: `${options.configFile} is in order` })
    }
    const log = createLog({ level: config.log.level, name: 'strongroomd' })
    forbidCoreDumps((error) => log.warn({ err: error }, 'core dumps are not off: see strongroom doctor'))
    const { processes: users, hsm } = config
    const isRoot = process.getuid?.() === 0
    if (part === undefined && hsm.spawn && users !== undefined && isRoot)
      process.exit(await launch({ config, configFile, users, entry, log }))
    if (part === undefined && hsm.spawn) log.warn({}, oneUser)
    await serve(config, { ...options, configFile }, log)
  } catch (error) {
    exit(exitReasonOf(error))
  }
}

const oneUser =
  'workers, keeper and token hosts run under one user: a worker that is taken over can read the PIN (see "Separate users" in docs/operations.md)'

async function serve(config: Config, options: DaemonOptions, log: Log): Promise<void> {
  const { part, workerEntry } = options
  const notify = createNotify(environment.notify && part !== 'inside', log)
  const hosts = config.hsm.spawn && part !== 'workers' ? hostsOf(config, options, log) : undefined
  const cluster =
    part === 'inside' ? undefined : createCluster({ config, workerEntry, state: stateOf, clock: systemClock, log })
  const watch = cluster && createWatch(config, cluster, log)
  function stateOf(): Promise<ApplianceState> {
    if (watch === undefined) throw new TypeError('no worker asks before there is a watch')
    return watch.state()
  }
  const stop = async (reason: ExitReason): Promise<void> => {
    watch?.drain()
    await notify('STOPPING=1')
    await cluster?.stop()
    await hosts?.close()
    await watch?.close()
    exit(reason)
  }
  const stopped = { code: exitCodes.stopped, message: 'stopped' }
  stopOnSignals(() => void stop(stopped).catch((error: unknown) => exit(exitReasonOf(error))), log)
  try {
    await watch?.startMonitor()
    const [listening] = await Promise.all([cluster?.start(), hosts === undefined ? undefined : openToken(hosts, log)])
    if (cluster === undefined || listening === undefined) return
    const { port, workers, listeners } = listening
    log.info({ port, workers, listeners }, 'listening')
    watch?.startWarnings()
    await notify('READY=1', `STATUS=listening on port ${port} with ${workers} workers`)
    reloadOnSignal(cluster, notify)
    feedWatchdog(cluster, notify)
  } catch (error) {
    await stop(exitReasonOf(error))
  }
}

function hostsOf(config: Config, { configFile, socketGroup }: DaemonOptions, log: Log): TokenSupervisor {
  const { sockets, deadlineMs } = config.hsm
  const keeper = keeperOf(config)
  const keyMakerSocket = keyMakerSocketOf(config.hsm)
  return createTokenSupervisor({ configFile, sockets, keeper, keyMakerSocket, socketGroup, deadlineMs, log })
}

/** A token that cannot be opened does not end the daemon: calls get 503, and the hosts try again where that is safe. */
async function openToken(hosts: TokenSupervisor, log: Log): Promise<void> {
  for (const { socket, state, reason } of await hosts.start()) {
    if (state !== 'ready')
      log.error({ socket, state, reason }, 'a token host is not ready: calls that need the token get 503')
  }
}

function stopOnSignals(stop: () => void, log: Log): void {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      if (stopping)
        exit({ code: exitCodes.internal, message: `a second ${signal}: stopped at once, calls under way are lost` })
      stopping = true
      log.info({ signal }, 'stopping')
      stop()
    })
  }
}

function reloadOnSignal(cluster: Cluster, notify: Notify): void {
  process.on('SIGHUP', () => {
    void notify('RELOADING=1')
    cluster.reload()
    void notify('READY=1')
  })
}

/**
 * Notifies systemd twice as often as it asks for (sd_watchdog_enabled(3)), as long as `/health` would answer 200: a
 * restart helps neither the token nor the database.
 */
function feedWatchdog(cluster: Cluster, notify: Notify): void {
  if (environment.watchdogMs === undefined) return
  setInterval(() => {
    if (cluster.isLive()) void notify('WATCHDOG=1')
  }, environment.watchdogMs / 2)
}

/** Gives the reason: to the journal in its format, to a person in plain text. */
function exit({ code, message }: ExitReason): never {
  if (environment.journal)
    createLog({ level: 'info', name: 'strongroomd' })[code === 0 ? 'info' : 'fatal']({ exitCode: code }, message)
  else process.stderr.write(`strongroomd: ${message}\n`)
  // A thread that hangs in a call to a disk lets no process exit: only the kernel ends it. The journal is written first.
  process.once('exit', () => {
    if (hasHangingProbe()) process.kill(process.pid, 'SIGKILL')
  })
  process.exit(code)
}
