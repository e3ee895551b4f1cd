import { createLeakyBucket, type LeakyBucket } from '../../access/leaky-bucket.ts'
import { Fault } from '../../fault.ts'
import type { QuotaKind } from '../contract/endpoint.ts'

/** Calls of each kind per user and minute. All users together may make ten times as many. */
export type QuotaRates = Readonly<Record<QuotaKind, number>>

/** Limits the calls of users that cost the appliance much more than the user. Each worker counts for itself. */
export interface Quotas {
  /** Counts a call; call the result when it ends. @throws Fault `request.quota`, which says when to try again */
  admit(kind: QuotaKind, userId: number): () => void
}

/** The factor between the limit of one user and the limit of all users together. */
const inAll = 10

/** Limits of parallel calls: per user, and for all users together. */
const atOnce: Readonly<Record<QuotaKind, readonly [ofOne: number, ofAll: number]>> = {
  keys: [64, 64 * inAll],
  rsaKeys: [4, 4 * inAll],
  passphrases: [2, 2 * inAll],
  files: [8, 8 * inAll],
  links: [4, 4 * inAll],
  longLists: [2, 2 * inAll],
  // Large relocations run one after another (`relocation.ts`). With one per user, users take turns.
  relocations: [1, inAll],
}

const windowMs = 60_000
const busyRetryMs = 1_000

/** `now`: see `LeakyBucketOptions`. */
export function createQuotas(rates: QuotaRates, now?: () => number): Quotas {
  const countRates = createRateCount(now)
  const underWay = new Map<string, number>()

  const begin = (name: string, limit: number): (() => void) => {
    const count = underWay.get(name) ?? 0
    if (count >= limit) throw refused(busyRetryMs)
    underWay.set(name, count + 1)
    return () => {
      const left = (underWay.get(name) ?? 1) - 1
      if (left > 0) underWay.set(name, left)
      else underWay.delete(name)
    }
  }

  return {
    admit(kind, userId) {
      const own = `${kind} ${userId}`
      const [ofOne, ofAll] = atOnce[kind]
      const endOwn = begin(own, ofOne)
      try {
        const endAll = begin(kind, ofAll)
        try {
          countRates([
            [own, rates[kind]],
            [kind, rates[kind] * inAll],
          ])
        } catch (error) {
          endAll()
          throw error
        }
        return () => (endOwn(), endAll())
      } catch (error) {
        endOwn()
        throw error
      }
    },
  }
}

type RateBound = readonly [name: string, perMinute: number]

/** Counts a call against all of these rates, or against none. @throws Fault `request.quota` */
function createRateCount(now: (() => number) | undefined): (bounds: readonly RateBound[]) => void {
  const buckets = new Map<number, LeakyBucket>()
  const bucketOf = (perMinute: number): LeakyBucket => {
    const bucket =
      buckets.get(perMinute) ?? createLeakyBucket({ callsPerInterval: perMinute, intervalMs: windowMs, now })
    buckets.set(perMinute, bucket)
    return bucket
  }
  return (bounds) => {
    for (const [name, perMinute] of bounds) {
      // Tolerates half a call's share, because of rounding.
      const excessMs = bucketOf(perMinute).waitMs(name) - windowMs / perMinute / 2
      if (excessMs > 0) throw refused(excessMs)
    }
    for (const [name, perMinute] of bounds) bucketOf(perMinute).take(name)
  }
}

const refused = (retryAfterMs: number): Fault => new Fault('request.quota', undefined, { retryAfterMs })
