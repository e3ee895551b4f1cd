import cluster, { type Worker } from 'node:cluster'
import { endingOf } from '../ended-process.ts'
import { errorMessageOf } from '../fault.ts'
import type { Config } from '../config/schema.ts'
import type { Log } from '../log.ts'
import type { WorkerReport } from '../monitor/worker-report.ts'
import { createAnswers } from './monitor/answers.ts'
import { raiseOpenFiles } from '../open-files.ts'
import { watchForStop } from '../stopped-process.ts'
import { exitCodes, type ExitReason } from './exit.ts'
import { closeUnclaimed, type SentConnections } from './unclaimed-connections.ts'
import type { ApplianceState } from '../features/utils/appliance-state.ts'
import type { FromWorker, Listening, ToWorker } from './worker-process.ts'

export interface WorkerForkOptions {
  /** JavaScript file of a worker process, which calls `runWorker`. */
  readonly entry: string
  readonly config: Config
  /** The state of the appliance, for workers that ask. */
  readonly state: () => Promise<ApplianceState>
  readonly log: Log
}

/** A process with the worker's program loaded. It begins to serve when it is given a number. */
export interface WorkerProcess {
  /** Makes it serve as the worker with this number; to be called once. */
  begin(number: number): void
  /** Resolves once it listens. */
  readonly listening: Promise<Listening>
  /** Where the kernel refuses a process (EAGAIN, EMFILE, ENOMEM), this resolves as well. */
  readonly ended: Promise<ExitReason>
  /** Makes it read the server certificate again. */
  reload(): void
  /** Checks that it still answers, and kills one that has left several pings unanswered. */
  ping(): void
  /** Number of unanswered pings. */
  unanswered(): number
  /** Its state; undefined where it does not answer in time. */
  report(withRowCounts: boolean): Promise<WorkerReport | undefined>
  /** Resolves when the process has ended; it is killed when it takes too long, or has not begun to serve. */
  stop(): Promise<void>
}

/** How much longer than its calls a worker may take to stop. */
const closeGraceMs = 5_000
const missesAllowed = 3
/** A worker that was stopped (SIGSTOP) for this long is killed: it answers no caller, and it is not merely slow. */
const stopMs = 2_000

/**
 * In MiB, at most twice as much in memory. V8's default of 16 MiB is full after a hundred calls, and each collection
 * copies the data of the calls under way: with more calls between collections, that is a smaller part of the work.
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
  let reason: ExitReason | undefined
  let connections: SentConnections | undefined
  const reports = createAnswers<WorkerReport>()
  const send = (message: ToWorker): void => void (worker.isConnected() && worker.send(message))
  const giveUp = (why: string): void => {
    log.error({ slot, worker: worker.process.pid }, `the worker ${why}, so it is killed`)
    worker.process.kill('SIGKILL')
  }
  const pings = createPings(
    () => {
      connections?.beforePing()
      send({ type: 'ping' })
    },
    () => giveUp('does not answer'),
  )
  const answered = (): void => {
    pings.answered()
    if (connections?.closeLost() !== true || stopping) return
    log.error({ slot, worker: worker.process.pid }, takesNone)
    void stop()
  }
  const endWatch = watchForStop(worker.process.pid, stopMs, () => giveUp('is stopped'))
  const ready = readyOf(worker)
  const listening = new Promise<Listening>((resolve) => {
    worker.on('message', (message: FromWorker) => {
      if (message.type === 'report') reports.arrived(message.report)
      if (message.type === 'pong') answered()
      if (message.type === 'askState') void tellState(state, send, log)
      if (message.type === 'failed') reason = message.reason
      if (message.type !== 'listening') return
      pings.answered()
      log.info({ slot, worker: worker.process.pid, port: message.port }, 'worker listens')
      resolve(message)
    })
  })
  const ended = endOf(worker, () => ({ slot, reason }), log)
  void ended.then(endWatch)

  return {
    begin(number) {
      slot = number
      if (worker.process.pid === undefined) return
      connections = closeUnclaimed(worker)
      void ready.then(() => {
        if (stopping) return
        started = true
        send({ type: 'start', slot: number, config })
      })
    },
    listening,
    ended,
    reload: () => send({ type: 'reload' }),
    ping: () => pings.next(),
    unanswered: () => pings.unanswered(),
    report: (withRowCounts) => reports.ask(() => send({ type: 'report', withRowCounts })),
    stop,
  }

  async function stop(): Promise<void> {
    stopping = true
    endWatch()
    // Before it is ready it would not receive the message, and has nothing to close.
    const patienceMs = started ? config.http.shutdownDelayMs + config.http.drainTimeoutMs + closeGraceMs : 0
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), patienceMs)
    send({ type: 'stop' })
    await ended
    clearTimeout(timer)
  }
}

const takesNone = `the worker gets no more connections, for it may open no more files, so it is replaced: ${raiseOpenFiles}, or lower http.maxConnections`

/** Resolves when the process has ended, or could not be started. `told`: its number, and why it said that it ends. */
function endOf(
  worker: Worker,
  told: () => { readonly slot: number | undefined; readonly reason: ExitReason | undefined },
  log: Log,
): Promise<ExitReason> {
  return new Promise((resolve) => {
    worker.once('exit', (code: number | null, signal: string | null) => {
      const { slot, reason } = told()
      const message = `${nameOf(slot)} ended with ${endingOf(worker.process, code, signal)}`
      resolve(reason ?? { code: exitCodes.internal, message })
    })
    worker.on('error', (error) => {
      // Where there was no process, no `exit` follows.
      if (worker.process.pid === undefined) resolve(notForked(error))
      else log.warn({ err: error, slot: told().slot }, 'the channel to the worker failed')
    })
  })
}

/** Pings a worker once it listens, because its start may take any time, and gives up one that leaves several unanswered. */
function createPings(send: () => void, giveUp: () => void) {
  let misses: number | undefined
  return {
    answered(): void {
      misses = 0
    },
    unanswered: () => misses ?? 0,
    next(): void {
      if (misses === undefined) return
      misses += 1
      if (misses <= missesAllowed) send()
      else giveUp()
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
    log.error({ err: error }, 'the state of the appliance could not be read')
    send({ type: 'state', state: undefined })
  }
}

/** Messages that arrive before the process listens to its channel are lost in node:cluster, so wait for this one. */
const readyOf = (worker: Worker): Promise<void> =>
  new Promise((resolve) => {
    worker.on('message', ({ type }: FromWorker) => type === 'ready' && resolve())
  })

const nameOf = (slot: number | undefined): string => (slot === undefined ? 'the spare worker' : `worker ${slot}`)

const notForked = (error: unknown): ExitReason => ({
  code: exitCodes.internal,
  message: `no process for a worker could be started: ${errorMessageOf(error)}`,
})

/** Stands for a process that cluster.fork() could not start: it has ended already. */
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
