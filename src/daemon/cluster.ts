import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/schema.ts'
import type { Log } from '../log.ts'
import type { ApplianceState } from '../features/utils/appliance-state.ts'
import type { WorkerObservation } from '../monitor/observation.ts'
import { takeTurns } from './connection-turns.ts'
import { ExitError } from './exit.ts'
import { createSpareWorker, type SpareWorker } from './spare-worker.ts'
import { forkWorker, type WorkerProcess } from './worker-fork.ts'
import type { Listening } from './worker-process.ts'

export interface ClusterOptions {
  readonly config: Config
  /** JavaScript file of a worker process, which calls `runWorker`. */
  readonly workerEntry: string
  /** The state of the appliance, for workers that ask. */
  readonly state: () => Promise<ApplianceState>
  readonly clock: Clock
  readonly log: Log
  /** Time between two pings of each worker. */
  readonly heartbeatMs?: number
}

/** The workers of the daemon, which share one port. This process has no key, no PIN and no certificate. */
export interface Cluster {
  /** Resolves when every worker listens; rejects with ExitError when one of them cannot. */
  start(): Promise<Listening & { readonly workers: number }>
  /** Makes every worker read the server certificate again. */
  reload(): void
  /** The state of each worker. The first one that listens also counts rows. */
  look(): Promise<WorkerObservation[]>
  /** Whether the workers are being watched, and each one that listens has answered within the last minute. */
  isLive(): boolean
  /** Drains and ends every worker. */
  stop(): Promise<void>
}

export function createCluster({
  config,
  workerEntry,
  state,
  clock,
  log,
  heartbeatMs = 5_000,
}: ClusterOptions): Cluster {
  const workers = config.http.workers === 0 ? availableParallelism() : config.http.workers
  const spare = createSpareWorker(() => forkWorker({ entry: workerEntry, config, state, log }), log)
  const fillSpare = (): void => {
    // Not while a worker itself loads the program, which would slow it down.
    if (slots.every((slot) => slot.isListening())) spare.fill()
  }
  const slots = Array.from({ length: workers }, (_, index) =>
    createWorkerSlot({ number: index + 1, spare, listens: fillSpare, clock, log }),
  )
  let heartbeat: NodeJS.Timeout | undefined
  let beatAt = performance.now()
  const beat = (): void => {
    beatAt = performance.now()
    slots.forEach((slot) => slot.ping())
  }

  return {
    async start() {
      takeTurns(config.http, log)
      const [first, ...others] = slots
      // The first worker starts alone: it migrates the tables, and a wrong configuration is then reported once.
      const listening = (await first?.start()) ?? { port: config.http.port, listeners: [] }
      await Promise.all(others.map((slot) => slot.start()))
      beat()
      heartbeat = setInterval(beat, heartbeatMs)
      return { ...listening, workers }
    },
    reload: () => slots.forEach((slot) => slot.reload()),
    look: () => {
      const first = slots.find((slot) => slot.isListening())
      return Promise.all(slots.map((slot) => slot.look(slot === first)))
    },
    isLive() {
      const isWatching = heartbeat === undefined || performance.now() - beatAt < longestSilenceMs
      return isWatching && slots.every((slot) => slot.unanswered() * heartbeatMs < longestSilenceMs)
    },
    async stop() {
      clearInterval(heartbeat)
      // The watch would report workers whose last calls take long.
      heartbeat = undefined
      await Promise.all([...slots.map((slot) => slot.stop()), spare.close()])
    },
  }
}

const firstDelayMs = 250
const longestDelayMs = 30_000
/** A worker that ran this long did not crash for the same reason as the one before. */
const stableMs = 60_000
/** A worker that is silent this long should have been killed, and has not ended. */
const longestSilenceMs = 60_000

interface WorkerSlotOptions {
  readonly number: number
  readonly spare: Pick<SpareWorker, 'take'>
  /** Told of each worker process that begins to listen. */
  readonly listens: () => void
  readonly clock: Clock
  readonly log: Log
}

/** Keeps one worker running: when its process exits, a new one takes its number. */
interface WorkerSlot {
  /** Resolves when the first process listens; rejects with ExitError when it ends before. */
  start(): Promise<Listening>
  isListening(): boolean
  reload(): void
  ping(): void
  look(withRowCounts: boolean): Promise<WorkerObservation>
  /** Number of unanswered pings. */
  unanswered(): number
  /** Resolves when the process has ended; it is killed when it takes too long. */
  stop(): Promise<void>
}

function createWorkerSlot({ number: slot, spare, listens, clock, log }: WorkerSlotOptions): WorkerSlot {
  let current: WorkerProcess | undefined
  let isListening = false
  let stopping = false
  let restarts = 0

  function begin(): WorkerProcess {
    const worker = (current = spare.take())
    worker.begin(slot)
    void worker.listening.then(() => {
      isListening = true
      listens()
    })
    return worker
  }

  async function keepAlive(first: WorkerProcess): Promise<void> {
    let worker = first
    for (let crashes = 0, startedAt = clock.now(); ; startedAt = clock.now()) {
      const { code, message } = await worker.ended
      isListening = false
      if (stopping) return
      crashes = clock.now() - startedAt > stableMs ? 0 : crashes + 1
      // The first restart is immediate.
      const delayMs = crashes < 2 ? 0 : Math.min(firstDelayMs * 2 ** (crashes - 2), longestDelayMs)
      log.error({ slot, exitCode: code, delayMs }, `${message}; the next one starts soon`)
      await delay(delayMs, undefined, { ref: false })
      if (stopping) return
      restarts += 1
      worker = begin()
    }
  }

  return {
    async start() {
      const worker = begin()
      const first = await Promise.race([worker.listening, worker.ended])
      if ('code' in first) throw new ExitError(first)
      void keepAlive(worker)
      return first
    },
    isListening: () => isListening,
    reload: () => current?.reload(),
    ping: () => current?.ping(),
    async look(withRowCounts) {
      const report = isListening ? await current?.report(withRowCounts) : undefined
      return { number: slot, isListening, restarts, report }
    },
    unanswered: () => current?.unanswered() ?? 0,
    async stop() {
      stopping = true
      await current?.stop()
    },
  }
}
