import { setTimeout as delay } from 'node:timers/promises'
import { Fault } from '../fault.ts'

/**
 * The faults of work that another change has overtaken, mostly one of another machine, and how often such work is tried.
 * A row that is outdated again and again is an old row that was put back.
 */
const mostTries: Readonly<Record<string, number>> = { 'store.conflict': 100, 'hsm.outdated': 6 }
const longestMs = 10_000
/** Made even where they take longer than that, as on a busy machine. */
const leastTries = 3
const longestPauseMs = 64

/**
 * Runs work that begins by reading rows, and runs it again where another change came between the reading and the use of
 * them. `isAgain` is false for the first time, for which the caller may have read the rows already.
 */
export async function retryOvertaken<T>(work: (isAgain: boolean) => Promise<T>): Promise<T> {
  const endMs = performance.now() + longestMs
  for (let tried = 1; ; tried++) {
    try {
      return await work(tried > 1)
    } catch (error) {
      const most = error instanceof Fault ? (mostTries[error.code] ?? 1) : 1
      const isTooLate = performance.now() > endMs && tried >= leastTries
      if (tried >= most || isTooLate) throw error
    }
    // A random pause, so that those that collided do not collide again.
    await delay(Math.random() * Math.min(2 ** tried, longestPauseMs))
  }
}
