import { type SealedGrant, transactionGrant } from '../../access/transaction-grant.ts'
import { sessionTokenHash } from '../../access/session-token-form.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import { afterCommit } from '../../store/commit-work.ts'
import { retryOvertaken } from '../../store/overtaken.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { BegunSession } from '../../hsm/login-request.ts'
import { findUserById, lockUser, type User } from '../users/records.ts'
import { foundGrant } from './caller-grants.ts'
import { findApplicationKeyById, type ApplicationKey } from './application-key-records.ts'
import { createSessionEnding, type EndSessions } from './session-ending.ts'
import { sealedBegun } from './session-seals.ts'
import { hasExpired, touchEveryMs, type SessionLimits } from './session-liveness.ts'
import {
  findExpired,
  insertSession,
  listSessions,
  openSessionsOf,
  sweepSessions,
  tokensOf,
  type ListedSession,
  type Session,
} from './session-records.ts'

export interface NewSession {
  /** The user as it was shown to the keeper. */
  readonly user: User
  readonly applicationKeyId: number
  readonly address: string
  /** Fingerprint of the smartcard that opens it, if any. The session ends when that card is revoked or expires. */
  readonly certificate: string | null
  readonly begun: BegunSession
}

export interface Sessions {
  /** The idle time-out that clients are told as `timeout`, in milliseconds. */
  readonly idleTimeoutMs: number
  /** Stores a session that the keeper began, and ends the user's oldest sessions beyond the limit; resolves to its id. */
  open(tx: Tx, session: NewSession): Promise<number>
  /**
   * The grant of a session that the keeper began. Not to be called within a transaction: the keeper takes the rows that it
   * is shown as committed, and a transaction may see changes that are rolled back.
   */
  grant(session: NewSession, applicationKey: ApplicationKey): Promise<SealedGrant>
  /** Ends the session of the transaction's caller. */
  end(tx: Tx, sessionId: number): Promise<void>
  /** Ends all sessions of a user except `keep`; resolves to how many there were. */
  endOthers(tx: Tx, userId: number, keep?: number): Promise<number>
  /** @throws Fault `user.not_found` */
  knownUser(userId: number): Promise<number>
  /** The open sessions of a user, or of all users, the newest first. */
  list(userId?: number): Promise<ListedSession[]>
  /** @throws Fault `session.not_found` unless the session is open and belongs to the user */
  endOne(userId: number, sessionId: number | undefined, commit: Commit): Promise<void>
  /**
   * Marks a bounded number of expired sessions as ended, so that no clock that is set back revives them; resolves to
   * how many.
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

    end: (tx, sessionId) => endOwn({ hsm, endSessions }, tx, sessionId, clock.now()),

    async endOthers(tx, userId, keep) {
      const open = await openSessionsOf(tx, userId)
      await endUnlisted(
        hsm,
        tx,
        userId,
        open.find(({ id }) => id === keep),
      )
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
        const isHidden = (await tokensOf(tx, [sessionId])).length === 0
        if ((await endSessions(tx, [sessionId], clock.now())) !== 1) throw new Fault('session.not_found')
        // Its record cannot be shown to the keeper, which then ends every session of the user.
        if (isHidden) await endUnlisted(hsm, tx, userId, undefined)
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

/** Ends the session of the caller, also by its grant, which names it whatever the rows of its tokens say. */
async function endOwn(
  { hsm, endSessions }: { readonly hsm: Pick<Hsm, 'endSessions'>; readonly endSessions: EndSessions },
  tx: Tx,
  sessionId: number,
  now: number,
): Promise<void> {
  await endSessions(tx, [sessionId], now)
  // While the keeper is away the session ends in the database alone.
  const grant = await transactionGrant(tx).catch(() => undefined)
  if (grant !== undefined) afterCommit(tx, () => hsm.endSessions([grant]))
}

/**
 * Ends, with the commit, the sessions of the user that are in no row: of a login under way, or hidden by code in a
 * worker.
 */
async function endUnlisted(
  hsm: Pick<Hsm, 'endSessions'>,
  tx: Tx,
  userId: number,
  keep: Pick<Session, 'identity'> | undefined,
): Promise<void> {
  const user = await findUserById(tx, userId)
  if (user !== null) afterCommit(tx, () => hsm.endSessions([], { account: user.identity, keep: keep?.identity }))
}

/** Reads the rows again if they were changed since they were read. */
async function newGrant(
  { hsm, store }: { readonly hsm: Pick<Hsm, 'grant'>; readonly store: Pick<Store, 'read'> },
  session: NewSession,
  key: ApplicationKey,
): Promise<SealedGrant> {
  const { token } = session.begun
  const sealed = sealedBegun(session, key)
  return retryOvertaken(async (isAgain) => {
    const user = (isAgain && (await findUserById(store.read, session.user.id))) || session.user
    const applicationKey = (isAgain && (await findApplicationKeyById(store.read, key.id))) || key
    return foundGrant(hsm, token, { user, applicationKey, sealed }, {})
  })
}

/** Ends the user's oldest sessions beyond the limit, to make room for one more. */
async function limitSessions(
  tx: Tx,
  userId: number,
  { limits, endSessions }: { readonly limits: SessionRules; readonly endSessions: EndSessions },
  now: number,
): Promise<void> {
  // Locks the user, so that parallel logins of one user see each other's sessions.
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
