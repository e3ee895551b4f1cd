import cluster from 'node:cluster'
import type { Worker } from 'node:cluster'
import type { Clock } from './clock.ts'
import type { Config } from './config/schema.ts'
import { EndingError, exitCodes } from './exit.ts'
import type { Ending } from './exit.ts'
import type { Log } from './log.ts'
import type { FromWorker, ToWorker } from './worker-process.ts'

const firstDelayMs = 250
const longestDelayMs = 30_000
/** A worker that lived this long did not die of what killed the one before it. */
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

/** A place for one worker: when its process dies, the next one takes the same number. */
export interface WorkerSlot {
  /** Resolves with the port when the first process listens; rejects with EndingError when that one ends before. */
  start(): Promise<number>
  reload(): void
  /** Asks whether the worker still answers, and kills one that left several such questions unanswered. */
  beat(): void
  /** Resolves when the process has ended; it is killed when it takes too long. */
  stop(): Promise<void>
}

export function createWorkerSlot({ number, entry, config, clock, log }: WorkerSlotOptions): WorkerSlot {
  let worker: Worker | undefined
  let listening = false
  let misses = 0
  let deaths = 0
  let stopping = false
  let respawn: NodeJS.Timeout | undefined

  const send = (message: ToWorker): void => {
    if (worker?.isConnected()) worker.send(message)
  }

  function fork(onListening: (port: number) => void, onEnd: (ending: Ending) => void): void {
    const bornAt = clock.now()
    let ending: Ending | undefined
    cluster.setupPrimary({ exec: entry, args: [String(number)] })
    worker = cluster.fork()
    worker.on('message', (message: FromWorker) => {
      if (message.tells === 'failed') ending = message.ending
      if (message.tells === 'alive') misses = 0
      if (message.tells !== 'listening') return
      listening = true
      onListening(message.port)
    })
    worker.on('error', (error) => log.warn({ err: error, slot: number }, 'the channel to the worker failed'))
    worker.once('exit', (code: number | null, signal: string | null) => {
      worker = undefined
      listening = false
      misses = 0
      deaths = clock.now() - bornAt > stableMs ? 0 : deaths + 1
      onEnd(
        ending ?? { code: exitCodes.internal, message: `worker ${number} ended with ${signal ?? `exit code ${code}`}` },
      )
    })
    send({ do: 'start', config })
  }

  const restart = (ending: Ending): void => {
    if (stopping) return
    const delayMs = Math.min(firstDelayMs * 2 ** deaths, longestDelayMs)
    log.error({ slot: number, exitCode: ending.code, delayMs }, `${ending.message}; the next one starts soon`)
    respawn = setTimeout(
      () => fork((port) => log.info({ slot: number, port }, 'worker listens again'), restart),
      delayMs,
    )
  }

  return {
    start: () =>
      new Promise((resolve, reject) => {
        let begun = false
        const onListening = (port: number): void => {
          begun = true
          resolve(port)
        }
        fork(onListening, (ending) => (begun ? restart(ending) : reject(new EndingError(ending))))
      }),
    reload: () => send({ do: 'reload' }),
    beat() {
      if (!listening) return
      misses += 1
      if (misses <= missesAllowed) return send({ do: 'answer' })
      log.error({ slot: number }, 'the worker does not answer, so it is killed')
      worker?.process.kill('SIGKILL')
    },
    async stop() {
      stopping = true
      clearTimeout(respawn)
      const leaving = worker
      if (leaving === undefined) return
      const ended = new Promise((resolve) => leaving.once('exit', resolve))
      const timer = setTimeout(() => leaving.process.kill('SIGKILL'), config.http.drainTimeoutMs + closeGraceMs)
      send({ do: 'stop' })
      await ended
      clearTimeout(timer)
    },
  }
}
