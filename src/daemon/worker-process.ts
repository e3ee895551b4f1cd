import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../config/schema.ts'
import { exitReasonOf, exitCodes, type ExitReason } from './exit.ts'
import { ignoreSignals } from './ignored-signals.ts'
import { createLog, type Log } from '../log.ts'
import type { ApplianceState, AskState } from '../features/utils/appliance-state.ts'
import type { WorkerReport } from '../monitor/worker-report.ts'
import { createAnswers } from './monitor/answers.ts'

/** Messages of the primary to a worker. `config` is that of the daemon's start, even if the file has changed since. */
export type ToWorker =
  | { readonly type: 'start'; readonly slot: number; readonly config: Config }
  | { readonly type: 'reload' }
  | { readonly type: 'stop' }
  | { readonly type: 'ping' }
  | { readonly type: 'report'; readonly withRowCounts: boolean }
  | { readonly type: 'state'; readonly state: ApplianceState | undefined }

/**
 * Messages of a worker to the primary: `ready` when it accepts messages; `draining` once it refuses new connections;
 * `failed` before it exits.
 */
export type FromWorker =
  | { readonly type: 'ready' }
  | ({ readonly type: 'listening' } & Listening)
  | { readonly type: 'draining' }
  | { readonly type: 'failed'; readonly reason: ExitReason }
  | { readonly type: 'pong' }
  | { readonly type: 'report'; readonly report: WorkerReport | undefined }
  | { readonly type: 'askState' }

/** The addresses that a worker listens on. */
export interface Listening {
  /** The port of the API. */
  readonly port: number
  /** All listeners by section of the configuration, for the journal. */
  readonly listeners: readonly { readonly name: string; readonly host: string; readonly port: number }[]
}

export interface Appliance {
  listen(): Promise<Listening>
  /** Reads the server certificate again. */
  reload(): Promise<void>
  /** Continues to serve, and tells each client with its answer to open a new connection, which another worker gets. */
  leave(): void
  /** Its state for the monitor. */
  report(withRowCounts: boolean): Promise<WorkerReport>
  /** Lets calls under way finish, and closes everything. */
  close(): Promise<void>
}

export interface ApplianceOptions {
  readonly config: Config
  /** 1, 2 …: outlives the process, so that a restarted worker continues the audit chain of the one before. */
  readonly slot: number
  /** The primary's view of the whole appliance. */
  readonly askState: AskState
  readonly log: Log
}

/**
 * Runs a worker process. The primary tells it by messages when to start, and as which worker, to reload, and to stop.
 * Until it starts it opens nothing.
 */
export function runWorker(createAppliance: (options: ApplianceOptions) => Promise<Appliance>): void {
  process.title = 'strongroomd: spare worker'
  let serving: Promise<Appliance> | undefined
  let shutdownDelayMs = 0
  const states = createAnswers<ApplianceState>(statePatienceMs)
  const askState: AskState = () => states.ask(() => send({ type: 'askState' }))

  const start = async (slot: number, config: Config): Promise<Appliance> => {
    process.title = `strongroomd: worker ${slot}`
    shutdownDelayMs = config.http.shutdownDelayMs
    const log = createLog({ level: config.log.level, name: `worker-${slot}` })
    process.on('uncaughtException', (error) => {
      log.fatal({ err: error }, 'the worker exits after an unexpected error')
      process.exit(exitCodes.internal)
    })
    const appliance = await createAppliance({ config, slot, askState, log })
    send({ type: 'listening', ...(await appliance.listen()) })
    return appliance
  }
  const stop = async (): Promise<void> => {
    const appliance = await serving
    if (appliance !== undefined && shutdownDelayMs > 0) {
      appliance.leave()
      await delay(shutdownDelayMs)
    }
    const closed = appliance?.close()
    send({ type: 'draining' })
    await closed
    process.exit(exitCodes.stopped)
  }
  const reportOf = async (withRowCounts: boolean): Promise<WorkerReport | undefined> => {
    try {
      return await (await serving)?.report(withRowCounts)
    } catch {
      // A worker that cannot report its state continues to serve.
      return undefined
    }
  }
  const handle = async (message: ToWorker): Promise<void> => {
    if (message.type === 'ping') send({ type: 'pong' })
    if (message.type === 'start') await (serving = start(message.slot, message.config))
    if (message.type === 'reload') await (await serving)?.reload()
    if (message.type === 'report') send({ type: 'report', report: await reportOf(message.withRowCounts) })
    if (message.type === 'state') states.arrived(message.state)
    if (message.type === 'stop') await stop()
  }
  process.on('message', (message: ToWorker) => void handle(message).catch(fail))
  process.on('SIGTERM', () => void stop().catch(fail))
  // A terminal sends it to the whole group. The primary passes on what it means.
  ignoreSignals('SIGINT')
  send({ type: 'ready' })
}

/** The primary asks workers and token processes one after the other, each of which may take two seconds. */
const statePatienceMs = 10_000

function send(message: FromWorker, then?: () => void): void {
  process.send?.(message, undefined, undefined, then)
}

function fail(error: unknown): void {
  const reason = exitReasonOf(error)
  send({ type: 'failed', reason }, () => process.exit(reason.code))
}
