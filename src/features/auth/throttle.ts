import { LRUCache } from 'lru-cache'
import type { Clock } from '../../clock.ts'
import { networkOf } from '../../access/network.ts'
import { Fault } from '../../fault.ts'
import { tryRulesOf } from '../../hsm/try-rules.ts'
import type { Reader, Tx } from '../../store/store.ts'
import {
  blockedUntil,
  blockUntil,
  countAttempt,
  forgetAttempts,
  type ForgottenAttempts,
  isFamiliarNetwork,
  isKnownNetwork,
  rememberNetwork,
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

export interface Throttle {
  /**
   * Counts an attempt as failed before it is checked, so that of many parallel attempts only the free ones are checked;
   * a success is forgiven afterwards. `isHolder`: it comes with a fresh second factor of the user that cannot be
   * guessed, such as a hardware token's.
   * @throws Fault `login.throttled` with the time to wait
   */
  count(tx: Tx, attempt: Attempt, isHolder: boolean): Promise<void>
  /** It succeeded: its counts are forgotten but for what lasts, and its network is known for the user from now on. */
  forgive(tx: Tx, attempt: Attempt): Promise<void>
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
   * Whether a success leaves its count, which is then forgotten no sooner than the keeper forgets as many wrong tries: strangers would
   * otherwise use those up, and the keeper would refuse the user, wherever the login comes from.
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
const limits = [accountByHolder, accountPerNetwork, allAccountsPerNetwork, accountInUnknownNetworks]

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

  async function countFor(tx: Tx, key: string, { allowance, lasts }: Limit, now: number): Promise<void> {
    // Workers share the rows, so their times are those of the wall clock, which may be set back.
    const forgotten = forgettingAt(now, lasts)
    const failures = await countAttempt(tx, key, { now, forgotten, latestEnd: now + rules.longestDelayMs })
    const freeAttempts = rules.freeAttempts * allowance
    if (failures === undefined) throw throttled((await blockedUntil(tx, key)) - now)
    if (failures < freeAttempts) return
    const delayMs = Math.min(rules.longestDelayMs, rules.firstDelayMs * 2 ** Math.min(failures - freeAttempts, 30))
    await blockUntil(tx, key, now + delayMs)
  }

  return {
    async count(tx, { name, userId, address }, isHolder) {
      const now = clock.now()
      const network = networkOf(address)
      const since = now - retention.knownNetworkMs
      const isKnown = !isHolder && (await isKnownNetwork(tx, userId ?? -1, network, since))
      const attempt = { name, network, isHolder, isKnownNetwork: isKnown }
      for (const limit of limits.filter(({ applies }) => applies(attempt)))
        await countFor(tx, limit.key(attempt), limit, now)
    },

    async forgive(tx, { name, userId, address }) {
      const network = networkOf(address)
      const now = clock.now()
      for (const { key, lasts } of limits) if (!lasts) await forgetAttempts(tx, key({ name, network }))
      if (userId !== undefined)
        await rememberNetwork(tx, { userId, network, lastAt: now }, now - retention.knownNetworkMs)
    },

    isFamiliar: async (reader, network) => (await familiar.fetch(network, { context: reader })) ?? false,

    async sweep() {
      const forgotten = forgettingAt(clock.now(), true)
      while ((await transaction((tx) => sweepAttempts(tx, forgotten, sweptAtOnce))) === sweptAtOnce);
    },
  }
}

function throttled(waitMs: number): Fault {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new Fault('login.throttled', `Too many failed logins: wait ${seconds} seconds before you try again.`, {
    retryAfterMs: seconds * 1000,
  })
}
