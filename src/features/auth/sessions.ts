import type { SealedGrant } from '../../access/acting.ts'
import { sessionTokenHash } from '../../access/session-token-form.ts'
import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import { afterCommit } from '../../store/after-commit.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { BegunSession } from '../../hsm/login-request.ts'
import { findUserById, lockUser, type User } from '../users/records.ts'
import { sessionGrant } from './caller-grants.ts'
import type { SessionToken } from './session-token.ts'
import { createSessionEnding, type EndSessions } from './session-ending.ts'
import { hasExpired, touchEveryMs, type SessionLimits } from './session-liveness.ts'
import {
  findExpired,
  insertSession,
  listSessions,
  openSessionsOf,
  sweepSessions,
  type ListedSession,
  type Session,
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

export interface OpenedSession {
  readonly sessionId: number
  /** What its user may do, also before the transaction is committed. */
  readonly grant: () => Promise<SealedGrant>
}

export interface Sessions {
  /** What clients are told as `timeout`, in milliseconds. */
  readonly idleTimeoutMs: number
  /** Puts a session that the keeper began into the database, and ends the user's oldest beyond the limit. */
  open(tx: Tx, session: NewSession): Promise<OpenedSession>
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
      const sessionId = await insertSession(
        tx,
        { ...row, ...times, credential: null, userId: user.id, recoveries: user.recoveries, identity },
        { hash, seal },
      )
      return { sessionId, grant: () => newGrant(hsm, tx, { token, hash }, user) }
    },

    async end(tx, sessionId) {
      await endSessions(tx, [sessionId], clock.now())
    },

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

/** With the commit, those of the user that are in no row: of a login that is under way, or that a worker has hidden. */
async function endUnlisted(
  hsm: Pick<Hsm, 'endSessions'>,
  tx: Tx,
  userId: number,
  keep: Pick<Session, 'identity'> | undefined,
): Promise<void> {
  const user = await findUserById(tx, userId)
  if (user !== null) afterCommit(tx, () => hsm.endSessions([], { account: user.identity, keep: keep?.identity }))
}

/** Of a user who was changed since the row was read, by the row as it is. */
async function newGrant(hsm: Pick<Hsm, 'grant'>, tx: Tx, token: SessionToken, user: User): Promise<SealedGrant> {
  try {
    return await sessionGrant(hsm, tx, token, inNoVault, user)
  } catch (error) {
    if (!isFault(error, 'hsm.outdated')) throw error
    return sessionGrant(hsm, tx, token, inNoVault)
  }
}

const inNoVault = (): Promise<undefined> => Promise.resolve(undefined)

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
