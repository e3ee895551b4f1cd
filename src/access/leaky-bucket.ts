import { LRUCache } from 'lru-cache'

/** A rate limit per network: a burst of one interval's number of calls, and that number per interval. */
export interface LeakyBucket {
  /** Milliseconds that the next call of this network has to wait; not above zero where it need not. */
  waitMs(network: string): number
  /** Counts a call that was served, even if it should have waited. */
  take(network: string): void
  /** Counts a call if it is allowed now; otherwise false, and it is not counted. */
  admits(network: string): boolean
}

export interface LeakyBucketOptions {
  readonly callsPerInterval: number
  readonly intervalMs: number
  /** Milliseconds; by default of a monotonic clock, since one that was set back would lock networks out. */
  readonly now?: () => number
}

/** Number of networks in memory; the least recently active one is dropped. */
export const mostNetworks = 10_000

/** The "leaky bucket as a meter" (ITU-T I.371, GCRA), which stores one number per network. */
export function createLeakyBucket(options: LeakyBucketOptions): LeakyBucket {
  const { callsPerInterval, intervalMs, now = () => performance.now() } = options
  /** The time at which all calls of a network so far would be done at the allowed rate. */
  const doneAt = new LRUCache<string, number>({ max: mostNetworks })
  const perCallMs = intervalMs / callsPerInterval

  /** The same after one more call. */
  const doneAfterNext = (network: string, nowMs: number): number =>
    Math.max(doneAt.get(network) ?? 0, nowMs) + perCallMs

  return {
    waitMs(network) {
      const nowMs = now()
      return doneAfterNext(network, nowMs) - nowMs - intervalMs
    },
    take: (network) => void doneAt.set(network, doneAfterNext(network, now())),
    admits(network) {
      const nowMs = now()
      const next = doneAfterNext(network, nowMs)
      if (next > nowMs + intervalMs) return false
      doneAt.set(network, next)
      return true
    },
  }
}
