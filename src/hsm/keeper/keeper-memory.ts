import { hostname } from 'node:os'
import { createLeakyBucket, type LeakyBucketOptions } from '../../access/leaky-bucket.ts'
import { passkeyRulesOf } from '../../config/passkey-section.ts'
import { isOwnChain } from '../../config/chain-name.ts'
import type { Config } from '../../config/schema.ts'
import { Fault } from '../../fault.ts'
import { isOfRelease020 } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { rotationMs } from '../rotation-due.ts'
import { tryRulesOf } from '../try-rules.ts'
import { type AccountIds, createAccountIds } from './account-ids.ts'
import { createAuditEnds, type AuditEnds } from './audit-ends.ts'
import { createAuditKeys, type AuditKeys } from './signing-keys.ts'
import { type BegunSessions, createBegunSessions } from './begun-sessions.ts'
import { createEndedSessions, createUsedAssertions, type ExpiringSet } from './expiring-set.ts'
import { createFloorExchange, type Exchanged, type FloorExchange } from './floor-exchange.ts'
import { createFirstCounts, type FirstCounts } from './first-counts.ts'
import type { Clocks } from './first-records.ts'
import { openFloors, type WritableFloors } from './floors.ts'
import { createFreshKeys, type FreshKeys } from './fresh-keys.ts'
import { type KeeperState, openKeeperState } from './keeper-state.ts'
import { openKeptRights } from './kept-rights.ts'
import { lowerRoots, mayBeTold } from './known-roots.ts'
import { createLogins, type LogIn } from './logins.ts'
import { createOtpJudge, type OtpJudge } from './otp-judge.ts'
import { createPasskeyJudge, type PasskeyJudge } from './passkey-judge.ts'
import { createPassphraseJudge, type PassphraseJudge } from './passphrase-judge.ts'
import type { RuleContext } from './record-change.ts'
import { createSealedRecords, type SealedRecords } from './sealed-records.ts'
import { createServiceLogins, type LogInService } from './service-logins.ts'
import { copyState } from './state-copy.ts'
import { createRecoverers, type Recoverers } from './recoverers.ts'
import { createReplacedTokens, type ReplacedTokens } from './replaced-tokens.ts'
import { createShownRights, type ShownRights } from './shown-rights.ts'
import { createTakeover, type Takeover } from './takeover.ts'
import { createTryLimit } from './try-limit.ts'
import { createUsedOtps } from './used-otps.ts'
import { createUsedProvenance, type UsedProvenance } from './used-provenance.ts'
import { createVaultNumbers, type VaultNumbers } from './vault-numbers.ts'

/**
 * The memory of the keeper, on which its decisions depend. `docs/architecture.md` ("What the keeper remembers") says what
 * each part refuses, and until when.
 */
export interface KeeperMemory {
  readonly auditEnds: AuditEnds
  readonly auditKeys: AuditKeys
  readonly usedProvenance: UsedProvenance
  readonly freshKeys: FreshKeys
  readonly floors: WritableFloors
  readonly exchange: FloorExchange
  readonly endedSessions: ExpiringSet
  readonly begunSessions: BegunSessions
  readonly replacedTokens: ReplacedTokens
  readonly shownRights: ShownRights
  readonly accountIds: AccountIds
  readonly vaultNumbers: VaultNumbers
  readonly sealedRecords: SealedRecords
  readonly firstCounts: FirstCounts
  readonly otps: OtpJudge
  /** Counts a link of this user: each of them stays in the file. @throws Fault `request.quota` */
  readonly countLink: (user: Buffer) => void
  /** Counts an object in the token for a rotation of this key without a caller. @throws Fault `request.quota` */
  readonly countRotation: (key: Buffer) => void
  readonly recoverers: Recoverers
  readonly takeover: Takeover
  readonly recovery: RuleContext['recovery']
  readonly recoveryWindowMs: number
  readonly longestSessionMs: number
  readonly now: () => number
  readonly passkeys: PasskeyJudge
  readonly passphrases: PassphraseJudge
  readonly logIn: LogIn
  readonly logInService: LogInService
  /** Leaves a copy of the keeper's file: see `state-copy.ts`. */
  readonly copyState: (to: string | undefined) => void
  /**
   * Runs the requests in one transaction: their changes are on the disk, with one sync per file, when this returns;
   * none is if it throws.
   */
  together(requests: () => void): void
  close(): void
}

/** A thousand links of one user at once, and then as many as ten workers let one user make. */
function createLinkLimit({ linksPerMinute }: Config['quotas'], elapsed: Clocks['elapsed']): KeeperMemory['countLink'] {
  const atOnce = 1_000
  const intervalMs = (atOnce * 60_000) / (10 * linksPerMinute)
  return createLimit({ callsPerInterval: atOnce, intervalMs, now: elapsed })
}

/** Two objects for rotations of one key at once, and then one in each time that such a rotation may take. */
const createRotationLimit = (elapsed: Clocks['elapsed']): KeeperMemory['countRotation'] =>
  createLimit({ callsPerInterval: 2, intervalMs: 2 * rotationMs, now: elapsed })

function createLimit(options: LeakyBucketOptions): (subject: Buffer) => void {
  const bucket = createLeakyBucket(options)
  return (subject) => {
    const name = subject.toString('latin1')
    const retryAfterMs = bucket.waitMs(name)
    if (retryAfterMs > 0) throw new Fault('request.quota', undefined, { retryAfterMs })
    bucket.take(name)
  }
}

export interface KeeperMemoryDependencies extends Clocks {
  readonly token: Token
  readonly files: { readonly state: string; readonly floors: string }
  readonly config: Pick<
    Config,
    'audit' | 'http' | 'login' | 'otp' | 'quotas' | 'service' | 'session' | 'smartcard' | 'transparent' | 'users'
  >
  /** Told of conditions that an operator should attend to. */
  readonly report: (sentence: string) => void
}

/** Opens the files. Throws while another keeper has them open. */
export function openKeeperMemory(on: KeeperMemoryDependencies): KeeperMemory {
  const { token, files, config, now, elapsed, report } = on
  const state = openKeeperState(files.state)
  const floors = openFloors(files.floors)
  const lasting = lastingClock({ now, elapsed })
  const tries = createTryLimit(state, tryRulesOf(config.login), { now, lasting }, report)
  const used = createUsedOtps(state)
  const sessions = openSessions(state, config, { now: lasting, elapsed })
  const { endedSessions, begunSessions } = sessions
  const otps = createOtpJudge({ token, used, tries, rules: config.otp, now })
  const passphrases = createPassphraseJudge(token, tries)
  const recoverers = createRecoverers(state)
  const newest = openNewestRecords(state, { floors, recoverers }, { now, elapsed, lasting })
  const judges = { token, ...newest, begunSessions, now }
  const usedAssertions = createUsedAssertions(state, lasting)
  const passkeys = createPasskeyJudge({ token, used, usedAssertions, rules: passkeyRulesOf(config), now })
  const longestSessionMs = config.session.absoluteTimeoutMs
  const smartcards = config.smartcard?.enabled === true
  const auditKeys = createAuditKeys(token, state, now)
  const exchange = createFloorExchange({
    token,
    state,
    exchanged: { floor: toldFloors(newest), session: endedSessions, otp: used, assertion: usedAssertions },
    forgetFloors: (at, isElsewhere) => forgetNewest({ token, ...newest }, at, isElsewhere),
    name: config.audit.machine ?? hostname(),
    now,
    elapsed,
    report,
  })
  return {
    auditKeys,
    auditEnds: createAuditEnds({ state, ...auditKeys, ...machineOf(config, exchange), now }),
    // By the clock of the machine, as hosts name the time.
    usedProvenance: createUsedProvenance(state, () => Date.now()),
    freshKeys: createFreshKeys(floors, now),
    ...newest,
    exchange,
    ...sessions,
    firstCounts: createFirstCounts(state),
    recoverers,
    takeover: createTakeover({ state, floors, isTokenOfRelease020: () => isOfRelease020(token) }),
    recovery: config.users.recovery,
    recoveryWindowMs: config.transparent.recoveryWindowMs,
    now,
    otps,
    countLink: createLinkLimit(config.quotas, elapsed),
    countRotation: createRotationLimit(elapsed),
    passkeys,
    passphrases,
    copyState: (to) => copyState(state, to),
    logIn: createLogins({ ...judges, otps, passkeys, passphrases, longestSessionMs, smartcards }),
    logInService: createServiceLogins({ ...judges, rules: config.service, certificates: smartcards, usedAssertions }),
    // Floors are committed first: news from another keeper is marked as taken in in the other file, and would not be
    // reported again.
    together: state.transaction((requests: () => void) => floors.together(requests)),
    close() {
      state.close()
      floors.close()
    },
  }
}

/**
 * By which it is forgotten what was used or ended: not ahead of what has passed since the start, so that a clock that is
 * set ahead, and right again, makes nothing good again.
 */
function lastingClock({ now, elapsed }: Clocks): () => number {
  const startedAt = now() - elapsed()
  return () => Math.min(now(), startedAt + elapsed())
}

const machineOf = (config: Pick<Config, 'audit'>, exchange: FloorExchange) => ({
  machine: () => exchange.standing().machine,
  isOwn: (chain: string) => isOwnChain(config, chain),
})

type Sessions = Pick<KeeperMemory, 'endedSessions' | 'begunSessions' | 'replacedTokens' | 'longestSessionMs'>

const openSessions = (
  state: KeeperState,
  { session, service }: Pick<Config, 'session' | 'service'>,
  clocks: Clocks,
): Sessions => ({
  endedSessions: createEndedSessions(state, clocks.now),
  begunSessions: createBegunSessions(state, clocks.now),
  replacedTokens: createReplacedTokens(state, session.rotation === 'strict', clocks),
  longestSessionMs: Math.max(session.absoluteTimeoutMs, service.sessionMs),
})

/** Floors that other keepers report tell of newer records, too. */
const toldFloors = ({ floors, shownRights }: Pick<Newest, 'floors' | 'shownRights'>): Exchanged['floor'] => ({
  risen: floors.risen,
  take(subject, number) {
    if (!mayBeTold(subject, number)) return
    if ((floors.of(subject) ?? 0) < number) shownRights.noteTold(subject, number)
    floors.take(subject, number)
  },
})

type Newest = Pick<KeeperMemory, 'floors' | 'sealedRecords' | 'shownRights' | 'accountIds' | 'vaultNumbers'>

function forgetNewest(
  { token, sealedRecords, floors, ...others }: Newest & { readonly token: Token },
  at: number,
  isElsewhere: boolean,
): void {
  sealedRecords.forget(at)
  floors.forget(isElsewhere ? at : undefined)
  lowerRoots(token, floors)
  for (const other of Object.values(others)) other.forget()
}

/** The stores that determine which records are the newest. All of them are forgotten together. */
function openNewestRecords(
  state: KeeperState,
  { floors, recoverers }: Pick<KeeperMemory, 'floors' | 'recoverers'>,
  { lasting, ...clocks }: Clocks & { readonly lasting: () => number },
): Newest {
  return {
    floors,
    sealedRecords: createSealedRecords(state, floors, clocks, recoverers),
    shownRights: createShownRights(openKeptRights(floors, lasting), clocks.now),
    accountIds: createAccountIds(state),
    vaultNumbers: createVaultNumbers(state),
  }
}
