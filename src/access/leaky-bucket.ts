import { createRecentMap } from '../recent-map.ts'

/** A rate limit for each name: a burst of one interval's number of calls, and that number per interval. */
export interface LeakyBucket {
  /** Milliseconds that the next call of this name has to wait; not above zero where it need not. */
  waitMs(name: string): number
  /** Counts a call that was served, even if it should have waited. */
  take(name: string): void
  /** Counts a call if it is allowed now; otherwise false, and it is not counted. */
  admits(name: string): boolean
}

export interface LeakyBucketOptions {
  readonly callsPerInterval: number
  readonly intervalMs: number
  /** Milliseconds; by default of a monotonic clock, since one that was set back would lock callers out. */
  readonly now?: (() => number) | undefined
}

/** Number of names in memory; the least recently active one is dropped. */
export const mostNames = 10_000

/** The "leaky bucket as a meter" (ITU-T I.371, GCRA), which stores one number per name. */
export function createLeakyBucket(options: LeakyBucketOptions): LeakyBucket {
  const { callsPerInterval, intervalMs, now = () => performance.now() } = options
  /** The time at which all calls of a name so far would be done at the allowed rate. */
  const doneAt = createRecentMap<number>({ limit: mostNames })
  const perCallMs = intervalMs / callsPerInterval

  /** The same after one more call. */
  const doneAfterNext = (name: string): number => Math.max(doneAt.get(name) ?? 0, now()) + perCallMs
  const waitMs = (name: string): number => doneAfterNext(name) - now() - intervalMs
  const take = (name: string): void => doneAt.set(name, doneAfterNext(name))

  return {
    waitMs,
    take,
    admits(name) {
      if (waitMs(name) > 0) return false
      take(name)
      return true
    },
  }
}
