import { mayLogIn, type Capabilities } from '../../access/capabilities.ts'
import type { ApplianceCommit } from '../../audit/recorded-commit.ts'
import { Fault } from '../../fault.ts'
import type { Store } from '../../store/store.ts'
import { hasExpired, type SessionLimits } from './session-lifetime.ts'
import { endSessions } from './session-records.ts'

/** What the database says, at this moment, of the session whose token was shown. */
export type FoundSession = {
  readonly session_id: number
  readonly created_at: number
  readonly last_seen_at: number
  readonly ended_at: number | null
  readonly certificate: string | null
  /** Of the token. */
  readonly superseded_at: number | null
  readonly user_id: number
  readonly username: string
  readonly capabilities: Capabilities
  readonly application_key_id: number
  /** Of the application key. */
  readonly revoked_at: number | null
}

/**
 * Whether a session is good for a call from this address. One that is not is ended: what is found dead stays dead, and no clock set back
 * and no user enabled again brings it to life.
 * @throws Fault `session.invalid`
 */
export type CheckLife = (session: FoundSession, address: string, now: number) => Promise<void>

export interface LivenessDependencies {
  readonly store: Pick<Store, 'transaction'>
  readonly rules: SessionLimits & { readonly rotation: 'compatible' | 'strict' }
  readonly commitAsAppliance: ApplianceCommit
  /** Why a user's smartcard opens nothing any more, for the audit trail; undefined while it is good. */
  readonly doubtCard: (userId: number, fingerprint: string) => Promise<string | undefined>
  /** Told when a token was used that strict rotation had replaced: somebody else may hold it. */
  readonly report: (sessionId: number, username: string) => void
}

/** How long a replaced token stays good under strict rotation, so that parallel calls do not break. */
const strictOverlapMs = 30_000

export function createLiveness(on: LivenessDependencies): CheckLife {
  const { store, rules, commitAsAppliance, doubtCard, report } = on

  function isAlive(session: FoundSession, now: number): boolean {
    const { created_at: createdAt, last_seen_at: lastSeenAt } = session
    const isOver = session.ended_at !== null || hasExpired({ createdAt, lastSeenAt }, rules, now)
    return !isOver && session.revoked_at === null && mayLogIn(session.capabilities)
  }

  const isReused = ({ superseded_at: supersededAt }: FoundSession, now: number): boolean =>
    rules.rotation === 'strict' && supersededAt !== null && now > supersededAt + strictOverlapMs

  /** Ends a session after a record that says why. */
  async function end(
    session: FoundSession,
    operation: string,
    note: { address: string; target?: string },
    now: number,
  ) {
    const { session_id: sessionId, user_id: userId, username, application_key_id: applicationKeyId } = session
    await commitAsAppliance(operation, { userId, username, sessionId, applicationKeyId, ...note }, async (tx) => {
      // Somebody was quicker, and has recorded it.
      if ((await endSessions(tx, [sessionId], now)) === 0) throw new Fault('session.invalid')
    })
  }

  return async (session, address, now) => {
    const { session_id: sessionId, user_id: userId, username, certificate } = session
    if (!isAlive(session, now)) {
      if (session.ended_at === null) await store.transaction((tx) => endSessions(tx, [sessionId], now))
      throw new Fault('session.invalid')
    }
    if (isReused(session, now)) {
      await end(session, 'session.end.reuse', { address }, now)
      report(sessionId, username)
      throw new Fault('session.invalid')
    }
    const doubt = certificate === null ? undefined : await doubtCard(userId, certificate)
    if (doubt !== undefined) {
      await end(session, 'session.end.card', { address, target: doubt }, now)
      throw new Fault('session.invalid')
    }
  }
}
