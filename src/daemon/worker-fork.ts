import cluster, { type Worker } from 'node:cluster'
import type { Config } from '../config/schema.ts'
import type { Log } from '../log.ts'
import type { WorkerReport } from '../monitor/worker-report.ts'
import { createAnswers } from './monitor/answers.ts'
import { watchForStop } from '../stopped-process.ts'
import { exitCodes, type ExitReason } from './exit.ts'
import { closeUnclaimed } from './unclaimed-connections.ts'
import type { ApplianceState } from '../features/utils/appliance-state.ts'
import type { FromWorker, Listening, ToWorker } from './worker-process.ts'

export interface WorkerForkOptions {
  /** JavaScript file that a worker process runs; it calls `runWorker`. */
  readonly entry: string
  readonly config: Config
  /** What a worker that asks is told of the appliance. */
  readonly state: () => Promise<ApplianceState>
  readonly log: Log
}

/** A process that loads the program of a worker, and serves once it is given the number of one. */
export interface WorkerProcess {
  /** Has it serve as this worker; once. */
  begin(number: number): void
  /** Resolves once it listens. */
  readonly listening: Promise<Listening>
  /** Where the kernel gives no process (EAGAIN, EMFILE, ENOMEM), that is its end too. */
  readonly ended: Promise<ExitReason>
  /** Has it read the server certificate again. */
  reload(): void
  /** Asks whether it still answers, and kills one that left several pings unanswered. */
  ping(): void
  /** How many pings it has left unanswered. */
  unanswered(): number
  /** What it says of itself; undefined where that takes too long. */
  report(withRowCounts: boolean): Promise<WorkerReport | undefined>
  /** Resolves when the process has ended; it is killed when it takes too long, or has not begun to serve. */
  stop(): Promise<void>
}

/** How much longer than its calls a worker may take to stop. */
const closeGraceMs = 5_000
const missesAllowed = 3
/** How long it may be stopped: it answers none of its callers meanwhile, and whatever it waited for is not the reason. */
const stopMs = 2_000

/**
 * V8's own 16 MiB are full after a hundred calls, and collecting them copies what the calls under way have made: with
 * room for more calls between two collections, that is a smaller part of the work. In MiB, twice in memory at most.
 */
const youngGeneration = '--max-semi-space-size=64'

export function forkWorker(options: WorkerForkOptions): WorkerProcess {
  cluster.setupPrimary({ exec: options.entry, args: [], execArgv: [...process.execArgv, youngGeneration] })
  try {
    return processOf(cluster.fork(), options)
  } catch (error) {
    return noProcess(error)
  }
}

function processOf(worker: Worker, { config, state, log }: WorkerForkOptions): WorkerProcess {
  let slot: number | undefined
  let [started, stopping] = [false, false]
  let misses: number | undefined
  const reports = createAnswers<WorkerReport>()
  let reason: ExitReason | undefined
  const send = (message: ToWorker): void => void (worker.isConnected() && worker.send(message))
  const giveUp = (why: string): void => {
    log.error({ slot, worker: worker.process.pid }, `the worker ${why}, so it is killed`)
    worker.process.kill('SIGKILL')
  }
  const endWatch = watchForStop(worker.process.pid, stopMs, () => giveUp('is stopped'))
  const ready = readyOf(worker)
  const listening = new Promise<Listening>((resolve) => {
    worker.on('message', (message: FromWorker) => {
      if (message.type === 'report') reports.arrived(message.report)
      if (message.type === 'pong') misses = 0
      if (message.type === 'askState') void tellState(state, send, log)
      if (message.type === 'failed') reason = message.reason
      if (message.type !== 'listening') return
      misses = 0
      log.info({ slot, worker: worker.process.pid, port: message.port }, 'worker listens')
      resolve(message)
    })
  })
  const ended = new Promise<ExitReason>((resolve) => {
    worker.once('exit', (code: number | null, signal: string | null) => {
      endWatch()
      const message = `${nameOf(slot)} ended with ${signal ?? `exit code ${code}`}`
      resolve(reason ?? { code: exitCodes.internal, message })
    })
    worker.on('error', (error) => {
      if (worker.process.pid !== undefined) return log.warn({ err: error, slot }, 'the channel to the worker failed')
      // No `exit` follows where there was no process.
      endWatch()
      resolve(notForked(error))
    })
  })

  return {
    begin(number) {
      slot = number
      if (worker.process.pid === undefined) return
      closeUnclaimed(worker)
      void ready.then(() => {
        if (stopping) return
        started = true
        send({ type: 'start', slot: number, config })
      })
    },
    listening,
    ended,
    reload: () => send({ type: 'reload' }),
    ping() {
      // Until it listens it may take as long as it takes.
      if (misses === undefined) return
      misses += 1
      if (misses <= missesAllowed) return send({ type: 'ping' })
      giveUp('does not answer')
    },
    unanswered: () => misses ?? 0,
    report: (withRowCounts) => reports.ask(() => send({ type: 'report', withRowCounts })),
    async stop() {
      stopping = true
      endWatch()
      // Before it is ready it would not hear that it shall stop, and has opened nothing.
      const patienceMs = started ? config.http.shutdownDelayMs + config.http.drainTimeoutMs + closeGraceMs : 0
      const timer = setTimeout(() => worker.process.kill('SIGKILL'), patienceMs)
      send({ type: 'stop' })
      await ended
      clearTimeout(timer)
    },
  }
}

async function tellState(
  state: WorkerForkOptions['state'],
  send: (message: ToWorker) => void,
  log: Log,
): Promise<void> {
  try {
    send({ type: 'state', state: await state() })
  } catch (error) {
    log.error({ err: error }, 'what the appliance is like could not be looked at')
    send({ type: 'state', state: undefined })
  }
}

/** Not earlier: node:cluster drops what reaches a process that has not begun to listen. */
const readyOf = (worker: Worker): Promise<void> =>
  new Promise((resolve) => {
    worker.on('message', ({ type }: FromWorker) => type === 'ready' && resolve())
  })

const nameOf = (slot: number | undefined): string => (slot === undefined ? 'the spare worker' : `worker ${slot}`)

const notForked = (error: unknown): ExitReason => ({
  code: exitCodes.internal,
  message: `no process for a worker could be started: ${error instanceof Error ? error.message : String(error)}`,
})

/** What cluster.fork() threw instead of giving a process: it has ended already. */
const noProcess = (error: unknown): WorkerProcess => ({
  begin() {},
  listening: new Promise(() => {}),
  ended: Promise.resolve(notForked(error)),
  reload() {},
  ping() {},
  unanswered: () => 0,
  report: () => Promise.resolve(undefined),
  stop: () => Promise.resolve(),
})
