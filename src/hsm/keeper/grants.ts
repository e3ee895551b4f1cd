import { mayLogIn } from '../../access/capabilities.ts'
import { longestGrantMs } from '../../access/decision.ts'
import { sessionTokenHash } from '../../access/session-token-form.ts'
import { Fault, isFault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import { seal } from '../pkcs11/seal-operations.ts'
import { composeRecord, type FieldsOf, type OpenedRecord, type RecordType } from '../record-layouts.ts'
import { listLimits } from '../protocol/fields.ts'
import type { RequestFields } from '../server/request-fields.ts'
import type { BegunSessions } from './begun-sessions.ts'
import type { ExpiringSet } from './expiring-set.ts'
import { hasEnded, readServiceAccount } from '../service-account.ts'
import type { KeeperHandlers } from './keeper-handlers.ts'
import { accountTypes, committedShown, type NewestRecords, shown } from './shown-record.ts'
import type { ReplacedTokens } from './replaced-tokens.ts'
import type { VaultNumbers } from './vault-numbers.ts'

type Opened<T extends RecordType> = Extract<OpenedRecord, { type: T }>

const sessionTypes = ['session', 'service session'] as const
const membershipTypes = ['membership', 'scoped membership'] as const

export interface GrantDependencies extends NewestRecords {
  readonly endedSessions: ExpiringSet
  readonly begunSessions: Pick<BegunSessions, 'takeOthers'>
  readonly replacedTokens: Pick<ReplacedTokens, 'use'>
  readonly vaultNumbers: Pick<VaultNumbers, 'check'>
  readonly together: (changes: () => void) => void
  /** The longest that any session lasts. */
  readonly longestSessionMs: number
  readonly now: () => number
}

/** The content of the sealed records in a request. The membership is present for a request about a vault. */
interface Shown {
  readonly session: Pick<FieldsOf<'session'>, 'identity' | 'tokenHash' | 'recoveries' | 'expiresAt'>
  readonly user: Pick<FieldsOf<'user'>, 'identity' | 'id' | 'capabilities' | 'recoveries'>
  /** Whether the basis of the session still exists: its application key, or the credential of its service account. */
  readonly isStanding: boolean
  /** Whether an administrator created the user, who has not logged in yet. */
  readonly isNew: boolean
  /** Whether the session began before the last recovery of the account, or by a recovery that the shown record lacks. */
  readonly isOfOthers: boolean
  readonly membership: Opened<(typeof membershipTypes)[number]>['fields'] | undefined
}

/**
 * Seals what a session may do for the next minute, by the session's token and its newest sealed records. Nothing else
 * that a worker states counts.
 */
export function createGrantHandlers(on: GrantDependencies) {
  const { token, vaultNumbers, now } = on
  return {
    grant(fields) {
      const text = fields.text()
      const records = readShown(on, fields)
      const vaultNumber = fields.text()
      checkSession(on, text, records)
      const { session, user, membership } = records
      if (membership !== undefined && vaultNumber !== '') vaultNumbers.check(Number(vaultNumber), membership.vault)
      const expiresAt = Math.min(now() + longestGrantMs, session.expiresAt)
      const record = composeRecord('grant', {
        session: session.identity,
        user: user.identity,
        userId: user.id,
        capabilities: user.capabilities,
        vault: membership?.vault ?? null,
        permission: membership?.permission ?? 0,
        expiresAt,
        grants: membership !== undefined && 'grants' in membership ? membership.grants : null,
        recoveries: user.recoveries,
      })
      return [record, seal(token, record)]
    },

    endSessions(fields) {
      const sessions = fields.list(() => fields.sealed(), listLimits.endSessions)
      const [account, keep] = [fields.optionalBytes(), fields.optionalBytes()]
      let broken: Fault | undefined
      // One sync for all of them: an account may have begun thousands.
      on.together(() => {
        const others = account === undefined ? [] : on.begunSessions.takeOthers(account, keep)
        for (const session of others) on.endedSessions.add(session.identity, session.expiresAt)
        broken = endAll(on, sessions)
      })
      if (broken !== undefined) throw broken
      return []
    },
  } satisfies KeeperHandlers
}

/**
 * Ends the sessions, each named by its record or a grant of it. Returns the fault of an edited record, which does not stop
 * the others.
 */
function endAll(
  { token, endedSessions, longestSessionMs, now }: GrantDependencies,
  sessions: readonly SealedRecord[],
): Fault | undefined {
  let broken: Fault | undefined
  for (const sealed of sessions) {
    try {
      const { type, fields } = shown(token, [...sessionTypes, 'grant'], sealed)
      if (type === 'grant') endedSessions.add(fields.session, now() + longestSessionMs)
      else endedSessions.add(fields.identity, fields.expiresAt)
    } catch (error) {
      if (!isFault(error, 'hsm.seal_broken')) throw error
      broken ??= error
    }
  }
  return broken
}

/**
 * Verifies and reads the records of a request.
 * @throws Fault `hsm.seal_broken`; `hsm.outdated` for an older record; `hsm.rejected` for records that do not belong
 * together
 */
function readShown(on: GrantDependencies, fields: RequestFields): Shown {
  const { token, now } = on
  const session = shown(token, sessionTypes, fields.sealed())
  const user = committedShown(on, accountTypes, fields.sealed())
  const key = fields.optionalSealed()
  const applicationKey = key && committedShown(on, 'application key', key)
  const member = fields.optionalSealed()
  const membership = member && committedShown(on, membershipTypes, member)
  const standing = standingOf({ session, user, applicationKey }, now())
  if (standing === undefined || membership?.fields.user.equals(user.fields.identity) === false)
    throw new Fault('hsm.rejected', 'These records are not of one session.')
  const isWhole = membership?.type === 'membership' && membership.fields.permission !== 0
  if (user.type === 'service account' && isWhole) throw withoutGrants()
  const [begunBy, counted] = [session.fields.recoveries, user.fields.recoveries]
  // A recovery ends all sessions of a user, and none of a service account.
  const isOfOthers = begunBy > counted || (user.type === 'user' && begunBy < counted)
  return { session: session.fields, user: user.fields, ...standing, isOfOthers, membership: membership?.fields }
}

/** Undefined where the session does not belong to this user and application key, or to this service account. */
function standingOf(
  {
    session,
    user,
    applicationKey,
  }: {
    readonly session: Opened<'session' | 'service session'>
    readonly user: Opened<'user' | 'service account'>
    readonly applicationKey: Opened<'application key'> | undefined
  },
  now: number,
): Pick<Shown, 'isStanding' | 'isNew'> | undefined {
  if (session.type === 'session' && user.type === 'user' && applicationKey !== undefined) {
    const isTheirs =
      session.fields.user.equals(user.fields.identity) &&
      session.fields.applicationKey.equals(applicationKey.fields.identity)
    if (!isTheirs) return undefined
    return { isStanding: applicationKey.fields.revokedAt === null, isNew: user.fields.madeBy !== null }
  }
  if (session.type !== 'service session' || user.type !== 'service account' || applicationKey !== undefined)
    return undefined
  if (!session.fields.account.equals(user.fields.identity)) return undefined
  const account = readServiceAccount(user.fields.account)
  const credential = account.credentials.find(({ id }) => id === session.fields.credential)
  const isStanding = credential !== undefined && !hasEnded(account, now) && !hasEnded(credential, now)
  return { isStanding, isNew: false }
}

const withoutGrants = (): Fault =>
  new Fault('access.permission', 'A service account uses a vault only by grants: ask an Admin of the vault for some.')

/** @throws Fault `session.invalid`, `vault.not_found`, `access.resting` */
function checkSession(
  { endedSessions, replacedTokens, now }: GrantDependencies,
  token: string,
  { session, user, isStanding, isNew, isOfOthers, membership }: Shown,
): void {
  const isOver = session.expiresAt < now() || endedSessions.has(session.identity)
  const isTheirs = sessionTokenHash(token) === session.tokenHash
  if (isOver || isOfOthers || !isTheirs || !mayLogIn(user.capabilities) || !isStanding)
    throw new Fault('session.invalid')
  if (!replacedTokens.use(session)) throw new Fault('session.invalid')
  if (membership === undefined) return
  // Until a user's first login is noted, the creator of the user may set the credentials. It has to be noted before a
  // vault is used.
  if (isNew) throw new Fault('session.invalid')
  if (membership.permission === 0) throw new Fault('vault.not_found')
  // The user was recovered, and is not confirmed in this vault yet.
  if (membership.recoveries < user.recoveries) throw new Fault('access.resting')
}
