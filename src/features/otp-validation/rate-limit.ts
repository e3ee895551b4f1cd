import { LRUCache } from 'lru-cache'
import { networkOf } from '../../access/network.ts'
import type { Clock } from '../../clock.ts'

export interface RateLimit {
  /** Whether a client at this address may ask now; refused requests are not counted. */
  allows(address: string): boolean
}

/** Networks remembered; beyond that the one that was quiet for longest is forgotten. */
const mostNetworks = 10_000
const burstMs = 1_000

interface Pace {
  /** When all allowed requests would be done at the rate allowed. */
  readonly doneAt: number
  readonly refusing: boolean
}

/** The "leaky bucket as a meter" (ITU-T I.371, GCRA): one number per network. */
export function createRateLimit({
  requestsPerSecond,
  clock,
  report,
}: {
  /** For one network: on average, and at once. */
  readonly requestsPerSecond: number
  readonly clock: Clock
  /** Told once when a network begins to ask too often. */
  readonly report: (network: string) => void
}): RateLimit {
  const paces = new LRUCache<string, Pace>({ max: mostNetworks })
  const intervalMs = 1_000 / requestsPerSecond

  return {
    allows(address) {
      const now = clock.now()
      const network = networkOf(address)
      const { doneAt, refusing } = paces.get(network) ?? { doneAt: now, refusing: false }
      // At most a burst ahead: a clock that was set back must not lock clients out.
      const from = Math.min(Math.max(doneAt, now), now + burstMs)
      const allowed = from + intervalMs <= now + burstMs
      if (!allowed && !refusing) report(network)
      paces.set(network, { doneAt: allowed ? from + intervalMs : from, refusing: !allowed })
      return allowed
    },
  }
}
