import type { Clock } from '../clock.ts'
import { Fault } from '../fault.ts'
import type { Tx } from '../store/store.ts'
import { blockedUntil, blockUntil, countAttempt, forgetAttempts, sweepAttempts } from './records.ts'

export interface ThrottleRules {
  readonly freeAttempts: number
  readonly firstDelayMs: number
  readonly longestDelayMs: number
}

export interface Throttle {
  /**
   * Counts an attempt as failed before it is looked at, so that of many parallel tries only the free ones are; a
   * success is forgiven afterwards.
   * @throws Fault `login.throttled` with the time to wait
   */
  count(tx: Tx, username: string, address: string): Promise<void>
  /** A login succeeded: the account's failures from this address are forgotten. */
  forgive(tx: Tx, username: string, address: string): Promise<void>
}

/** One address may try this many times as often as one account from one address: many people share an address. */
const addressAllowance = 10
/** Failures are forgotten after this many of the longest delays without another. */
const memoryDelays = 4

/**
 * Delays that double with each failure, for an account as tried from one address and for an address as a whole. A
 * stranger elsewhere cannot delay the account's owner, and nobody is locked out for good.
 */
export function createThrottle({ clock, rules }: { readonly clock: Clock; readonly rules: ThrottleRules }): Throttle {
  async function countFor(tx: Tx, subject: string, freeAttempts: number, now: number): Promise<void> {
    const failures = await countAttempt(tx, subject, now, now - rules.longestDelayMs * memoryDelays)
    if (failures === undefined) throw throttled((await blockedUntil(tx, subject)) - now)
    if (failures < freeAttempts) return
    const delayMs = Math.min(rules.longestDelayMs, rules.firstDelayMs * 2 ** Math.min(failures - freeAttempts, 30))
    await blockUntil(tx, subject, now + delayMs)
  }

  return {
    async count(tx, username, address) {
      const now = clock.now()
      await sweepAttempts(tx, now - rules.longestDelayMs * memoryDelays)
      await countFor(tx, accountAt(username, address), rules.freeAttempts, now)
      await countFor(tx, anyoneAt(address), rules.freeAttempts * addressAllowance, now)
    },

    async forgive(tx, username, address) {
      await forgetAttempts(tx, accountAt(username, address))
      await forgetAttempts(tx, anyoneAt(address))
    },
  }
}

const accountAt = (username: string, address: string): string => `${username.toLowerCase()} from ${address}`
const anyoneAt = (address: string): string => `anyone from ${address}`

function throttled(waitMs: number): Fault {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new Fault('login.throttled', `Too many failed logins: wait ${seconds} seconds before you try again.`, {
    retryAfterMs: seconds * 1000,
  })
}
