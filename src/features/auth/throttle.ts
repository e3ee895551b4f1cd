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
} from './login-records.ts'

export interface ThrottleRules {
  readonly freeAttempts: number
  readonly firstDelayMs: number
  readonly longestDelayMs: number
}

/** The account that a client tries to log in to, and the client's address. */
export interface Attempt {
  /** By `loginNameOf`. */
  readonly name: string
  /** Undefined where no user has the name. */
  readonly userId: number | undefined
  readonly address: string
}

/**
 * Called after a successful login: clears the counts of limits that do not last, takes only this attempt back from those that do, and
 * remembers the network for the user.
 */
export type ForgiveAttempt = (tx: Tx) => Promise<void>

export interface Throttle {
  /**
   * Counts an attempt as failed before it is checked, so that of many parallel attempts only the free ones are checked;
   * a success is forgiven afterwards. `isHolder`: it comes with a fresh second factor of the user that cannot be
   * guessed, such as a hardware token's.
   * @throws Fault `login.throttled` with the time to wait
   */
  count(tx: Tx, attempt: Attempt, isHolder: boolean): Promise<ForgiveAttempt>
  /** Whether any user has logged in from this network lately; of a second ago where many logins ask it at once. */
  isFamiliar(reader: Reader, network: string): Promise<boolean>
  /** Forgets counts that are too old to matter. */
  sweep(): Promise<void>
}

/** What a limit is counted by. */
interface CountedAttempt {
  readonly name: string
  readonly network: string
  readonly isHolder: boolean
  /** Whether the user has logged in from the network lately. */
  readonly isKnownNetwork: boolean
}

interface Limit {
  readonly applies: (attempt: CountedAttempt) => boolean
  /** Attempts before the first delay, as a multiple of `freeAttempts`. */
  readonly allowance: number
  /** The row that counts, as `login_attempts` has it. The name comes last: it may hold any text that a client sent. */
  readonly key: (attempt: Pick<CountedAttempt, 'name' | 'network'>) => string
  /**
   * Whether a successful login leaves other attempts counted, for as long as the keeper counts as many wrong tries. Without it an
   * attacker could use up the keeper's tries between the user's logins.
   */
  readonly lasts: boolean
}

/** An attacker without the second factor is counted apart from its holder, so that he cannot delay the holder. */
const accountByHolder: Limit = {
  applies: ({ isHolder }) => isHolder,
  allowance: 1,
  key: ({ name }) => `holder of the second factor of ${name}`,
  lasts: false,
}

/** A thief of the second factor would otherwise begin anew with each login of its user, until the keeper refused the user. */
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

/** Many users may share a network. */
const allAccountsPerNetwork: Limit = {
  applies: ({ isHolder }) => !isHolder,
  allowance: 10,
  key: ({ network }) => `anyone from ${network}`,
  lasts: false,
}

/** Bounds an attacker with many networks, and does not delay the user where the user usually logs in. */
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

/** A login that waits for the sweep waits no longer than for these. */
const sweptAtOnce = 500

const retention = {
  /** Failures are forgotten after this many of the longest delays without another. */
  countsInLongestDelays: 4,
  /** How long a network stays known after a login. */
  knownNetworkMs: 90 * 24 * 3_600_000,
} as const

/** Delays failed logins; each failure doubles the delay, by each of the `limits` for itself. */
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
  /** What the keeper forgets in that time; all of it, however much it was, in `lastingMs`. */
  const few = Math.floor(memoryMs / keeper.intervalMs)
  const lastingMs = Math.max(memoryMs, keeper.burst * keeper.intervalMs)
  /** A flood of logins that wait for their turn asks once a network, and not once a login. */
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
    // Workers share the rows, so their times are those of the wall clock. A longer delay was written before it was set back, and is void.
    if (waitMs > 0 && waitMs <= rules.longestDelayMs) throw throttled(waitMs)
    const failures = isForgotten(before, forgettingAt(now, lasts)) ? 1 : before.failures + 1
    const delays = failures - rules.freeAttempts * allowance
    const delayMs = Math.min(rules.longestDelayMs, rules.firstDelayMs * 2 ** Math.min(delays, 30))
    const after = { limitKey, failures, lastAt: now, blockedUntil: delays < 0 ? 0 : now + delayMs }
    await replaceAttempts(tx, after)
    return { before, after, lasts }
  }

  /** Of the attempts that the limit has counted this one, with the delay that it began. */
  async function takeBack(tx: Tx, { before, after }: Counting, now: number): Promise<void> {
    const row = await lockAttempts(tx, after.limitKey, now)
    // What was counted may be forgotten by now, and this attempt with it.
    if (row.failures === 0 || now - after.lastAt >= memoryMs) return
    const isLatest = row.failures === after.failures && row.lastAt === after.lastAt
    const blockedUntil = row.blockedUntil === after.blockedUntil ? 0 : row.blockedUntil
    await replaceAttempts(tx, isLatest ? before : { ...row, failures: row.failures - 1, blockedUntil })
  }

  return {
    async count(tx, { name, userId, address }, isHolder) {
      const now = clock.now()
      const network = networkOf(address)
      const since = now - retention.knownNetworkMs
      const isKnown = !isHolder && (await isKnownNetwork(tx, userId ?? -1, network, since))
      const attempt = { name, network, isHolder, isKnownNetwork: isKnown }
      const counted: Counting[] = []
      for (const limit of limits.filter(({ applies }) => applies(attempt)))
        counted.push(await countFor(tx, limit.key(attempt), limit, now))
      return async (later) => {
        const goodAt = clock.now()
        for (const { key, lasts } of limits) if (!lasts) await forgetAttempts(later, key(attempt))
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

/** What one limit had counted, and has counted with an attempt. */
interface Counting extends Pick<Limit, 'lasts'> {
  readonly before: LoginAttempts
  readonly after: LoginAttempts
}

const isForgotten = ({ failures, lastAt }: LoginAttempts, { few, fewBefore, allBefore }: ForgottenAttempts): boolean =>
  lastAt < allBefore || (lastAt < fewBefore && failures <= few)

function throttled(waitMs: number): Fault {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new Fault('login.throttled', `Too many failed logins: wait ${seconds} seconds before you try again.`, {
    retryAfterMs: seconds * 1000,
  })
}
