import { mayLogIn, type Capabilities } from '../../access/capabilities.ts'
import type { ApplianceCommit } from '../../audit/recorded-commit.ts'
import { Fault } from '../../fault.ts'
import type { Store } from '../../store/store.ts'
import type { EndSessions } from './session-ending.ts'
import type { Session } from './session-records.ts'

export interface SessionLimits {
  readonly idleTimeoutMs: number
  readonly absoluteTimeoutMs: number
}

/**
 * The time of a session's last call is written at most this often per idle time-out: a write per call would double its
 * cost.
 */
const touchesPerTimeout = 20

/** Greatest age of the stored time of the last call, in milliseconds. */
export const touchEveryMs = ({ idleTimeoutMs }: SessionLimits): number => idleTimeoutMs / touchesPerTimeout

/**
 * Whether a session has been idle for too long or is too old. The session of a service account, which has a credential,
 * ends at `expiresAt` only. A last call far in the future counts like one far in the past, so that a clock that was set
 * back prolongs no session.
 */
export function hasExpired(
  {
    createdAt,
    lastSeenAt,
    credential,
    expiresAt,
  }: Pick<Session, 'createdAt' | 'lastSeenAt' | 'credential' | 'expiresAt'>,
  limits: SessionLimits,
  now: number,
): boolean {
  if (credential !== null) return now >= expiresAt
  const idle = Math.abs(now - lastSeenAt) > limits.idleTimeoutMs + touchEveryMs(limits)
  return idle || now - createdAt > limits.absoluteTimeoutMs
}

/** The session of the client's token and all that its validity depends on, as read by the authenticating statement. */
export type FoundSession = {
  readonly session_id: number
  readonly created_at: number
  readonly last_seen_at: number
  readonly ended_at: number | null
  readonly certificate: string | null
  readonly credential: string | null
  readonly expires_at: number
  /** When the token was replaced. */
  readonly superseded_at: number | null
  readonly user_id: number
  readonly username: string
  readonly capabilities: Capabilities
  /** See `User.service`. */
  readonly service: string | null
  readonly user_generation: number
  /** Null for a service account. */
  readonly application_key_id: number | null
  /** When the application key was revoked. */
  readonly revoked_at: number | null
}

/** How long a replaced token stays valid under strict rotation, so that parallel calls do not fail. */
const strictOverlapMs = 30_000

/**
 * Throws unless the session is valid for a call from this address. An invalid session is ended in the database, so that
 * neither a clock that is set back nor a user who is enabled again revives it.
 * @throws Fault `session.invalid`
 */
export type CheckLiveness = (session: FoundSession, address: string, now: number) => Promise<void>

export interface LivenessDependencies {
  readonly store: Pick<Store, 'transaction'>
  readonly rules: SessionLimits & { readonly rotation: 'compatible' | 'strict' }
  readonly commitAsAppliance: ApplianceCommit
  readonly endSessions: EndSessions
  /** Why the user's smartcard is rejected now, for the audit trail; undefined while it is valid. */
  readonly cardRejection: (userId: number, fingerprint: string) => Promise<string | undefined>
  /** Whether a service account may make calls from this address now. */
  readonly isServiceAlive: (session: Pick<FoundSession, 'user_id' | 'service'>, address: string, now: number) => boolean
  /** Told when a token that strict rotation had replaced was used again: an attacker may have it. */
  readonly report: (sessionId: number, username: string) => void
}

export function createLivenessCheck(dependencies: LivenessDependencies): CheckLiveness {
  const { store, rules, commitAsAppliance, endSessions, cardRejection, isServiceAlive, report } = dependencies

  function isAlive(session: FoundSession, now: number): boolean {
    const { created_at: createdAt, last_seen_at: lastSeenAt, credential, expires_at: expiresAt } = session
    const isOver = session.ended_at !== null || hasExpired({ createdAt, lastSeenAt, credential, expiresAt }, rules, now)
    // A person's session has an application key, a service account's has a credential, and neither has both.
    const isOneKind = (session.service === null) === (session.application_key_id !== null)
    const isStanding = isOneKind && (session.service !== null) === (credential !== null) && session.revoked_at === null
    return !isOver && isStanding && mayLogIn(session.capabilities)
  }

  const isReused = ({ superseded_at: supersededAt }: FoundSession, now: number): boolean =>
    rules.rotation === 'strict' && supersededAt !== null && now > supersededAt + strictOverlapMs

  /** Ends a session, after the audit record that gives the reason. */
  async function end(
    session: FoundSession,
    operation: string,
    note: { address: string; target?: string },
    now: number,
  ) {
    const { session_id: sessionId, user_id: userId, username, application_key_id: applicationKeyId } = session
    const about = { userId, username, sessionId, applicationKeyId: applicationKeyId ?? undefined }
    await commitAsAppliance(operation, { ...about, ...note }, async (tx) => {
      // A parallel call ended the session first and has recorded it.
      if ((await endSessions(tx, [sessionId], now)) === 0) throw new Fault('session.invalid')
    })
  }

  return async (session, address, now) => {
    const { session_id: sessionId, user_id: userId, username, certificate } = session
    if (!isAlive(session, now)) {
      if (session.ended_at === null) await store.transaction((tx) => endSessions(tx, [sessionId], now))
      throw new Fault('session.invalid')
    }
    // Refused from this address only: the session stays open for the addresses that the account allows.
    if (session.service !== null && !isServiceAlive(session, address, now)) throw new Fault('session.invalid')
    if (isReused(session, now)) {
      await end(session, 'session.end.reuse', { address }, now)
      report(sessionId, username)
      throw new Fault('session.invalid')
    }
    const rejection = certificate === null ? undefined : await cardRejection(userId, certificate)
    if (rejection !== undefined) {
      await end(session, 'session.end.card', { address, target: rejection }, now)
      throw new Fault('session.invalid')
    }
  }
}
