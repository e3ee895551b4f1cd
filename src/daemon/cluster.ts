import type { ChildProcess, Serializable } from 'node:child_process'
import cluster, { type Worker } from 'node:cluster'
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/schema.ts'
import type { Log } from '../log.ts'
import { ExitError, exitCodes, type ExitReason } from './exit.ts'
import type { FromWorker, ToWorker } from './worker-process.ts'

export interface ClusterOptions {
  readonly config: Config
  /** JavaScript file that a worker process runs; it calls `runWorker`. */
  readonly workerEntry: string
  readonly clock: Clock
  readonly log: Log
  /** Time between two pings of each worker. */
  readonly heartbeatMs?: number
}

/** The workers of the daemon, all behind one port. This process holds no key, no PIN and no certificate. */
export interface Cluster {
  /** Resolves when every worker listens; rejects with ExitError when one of them cannot. */
  start(): Promise<{ readonly port: number; readonly workers: number }>
  /** Has every worker read the server certificate again. */
  reload(): void
  /** Drains and ends every worker. */
  stop(): Promise<void>
}

export function createCluster({ config, workerEntry, clock, log, heartbeatMs = 5_000 }: ClusterOptions): Cluster {
  const workers = config.http.workers === 0 ? availableParallelism() : config.http.workers
  const slots = Array.from({ length: workers }, (_, index) =>
    createWorkerSlot({ number: index + 1, entry: workerEntry, config, clock, log }),
  )
  let heartbeat: NodeJS.Timeout | undefined

  return {
    async start() {
      const [first, ...others] = slots
      // One before all others: it brings the tables up to date, and a wrong configuration is reported once.
      const port = (await first?.start()) ?? config.http.port
      await Promise.all(others.map((slot) => slot.start()))
      heartbeat = setInterval(() => slots.forEach((slot) => slot.ping()), heartbeatMs)
      return { port, workers }
    },
    reload: () => slots.forEach((slot) => slot.reload()),
    async stop() {
      clearInterval(heartbeat)
      await Promise.all(slots.map((slot) => slot.stop()))
    },
  }
}

const firstDelayMs = 250
const longestDelayMs = 30_000
/** A worker that ran this long did not crash for the reason of the one before it. */
const stableMs = 60_000
/** How much longer than its calls a worker may take to stop. */
const closeGraceMs = 5_000
const missesAllowed = 3

export interface WorkerSlotOptions {
  readonly number: number
  /** JavaScript file that a worker process runs. */
  readonly entry: string
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
}

/** Keeps one worker running: when its process exits, the next one takes the same number. */
export interface WorkerSlot {
  /** Resolves with the port when the first process listens; rejects with ExitError when that one ends before. */
  start(): Promise<number>
  reload(): void
  /** Asks whether the worker still answers, and kills one that left several pings unanswered. */
  ping(): void
  /** Resolves when the process has ended; it is killed when it takes too long. */
  stop(): Promise<void>
}

function createWorkerSlot(options: WorkerSlotOptions): WorkerSlot {
  const { number: slot, clock, log } = options
  let current: WorkerProcess | undefined
  let stopping = false

  async function keepAlive(first: WorkerProcess): Promise<void> {
    let worker = first
    for (let crashes = 0, startedAt = clock.now(); ; startedAt = clock.now()) {
      const { code, message } = await worker.ended
      if (stopping) return
      crashes = clock.now() - startedAt > stableMs ? 0 : crashes + 1
      const delayMs = Math.min(firstDelayMs * 2 ** crashes, longestDelayMs)
      log.error({ slot, exitCode: code, delayMs }, `${message}; the next one starts soon`)
      await delay(delayMs, undefined, { ref: false })
      if (stopping) return
      current = worker = forkWorker(options)
    }
  }

  return {
    async start() {
      const worker = (current = forkWorker(options))
      const port = await Promise.race([worker.listening, worker.ended])
      if (typeof port !== 'number') throw new ExitError(port)
      void keepAlive(worker)
      return port
    },
    reload: () => current?.reload(),
    ping: () => current?.ping(),
    async stop() {
      stopping = true
      await current?.stop()
    },
  }
}

interface WorkerProcess {
  readonly listening: Promise<number>
  readonly ended: Promise<ExitReason>
  reload(): void
  ping(): void
  stop(): Promise<void>
}

function forkWorker({ number: slot, entry, config, log }: WorkerSlotOptions): WorkerProcess {
  cluster.setupPrimary({ exec: entry, args: [String(slot)] })
  const worker = cluster.fork()
  closeUnclaimed(worker)
  let misses: number | undefined
  let reason: ExitReason | undefined
  const send = (message: ToWorker): void => void (worker.isConnected() && worker.send(message))
  const kill = (): void => void worker.process.kill('SIGKILL')

  const listening = new Promise<number>((resolve) => {
    worker.on('message', (message: FromWorker) => {
      // Not earlier: node:cluster drops what reaches a process that has not begun to listen.
      if (message.type === 'ready') send({ type: 'start', config })
      if (message.type === 'pong') misses = 0
      if (message.type === 'failed') reason = message.reason
      if (message.type !== 'listening') return
      misses = 0
      log.info({ slot, worker: worker.process.pid, port: message.port }, 'worker listens')
      resolve(message.port)
    })
  })
  const ended = new Promise<ExitReason>((resolve) => {
    worker.once('exit', (code: number | null, signal: string | null) => {
      const message = `worker ${slot} ended with ${signal ?? `exit code ${code}`}`
      resolve(reason ?? { code: exitCodes.internal, message })
    })
  })
  worker.on('error', (error) => log.warn({ err: error, slot }, 'the channel to the worker failed'))

  return {
    listening,
    ended,
    reload: () => send({ type: 'reload' }),
    ping() {
      // Until it listens it may take as long as it takes.
      if (misses === undefined) return
      misses += 1
      if (misses <= missesAllowed) return send({ type: 'ping' })
      log.error({ slot }, 'the worker does not answer, so it is killed')
      kill()
    },
    async stop() {
      const timer = setTimeout(kill, config.http.drainTimeoutMs + closeGraceMs)
      send({ type: 'stop' })
      await ended
      clearTimeout(timer)
    },
  }
}

/** Connections that the primary has accepted and that no worker has claimed yet, each with the worker it was sent to. */
const unclaimed = new Map<Handle, ChildProcess>()
/** Workers that may still claim a connection. */
const accepting = new Set<ChildProcess>()

interface Handle {
  close(...then: unknown[]): void
}

/**
 * Closes each connection that no worker will ever serve, so that its client tries again and does not wait in vain.
 * node:cluster keeps two of them open: one that was sent to a worker that dies before it claims it, and one that the
 * last worker refuses after it has closed its listener.
 */
function closeUnclaimed(worker: Worker): void {
  const child = worker.process
  accepting.add(child)
  const send: (...given: never[]) => boolean = child.send.bind(child)
  child.send = (message: Serializable, ...given: unknown[]) => {
    const [handle] = given
    if (isHandle(handle)) {
      if (!unclaimed.has(handle)) forgetWhenClosed(handle)
      unclaimed.set(handle, child)
    }
    return Boolean(Reflect.apply(send, undefined, [message, ...given]))
  }
  const leave = (dead: boolean): void => {
    accepting.delete(child)
    for (const [handle, holder] of unclaimed) {
      if ((dead && holder === child) || accepting.size === 0) handle.close()
    }
  }
  worker.on('message', ({ type }: FromWorker) => type === 'draining' && leave(false))
  child.once('exit', () => leave(true))
}

function forgetWhenClosed(handle: Handle): void {
  const close = handle.close.bind(handle)
  handle.close = (...then: unknown[]) => {
    unclaimed.delete(handle)
    close(...then)
  }
}

function isHandle(value: unknown): value is Handle {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function'
}
