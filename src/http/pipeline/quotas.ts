import { Fault } from '../../fault.ts'
import type { QuotaKind } from '../contract/endpoint.ts'

/** Calls of each kind that one user may make in a minute; all users together may make ten times as many. */
export type QuotaRates = Readonly<Record<QuotaKind, number>>

/** Bounds what users have done for them that costs the appliance much more than it costs them. Of this worker. */
export interface Quotas {
  /**
   * Counts a call; what comes back is to be called when it ends.
   * @throws Fault `request.quota`, which says when to try again
   */
  admit(kind: QuotaKind, userId: number): () => void
}

/** How many times what one user may, all may together. */
const inAll = 10

/** Calls that may be under way at once: of one user, and of all together. */
const atOnce: Readonly<Record<QuotaKind, readonly [ofOne: number, ofAll: number]>> = {
  keys: [64, 64 * inAll],
  rsaKeys: [4, 4 * inAll],
  passphrases: [2, 2 * inAll],
  files: [8, 8 * inAll],
  links: [4, 4 * inAll],
  longLists: [2, 2 * inAll],
  // Of many objects they are written one after another (`relocation.ts`): by turns of users, as each has one.
  relocations: [1, inAll],
}

const windowMs = 60_000
const busyRetryMs = 1_000
/** Users that are kept in mind before those who are back at zero are forgotten. */
const mostEntries = 10_000

/** `nowMs`: a clock that never goes back. */
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
 * Generic cell rate algorithm (ITU-T I.371): for each name the time at which its allowance is whole again, which every
 * call puts off by its share of a minute, and never by more than a minute from now.
 */
function createRateBounds(nowMs: () => number) {
  const wholeAt = new Map<string, number>()
  return {
    /** Counts a call for all of these names, or for none. @throws Fault `request.quota` */
    count(bounds: readonly (readonly [name: string, perMinute: number])[]): void {
      const now = nowMs()
      const next = bounds.map(([name, perMinute]) => {
        const at = Math.max(wholeAt.get(name) ?? now, now) + windowMs / perMinute
        // Half a call's share for what is lost in rounding.
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
