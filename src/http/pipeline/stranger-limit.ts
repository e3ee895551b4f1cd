import { LRUCache } from 'lru-cache'
import { networkOf } from '../../access/network.ts'
import { Fault } from '../../fault.ts'

/** How many calls without a caller one network may make: a burst of a minute's number, and that number a minute. */
export interface StrangerLimit {
  /** @throws Fault `request.too_many` */
  check(address: string): void
  /** A call has ended, and nobody knows who made it. */
  count(address: string): void
}

/** Networks remembered; beyond that the one that was quiet for longest is forgotten. */
const mostNetworks = 10_000
const burstMs = 60_000

/** The "leaky bucket as a meter" (ITU-T I.371, GCRA), on a clock that nobody sets. */
export function createStrangerLimit(callsPerMinute: number): StrangerLimit {
  /** When all calls of a network would be done at the rate allowed. */
  const doneAt = new LRUCache<string, number>({ max: mostNetworks })
  const intervalMs = burstMs / callsPerMinute

  return {
    check(address) {
      const network = networkOf(address)
      const waitMs = (doneAt.get(network) ?? 0) + intervalMs - performance.now() - burstMs
      if (waitMs > 0) throw new Fault('request.too_many', undefined, { retryAfterMs: Math.max(1_000, waitMs) })
    },
    count(address) {
      const network = networkOf(address)
      doneAt.set(network, Math.max(doneAt.get(network) ?? 0, performance.now()) + intervalMs)
    },
  }
}
