import type { SealedGrant } from '../../access/acting.ts'
import { sessionTokenHash } from '../../access/session-token-form.ts'
import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { BegunSession } from '../../hsm/login-request.ts'
import { findUserById, lockUser, type User } from '../users/records.ts'
import { foundGrant } from './caller-grants.ts'
import { findApplicationKeyById, type ApplicationKey } from './login-records.ts'
import { createSessionEnding, type EndSessions } from './session-ending.ts'
import { sealedBegun } from './session-seals.ts'
import { hasExpired, touchEveryMs, type SessionLimits } from './session-liveness.ts'
import {
  findExpired,
  insertSession,
  listSessions,
  openSessionsOf,
  sweepSessions,
  type ListedSession,
} from './session-records.ts'

export interface NewSession {
  /** As the keeper was shown. */
  readonly user: User
  readonly applicationKeyId: number
  readonly address: string
  /** Fingerprint of the smartcard that opens it: the session ends when the card is revoked or expires. */
  readonly certificate: string | null
  readonly begun: BegunSession
}

export interface Sessions {
  /** What clients are told as `timeout`, in milliseconds. */
  readonly idleTimeoutMs: number
  /** Puts a session that the keeper began into the database, and ends the user's oldest beyond the limit; resolves to its id. */
  open(tx: Tx, session: NewSession): Promise<number>
  /**
   * What the user of such a session may do. Outside of any transaction: the keeper takes the rows that it is shown for
   * committed, and a transaction may see changes that come to nothing.
   */
  grant(session: NewSession, applicationKey: ApplicationKey): Promise<SealedGrant>
  end(tx: Tx, sessionId: number): Promise<void>
  /** Ends all sessions of a user but the one to keep; resolves to how many there were. */
  endOthers(tx: Tx, userId: number, keep?: number): Promise<number>
  /** @throws Fault `user.not_found` */
  knownUser(userId: number): Promise<number>
  /** The sessions of a user that are good for another call, or of all users; the newest first. */
  list(userId?: number): Promise<ListedSession[]>
  /** @throws Fault `session.not_found` unless the session is open and the user's own */
  endOne(userId: number, sessionId: number | undefined, commit: Commit): Promise<void>
  /**
   * Marks expired sessions as ended, so that no clock set back revives them; resolves to their number, which is
   * bounded.
   */
  endExpired(): Promise<number>
}

export interface SessionRules extends SessionLimits {
  readonly perUser: number
}

export function createSessions({
  store,
  hsm,
  clock,
  limits,
}: {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'endSessions' | 'grant'>
  readonly clock: Clock
  readonly limits: SessionRules
}): Sessions {
  const endSessions = createSessionEnding(hsm)
  async function list(userId?: number): Promise<ListedSession[]> {
    const now = clock.now()
    return (await listSessions(store.read, userId)).filter((session) => !hasExpired(session, limits, now))
  }

  return {
    idleTimeoutMs: limits.idleTimeoutMs,
    list,

    async knownUser(userId) {
      if ((await findUserById(store.read, userId)) === null) throw new Fault('user.not_found')
      return userId
    },

    async open(tx, session) {
      const now = clock.now()
      await sweepSessions(tx, now - limits.absoluteTimeoutMs, now)
      const { begun, user, ...row } = session
      await limitSessions(tx, user.id, { limits, endSessions }, now)
      const { token, identity, seal, createdAt, expiresAt } = begun
      const hash = sessionTokenHash(token)
      const times = { createdAt, expiresAt, lastSeenAt: now, endedAt: null }
      return insertSession(
        tx,
        { ...row, ...times, credential: null, userId: user.id, recoveries: user.recoveries, identity },
        { hash, seal },
      )
    },

    grant: (session, applicationKey) => newGrant({ hsm, store }, session, applicationKey),

    async end(tx, sessionId) {
      await endSessions(tx, [sessionId], clock.now())
    },

    async endOthers(tx, userId, keep) {
      const open = await openSessionsOf(tx, userId)
      return endSessions(
        tx,
        open.map(({ id }) => id).filter((id) => id !== keep),
        clock.now(),
      )
    },

    async endOne(userId, sessionId, commit) {
      const found = (await list(userId)).some(({ id }) => id === sessionId)
      if (!found || sessionId === undefined) throw new Fault('session.not_found')
      await commit(async (tx) => {
        if ((await endSessions(tx, [sessionId], clock.now())) !== 1) throw new Fault('session.not_found')
      })
    },

    async endExpired() {
      const now = clock.now()
      const seenBefore = now - limits.idleTimeoutMs - touchEveryMs(limits)
      const ids = await findExpired(store.read, seenBefore, now - limits.absoluteTimeoutMs, now)
      return ids.length === 0 ? 0 : store.transaction((tx) => endSessions(tx, ids, now))
    },
  }
}

/** By the rows as they are, where they were changed since they were read. */
async function newGrant(
  { hsm, store }: { readonly hsm: Pick<Hsm, 'grant'>; readonly store: Pick<Store, 'read'> },
  session: NewSession,
  key: ApplicationKey,
): Promise<SealedGrant> {
  const { token } = session.begun
  const sealed = sealedBegun(session, key)
  try {
    return await foundGrant(hsm, token, { user: session.user, applicationKey: key, sealed }, undefined)
  } catch (error) {
    if (!isFault(error, 'hsm.outdated')) throw error
    const user = (await findUserById(store.read, session.user.id)) ?? session.user
    const applicationKey = (await findApplicationKeyById(store.read, key.id)) ?? key
    return foundGrant(hsm, token, { user, applicationKey, sealed }, undefined)
  }
}

/** Ends the user's oldest sessions beyond the limit, one of which is about to be opened. */
async function limitSessions(
  tx: Tx,
  userId: number,
  { limits, endSessions }: { readonly limits: SessionRules; readonly endSessions: EndSessions },
  now: number,
): Promise<void> {
  // Parallel logins of one user wait for each other here, so that each sees what the others have opened.
  await lockUser(tx, userId)
  const open = await openSessionsOf(tx, userId)
  const alive = open.filter((session) => !hasExpired(session, limits, now))
  const keep = new Set(alive.slice(0, limits.perUser - 1))
  await endSessions(
    tx,
    open.filter((session) => !keep.has(session)).map(({ id }) => id),
    now,
  )
}
