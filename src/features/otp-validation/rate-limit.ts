import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../clock.ts'

export interface RateLimit {
  /** Whether this address may ask now; what it asks too often is not counted. */
  admit(address: string): boolean
}

export interface RateLimitOptions {
  /** What an address may ask on average, and at once. */
  readonly requestsPerSecond: number
  readonly clock: Clock
  /** Told once when an address begins to ask too often. */
  readonly report: (address: string) => void
}

/** Addresses remembered; beyond that the one that was quiet for longest is forgotten. */
const mostAddresses = 10_000
const burstMs = 1_000

interface Pace {
  /** When all that was admitted would be done at the rate allowed. */
  readonly doneAt: number
  readonly refusing: boolean
}

/** The "leaky bucket as a meter" (ITU-T I.371, GCRA): one number per address. */
export function createRateLimit({ requestsPerSecond, clock, report }: RateLimitOptions): RateLimit {
  const paces = new LRUCache<string, Pace>({ max: mostAddresses })
  const intervalMs = 1_000 / requestsPerSecond

  return {
    admit(address) {
      const now = clock.now()
      const place = placeOf(address)
      const { doneAt, refusing } = paces.get(place) ?? { doneAt: now, refusing: false }
      // Not further ahead than a burst: a clock that was set back must not lock anybody out.
      const from = Math.min(Math.max(doneAt, now), now + burstMs)
      const admitted = from + intervalMs <= now + burstMs
      if (!admitted && !refusing) report(place)
      paces.set(place, { doneAt: admitted ? from + intervalMs : from, refusing: !admitted })
      return admitted
    },
  }
}

/** One IPv4 address, or the network of 64 bits that one customer has of IPv6. */
function placeOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  return `${ipaddr.IPv6.parse(address)
    .parts.slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
