import { LRUCache } from 'lru-cache'
import { createLeakyBucket, mostNames } from '../../access/leaky-bucket.ts'
import { networkOf } from '../../access/network.ts'

export interface RateLimit {
  /** Whether a client at this address may ask now. Refused requests are not counted. */
  allows(address: string): boolean
}

export interface RateLimitOptions {
  /** Per network: the average rate, and the burst. */
  readonly requestsPerSecond: number
  /** Told when a network begins to exceed its rate, once per excess. */
  readonly report: (network: string) => void
  /** See `LeakyBucketOptions`. */
  readonly now?: () => number
}

export function createRateLimit({ requestsPerSecond, report, now }: RateLimitOptions): RateLimit {
  const bucket = createLeakyBucket({ callsPerInterval: requestsPerSecond, intervalMs: 1_000, now })
  const refused = new LRUCache<string, true>({ max: mostNames })

  return {
    allows(address) {
      const network = networkOf(address)
      const isAllowed = bucket.admits(network)
      if (isAllowed) refused.delete(network)
      else {
        if (!refused.has(network)) report(network)
        refused.set(network, true)
      }
      return isAllowed
    },
  }
}
