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
/** Number of entries in memory above which those with a complete allowance are dropped. */
const mostEntries = 10_000

/** `nowMs`: a monotonic clock in milliseconds. */
export function createQuotas(rates: QuotaRates, nowMs: () => number = () => performance.now()): Quotas {
  const rate = createRateBounds(nowMs)
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
          rate.count([
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

/**
 * Generic cell rate algorithm (ITU-T I.371). Stores for each name the time at which its allowance will be complete
 * again. Each call moves that time by its share of a minute, but never to more than a minute from now.
 */
function createRateBounds(nowMs: () => number) {
  const wholeAt = new Map<string, number>()
  return {
    /** Counts a call against all of these limits, or against none. @throws Fault `request.quota` */
    count(bounds: readonly (readonly [name: string, perMinute: number])[]): void {
      const now = nowMs()
      const next = bounds.map(([name, perMinute]) => {
        const at = Math.max(wholeAt.get(name) ?? now, now) + windowMs / perMinute
        // Tolerates half a call's share, because of rounding.
        const excessMs = at - now - windowMs - windowMs / perMinute / 2
        if (excessMs > 0) throw refused(excessMs)
        return [name, at] as const
      })
      for (const [name, at] of next) wholeAt.set(name, at)
      if (wholeAt.size > mostEntries) for (const [name, at] of wholeAt) if (at <= now) wholeAt.delete(name)
    },
  }
}

const refused = (retryAfterMs: number): Fault => new Fault('request.quota', undefined, { retryAfterMs })
