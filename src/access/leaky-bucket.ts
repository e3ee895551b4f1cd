import { LRUCache } from 'lru-cache'

/** A limit of calls for each network: a burst of an interval's number, and that number an interval. */
export interface LeakyBucket {
  /** How long a further call of this network has to wait; none where it is not above zero. */
  waitMs(network: string): number
  /** Counts a call that has been served, also where it should have waited. */
  take(network: string): void
  /** Counts a call that may come now; false, and not counted, for one that has to wait. */
  admits(network: string): boolean
}

export interface LeakyBucketOptions {
  readonly callsPerInterval: number
  readonly intervalMs: number
  /** In milliseconds; by default of a clock that cannot be set back, which would lock networks out. */
  readonly now?: () => number
}

/** Networks remembered; beyond that the one that was quiet for longest is forgotten. */
export const mostNetworks = 10_000

/** The "leaky bucket as a meter" (ITU-T I.371, GCRA): one number per network. */
export function createLeakyBucket(options: LeakyBucketOptions): LeakyBucket {
  const { callsPerInterval, intervalMs, now = () => performance.now() } = options
  /** When all calls of a network would be done at the rate allowed. */
  const doneAt = new LRUCache<string, number>({ max: mostNetworks })
  const perCallMs = intervalMs / callsPerInterval

  /** The same with one call more. */
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
