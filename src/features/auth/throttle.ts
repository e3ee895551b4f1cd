import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../clock.ts'
import { networkOf } from '../../access/network.ts'
import { Fault } from '../../fault.ts'
import { tryRulesOf } from '../../hsm/try-rules.ts'
import type { Reader, Tx } from '../../store/store.ts'
import {
  forgetAttempts,
  type ForgottenAttempts,
  isFamiliarNetwork,
  isKnownNetwork,
  lockAttempts,
  type LoginAttempts,
  rememberNetwork,
  replaceAttempts,
  sweepAttempts,
} from './login-attempt-records.ts'

export interface ThrottleRules {
  readonly freeAttempts: number
  readonly firstDelayMs: number
  readonly longestDelayMs: number
}

/** The account that a client tries to log in to, and the client's address. */
export interface Attempt {
  /** The name in the form of `loginNameOf`. */
  readonly name: string
  /** Undefined where no user has the name. */
  readonly userId: number | undefined
  readonly address: string
}

/** An attempt whose second factor was looked at. */
export interface ShownAttempt extends Attempt {
  /**
   * Whether the attempt came with a fresh second factor of the user that cannot be guessed, such as an OTP of a hardware
   * token.
   */
  readonly isHolder: boolean
}

/**
 * To be called after a successful login. Clears the counts of the limits that do not last, takes this attempt alone
 * back from those that do, and remembers the network for the user.
 */
export type ForgiveAttempt = (tx: Tx) => Promise<void>

export interface Throttle {
  /**
   * Counts an attempt as failed before it is checked, so that parallel attempts cannot exceed the limit; call the
   * result after a success to take it back.
   * @throws Fault `login.throttled` with the time to wait
   */
  count(tx: Tx, attempt: ShownAttempt): Promise<ForgiveAttempt>
  /** Whether any user has logged in from this network lately. The answer is cached for a second. */
  isFamiliar(reader: Reader, network: string): Promise<boolean>
  /** Forgets counts that are too old to matter. */
  sweep(): Promise<void>
}

/** What the limits look at. */
interface CountedAttempt extends Pick<ShownAttempt, 'isHolder'> {
  /** Hash of the name, as of `hashOfName`. */
  readonly name: string
  readonly network: string
  /** Whether the user has logged in from this network lately. */
  readonly isKnownNetwork: boolean
}

interface Limit {
  readonly applies: (attempt: CountedAttempt) => boolean
  /** Attempts before the first delay, as a multiple of `freeAttempts`. */
  readonly allowance: number
  /** Primary key of the row in `login_attempts` that holds the count. */
  readonly key: (attempt: Pick<CountedAttempt, 'name' | 'network'>) => string
  /**
   * Whether other attempts stay counted after a successful login, for as long as the keeper counts as many wrong tries.
   * Without such a limit an attacker could use up the keeper's tries in between the user's logins.
   */
  readonly lasts: boolean
}

/**
 * Attempts with the user's second factor are counted separately, so that an attacker without it cannot delay its
 * holder.
 */
const accountByHolder: Limit = {
  applies: ({ isHolder }) => isHolder,
  allowance: 1,
  key: ({ name }) => `holder of the second factor of ${name}`,
  lasts: false,
}

/**
 * Bounds a thief of the second factor over several logins of its user; otherwise the count would begin again with each
 * of them, until the keeper refused the user.
 */
const accountByHolderInTime: Limit = {
  applies: ({ isHolder }) => isHolder,
  allowance: 5,
  key: ({ name }) => `holder of the second factor in time of ${name}`,
  lasts: true,
}

const accountPerNetwork: Limit = {
  applies: ({ isHolder }) => !isHolder,
  allowance: 1,
  key: ({ name, network }) => `from ${network}: ${name}`,
  lasts: false,
}

/** The allowance is larger because many users may share a network. */
const allAccountsPerNetwork: Limit = {
  applies: ({ isHolder }) => !isHolder,
  allowance: 10,
  key: ({ network }) => `anyone from ${network}`,
  lasts: false,
}

/**
 * Bounds an attacker who uses many networks. Does not delay users in networks from which they have logged in before.
 */
const accountInUnknownNetworks: Limit = {
  applies: ({ isHolder, isKnownNetwork }) => !isHolder && !isKnownNetwork,
  allowance: 10,
  key: ({ name }) => `from unfamiliar places: ${name}`,
  lasts: true,
}

/** See `docs/decisions/0013-rate-limit-logins-per-network-and-account.md`. */
const limits = [
  accountByHolder,
  accountByHolderInTime,
  accountPerNetwork,
  allAccountsPerNetwork,
  accountInUnknownNetworks,
]

/** Those whose counts a successful login clears. */
const clearedLimits = limits.filter(({ lasts }) => !lasts)

/** Rows deleted per transaction, which bounds how long a login waits for the sweep. */
const sweptAtOnce = 500

const retention = {
  /** Failures are forgotten after this many times `longestDelayMs` without another failure. */
  countsInLongestDelays: 4,
  /** How long a network stays known after a login. */
  knownNetworkMs: 90 * 24 * 3_600_000,
} as const

/** Delays logins after failed ones. Each limit counts separately, and doubles the delay with each failure. */
export function createThrottle({
  transaction,
  clock,
  rules,
}: {
  readonly transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  readonly clock: Clock
  readonly rules: ThrottleRules
}): Throttle {
  const memoryMs = rules.longestDelayMs * retention.countsInLongestDelays
  const keeper = tryRulesOf(rules)
  /**
   * The number of wrong tries that the keeper forgets within `memoryMs`. It forgets any number of them within
   * `lastingMs`.
   */
  const few = Math.floor(memoryMs / keeper.intervalMs)
  const lastingMs = Math.max(memoryMs, keeper.burst * keeper.intervalMs)
  /** Caches one answer per network, so that a flood of waiting logins does not query the database for each. */
  const familiar = new LRUCache<string, boolean, Reader>({
    max: 1_000,
    ttl: 1_000,
    fetchMethod: (network, _, { context }) =>
      isFamiliarNetwork(context, network, clock.now() - retention.knownNetworkMs),
  })

  const forgettingAt = (now: number, lasts: boolean): ForgottenAttempts => ({
    few,
    fewBefore: now - memoryMs,
    allBefore: now - (lasts ? lastingMs : memoryMs),
  })

  async function countFor(tx: Tx, limitKey: string, { allowance, lasts }: Limit, now: number): Promise<Counting> {
    const before = await lockAttempts(tx, limitKey, now)
    const waitMs = before.blockedUntil - now
    // The rows are shared by all workers, so their times are wall-clock times. A wait beyond the longest delay means
    // that the clock was set back since: it is ignored.
    if (waitMs > 0 && waitMs <= rules.longestDelayMs) throw throttled(waitMs)
    const failures = isForgotten(before, forgettingAt(now, lasts)) ? 1 : before.failures + 1
    const delays = failures - rules.freeAttempts * allowance
    const delayMs = Math.min(rules.longestDelayMs, rules.firstDelayMs * 2 ** Math.min(delays, 30))
    const after = { limitKey, failures, lastAt: now, blockedUntil: delays < 0 ? 0 : now + delayMs }
    await replaceAttempts(tx, after)
    return { before, after, lasts }
  }

  /** Removes one attempt, and the delay that it caused, from the count of a limit. */
  async function takeBack(tx: Tx, { before, after }: Counting, now: number): Promise<void> {
    const row = await lockAttempts(tx, after.limitKey, now)
    // The count may have been forgotten meanwhile, this attempt included.
    if (row.failures === 0 || now - after.lastAt >= memoryMs) return
    const isLatest = row.failures === after.failures && row.lastAt === after.lastAt
    const blockedUntil = row.blockedUntil === after.blockedUntil ? 0 : row.blockedUntil
    await replaceAttempts(tx, isLatest ? before : { ...row, failures: row.failures - 1, blockedUntil })
  }

  return {
    async count(tx, { name, userId, address, isHolder }) {
      const now = clock.now()
      const network = networkOf(address)
      const since = now - retention.knownNetworkMs
      const isKnown = !isHolder && (await isKnownNetwork(tx, userId ?? -1, network, since))
      const attempt = { name: hashOfName(name), network, isHolder, isKnownNetwork: isKnown }
      const counted: Counting[] = []
      for (const limit of limits.filter(({ applies }) => applies(attempt)))
        counted.push(await countFor(tx, limit.key(attempt), limit, now))
      return async (later) => {
        const goodAt = clock.now()
        await forgetAttempts(
          later,
          clearedLimits.map(({ key }) => key(attempt)),
        )
        for (const one of counted) if (one.lasts) await takeBack(later, one, goodAt)
        if (userId !== undefined)
          await rememberNetwork(later, { userId, network, lastAt: goodAt }, goodAt - retention.knownNetworkMs)
      }
    },

    isFamiliar: async (reader, network) => (await familiar.fetch(network, { context: reader })) ?? false,

    async sweep() {
      const forgotten = forgettingAt(clock.now(), true)
      while ((await transaction((tx) => sweepAttempts(tx, forgotten, sweptAtOnce))) === sweptAtOnce);
    },
  }
}

/**
 * The form in which a name is stored, since some people type their pass phrase into the field of the name. Of so few
 * bits one text in four billion is the same by chance: a copy of the database confirms a guess from a short list, and
 * leaves a good pass phrase unknown. Two names that share a hash share counts.
 */
const hashOfName = (name: string): string => hash('sha256', name).slice(0, 8)

/** The count of one limit before and after an attempt. */
interface Counting extends Pick<Limit, 'lasts'> {
  readonly before: LoginAttempts
  readonly after: LoginAttempts
}

const isForgotten = ({ failures, lastAt }: LoginAttempts, { few, fewBefore, allBefore }: ForgottenAttempts): boolean =>
  lastAt < allBefore || (lastAt < fewBefore && failures <= few)

function throttled(waitMs: number): Fault {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  const wait = seconds === 1 ? '1 second' : `${seconds} seconds`
  return new Fault('login.throttled', `Too many failed logins: wait ${wait} before you try again.`, {
    retryAfterMs: seconds * 1000,
  })
}
