import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Tx } from '../../store/store.ts'
import { networkOf } from './network.ts'
import {
  blockedUntil,
  blockUntil,
  countAttempt,
  forgetAttempts,
  isFamiliar,
  rememberPlace,
  sweepAttempts,
} from './login-records.ts'

export interface ThrottleRules {
  readonly freeAttempts: number
  readonly firstDelayMs: number
  readonly longestDelayMs: number
}

/** Who tries, from where. */
export interface Attempt {
  /** By `loginNameOf`. */
  readonly name: string
  /** Undefined where nobody has the name. */
  readonly userId: number | undefined
  readonly address: string
}

export interface Throttle {
  /**
   * Counts an attempt as failed before it is looked at, so that of many parallel tries only the free ones are; a
   * success is forgiven afterwards. `isHolder`: it shows a fresh second factor of the user that nobody can guess, as a hardware
   * token's is.
   * @throws Fault `login.throttled` with the time to wait
   */
  count(tx: Tx, attempt: Attempt, isHolder: boolean): Promise<void>
  /** It succeeded: what failed before is forgotten, and the place is familiar to the user from now on. */
  forgive(tx: Tx, attempt: Attempt): Promise<void>
  /** Forgets what is too old to count. */
  sweep(): Promise<void>
}

export interface ThrottleDependencies {
  readonly transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  readonly clock: Clock
  readonly rules: ThrottleRules
}

/** One place, and one account from places where it was never at home, may try this many times as often: many people share them. */
const sharedAllowance = 10
/** Failures are forgotten after this many of the longest delays without another. */
const memoryDelays = 4
/** How long a place stays familiar after a login. */
const familiarMs = 90 * 24 * 3_600_000

/**
 * Delays that double with each failure. Who shows a second factor that cannot be guessed is counted apart, so no stranger
 * can delay him, wherever the stranger tries from; all others are counted per account and place, per place, and per account
 * over all places where it has not logged in before. See `docs/decisions/0013-rate-limit-logins-per-network-and-account.md`.
 */
export function createThrottle({ transaction, clock, rules }: ThrottleDependencies): Throttle {
  const memoryMs = rules.longestDelayMs * memoryDelays

  async function countFor(tx: Tx, subject: string, freeAttempts: number, now: number): Promise<void> {
    const failures = await countAttempt(tx, subject, now, now - memoryMs)
    if (failures === undefined) throw throttled((await blockedUntil(tx, subject)) - now)
    if (failures < freeAttempts) return
    const delayMs = Math.min(rules.longestDelayMs, rules.firstDelayMs * 2 ** Math.min(failures - freeAttempts, 30))
    await blockUntil(tx, subject, now + delayMs)
  }

  return {
    async count(tx, { name, userId, address }, isHolder) {
      const now = clock.now()
      if (isHolder) return countFor(tx, holderOf(name), rules.freeAttempts, now)
      const place = networkOf(address)
      const shared = rules.freeAttempts * sharedAllowance
      await countFor(tx, accountAt(name, place), rules.freeAttempts, now)
      await countFor(tx, anyoneAt(place), shared, now)
      if (!(await isFamiliar(tx, userId ?? -1, place, now - familiarMs)))
        await countFor(tx, accountElsewhere(name), shared, now)
    },

    async forgive(tx, { name, userId, address }) {
      const place = networkOf(address)
      const now = clock.now()
      for (const subject of [holderOf(name), accountAt(name, place), anyoneAt(place), accountElsewhere(name)])
        await forgetAttempts(tx, subject)
      if (userId !== undefined) await rememberPlace(tx, { userId, network: place, lastAt: now }, now - familiarMs)
    },

    sweep: () => transaction((tx) => sweepAttempts(tx, clock.now() - memoryMs)),
  }
}

// The places come last: a name may hold anything that was typed.
const holderOf = (name: string): string => `holder of the second factor of ${name}`
const accountAt = (name: string, place: string): string => `from ${place}: ${name}`
const anyoneAt = (place: string): string => `anyone from ${place}`
const accountElsewhere = (name: string): string => `from unfamiliar places: ${name}`

function throttled(waitMs: number): Fault {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new Fault('login.throttled', `Too many failed logins: wait ${seconds} seconds before you try again.`, {
    retryAfterMs: seconds * 1000,
  })
}
