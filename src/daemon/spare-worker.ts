import type { Log } from '../log.ts'
import type { WorkerProcess } from './worker-fork.ts'

/**
 * A waiting process with the program loaded, which takes a worker a second of processor time. It has opened nothing,
 * and takes the number of the first worker that ends.
 */
export interface SpareWorker {
  /** The waiting process, or a new one. */
  take(): WorkerProcess
  /** Starts a waiting process soon; not after `close`. */
  fill(): void
  close(): Promise<void>
}

/** The pause after the start of the daemon: until then a starting machine has other work, and a short run needs none. */
const firstPauseMs = 30_000
const pauseMs = 2_000
/** The pause after a waiting process ended by itself, since the next one may do so too. */
const longPauseMs = 30_000

export function createSpareWorker(fork: () => WorkerProcess, log: Log): SpareWorker {
  let waiting: WorkerProcess | undefined
  let timer: NodeJS.Timeout | undefined
  let nextPauseMs = firstPauseMs
  let closed = false

  function fillAfter(ms: number): void {
    if (waiting === undefined && !closed) timer ??= setTimeout(fillNow, ms).unref()
  }

  function fillNow(): void {
    timer = undefined
    const spare = (waiting = fork())
    void spare.ended.then(({ message }) => {
      if (spare !== waiting) return
      waiting = undefined
      log.warn({}, message)
      fillAfter(longPauseMs)
    })
  }

  return {
    take() {
      clearTimeout(timer)
      timer = undefined
      const taken = waiting ?? fork()
      waiting = undefined
      return taken
    },
    fill() {
      fillAfter(nextPauseMs)
      nextPauseMs = pauseMs
    },
    async close() {
      closed = true
      clearTimeout(timer)
      const spare = waiting
      waiting = undefined
      await spare?.stop()
    },
  }
}
