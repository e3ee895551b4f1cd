import { createLeakyBucket } from '../../access/leaky-bucket.ts'
import { networkOf } from '../../access/network.ts'
import { Fault } from '../../fault.ts'

/** Rate limit of calls without a caller, per network: a burst of one minute's number, and that number per minute. */
export interface UnidentifiedCallLimit {
  /** @throws Fault `request.too_many` */
  check(address: string): void
  /** Counts a call without a caller that has ended. */
  count(address: string): void
}

export function createUnidentifiedCallLimit(callsPerMinute: number): UnidentifiedCallLimit {
  const bucket = createLeakyBucket({ callsPerInterval: callsPerMinute, intervalMs: 60_000 })
  return {
    check(address) {
      const waitMs = bucket.waitMs(networkOf(address))
      if (waitMs > 0) throw new Fault('request.too_many', undefined, { retryAfterMs: Math.max(1_000, waitMs) })
    },
    count: (address) => bucket.take(networkOf(address)),
  }
}
