import { EntitySchema, In, IsNull, LessThan } from 'typeorm'
import { bytes, id, integer, named, nullable, primary, text, time } from '../../store/columns.ts'
import { isSet } from '../../store/conditions.ts'
import { findRow, insertRow, select } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { onHold } from '../users/recovery-records.ts'

export interface Session {
  readonly id: number
  readonly userId: number
  /** Null for a service account, which has none. */
  readonly applicationKeyId: number | null
  readonly address: string
  readonly createdAt: number
  readonly lastSeenAt: number
  readonly endedAt: number | null
  /** Fingerprint of the smartcard by which it was opened; null for another second factor. */
  readonly certificate: string | null
  /** Id of the credential by which a service account began it; null for a person. */
  readonly credential: string | null
  /** 16 random bytes, drawn by the keeper. */
  readonly identity: Buffer
  /** The number of the user's recoveries when it began. */
  readonly recoveries: number
  /** When it ends, even if it is in use. */
  readonly expiresAt: number
}

/** One of the tokens that a session has had. Only the hash of the token is stored. */
export interface SessionTokenRecord {
  readonly hash: string
  readonly sessionId: number
  readonly issuedAt: number
  readonly supersededAt: number | null
  /** Number of calls that workers have counted for it so far. */
  readonly uses: number
  /** Seal over the record of the session with this token (`session-seals.ts`). */
  readonly seal: Buffer
}

/** A session as lists show it. */
export interface ListedSession extends Pick<
  Session,
  'id' | 'userId' | 'address' | 'createdAt' | 'lastSeenAt' | 'credential' | 'expiresAt'
> {
  readonly username: string
  /** Name of the application key; for a service account, of the credential. */
  readonly application: string
}

export const SessionTable = new EntitySchema<Session>({
  name: 'Session',
  tableName: 'sessions',
  columns: {
    id,
    userId: named('user_id', integer),
    applicationKeyId: named('application_key_id', nullable(integer)),
    address: text,
    createdAt: named('created_at', time),
    lastSeenAt: named('last_seen_at', time),
    endedAt: named('ended_at', nullable(time)),
    certificate: nullable(text),
    credential: nullable(text),
    identity: bytes,
    recoveries: integer,
    expiresAt: named('expires_at', time),
  },
})

export const SessionTokenTable = new EntitySchema<SessionTokenRecord>({
  name: 'SessionToken',
  tableName: 'session_tokens',
  columns: {
    hash: primary(text),
    sessionId: named('session_id', integer),
    issuedAt: named('issued_at', time),
    supersededAt: named('superseded_at', nullable(time)),
    uses: integer,
    seal: bytes,
  },
})

/** The hash of a token, and the seal that proves it a token of its session. */
export type SealedToken = Pick<SessionTokenRecord, 'hash' | 'seal'>

export async function insertSession(tx: Tx, session: Omit<Session, 'id'>, token: SealedToken): Promise<number> {
  const sessionId = await insertRow(tx, SessionTable, session)
  await insertToken(tx, token, sessionId, session.createdAt)
  return sessionId
}

export async function insertToken(
  tx: Tx,
  { hash, seal }: SealedToken,
  sessionId: number,
  issuedAt: number,
): Promise<void> {
  await tx.insert(SessionTokenTable, { hash, seal, sessionId, issuedAt, supersededAt: null, uses: 0 })
}

export function findToken(reader: Reader, hash: string): Promise<SessionTokenRecord | null> {
  return findRow(reader, SessionTokenTable, { hash })
}

export function findSessionById(reader: Reader, id: number): Promise<Session | null> {
  return findRow(reader, SessionTable, { id })
}

/** The newest token of each of these sessions. The seal of any token would do. */
export async function tokensOf(reader: Reader, sessionIds: readonly number[]): Promise<string[]> {
  const tokens = await reader.findBy(SessionTokenTable, { sessionId: In(sessionIds), supersededAt: IsNull() })
  return tokens.map(({ hash }) => hash)
}

/**
 * The rights of a session's user at one moment. `permission` is that in one vault, null without membership; `on_hold` is
 * 1 where the membership is on hold.
 */
export interface Standing {
  readonly capabilities: number
  readonly permission: number | null
  readonly grants: string | null
  readonly on_hold: number
}

/** Undefined for a session that has ended or whose application key was revoked. */
export async function standingOf(
  reader: Reader,
  sessionId: number,
  vaultId: number | null,
): Promise<Standing | undefined> {
  const [standing] = await select<Standing>(reader, standings, [sessionId, vaultId])
  return standing
}

const standings = `SELECT u.capabilities, m.permission, m.grants, CASE WHEN ${onHold('m')} THEN 1 ELSE 0 END AS on_hold
  FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN application_keys a ON a.id = s.application_key_id
  LEFT JOIN vault_members m ON m.user_id = u.id AND m.vault_id = $2
  WHERE s.id = $1 AND s.ended_at IS NULL AND a.revoked_at IS NULL`

/** Whether this is a token of the session. */
export function hasToken(reader: Reader, sessionId: number, hash: string): Promise<boolean> {
  return reader.existsBy(SessionTokenTable, { hash, sessionId })
}

/** Marks the token as replaced: true for exactly one of any number of parallel calls. */
export async function supersedeToken(tx: Tx, hash: string, now: number): Promise<boolean> {
  return (await tx.update(SessionTokenTable, { hash, supersededAt: IsNull() }, { supersededAt: now })).affected === 1
}

/** Notes a call of the session. Never moves the time backwards. */
export async function touchSession(tx: Tx, sessionId: number, now: number): Promise<void> {
  await tx.update(SessionTable, { id: sessionId, lastSeenAt: LessThan(now) }, { lastSeenAt: now })
}

export async function addUses(tx: Tx, hash: string, uses: number): Promise<void> {
  await tx.increment(SessionTokenTable, { hash }, 'uses', uses)
}

/**
 * Marks sessions as ended; resolves to how many of them were open. Call it through `createSessionEnding`, which also
 * tells the keeper.
 */
export async function markEnded(tx: Tx, sessionIds: readonly number[], now: number): Promise<number> {
  return (await tx.update(SessionTable, { id: In(sessionIds), endedAt: IsNull() }, { endedAt: now })).affected ?? 0
}

/** The user's open sessions, the newest first. */
export function openSessionsOf(reader: Reader, userId: number): Promise<Session[]> {
  return reader.find(SessionTable, { where: { userId, endedAt: IsNull() }, order: { id: 'DESC' } })
}

/** The open sessions of a service account, a bounded number, without the `keep` that end last. */
export async function serviceSessionsBeyond(reader: Reader, userId: number, keep: number): Promise<number[]> {
  const rows = await select<{ readonly id: number }>(reader, serviceSessionsQuery, [userId, keep])
  return rows.map(({ id: sessionId }) => sessionId)
}

/** Uses an index that holds only the sessions of service accounts. */
export const serviceSessionsQuery = `SELECT id FROM sessions WHERE user_id = $1 AND ended_at IS NULL AND credential IS NOT NULL
  ORDER BY expires_at DESC, id DESC LIMIT 100 OFFSET $2`

/** Open sessions whose application key is not revoked, the newest first: of one user, or of all. */
export async function listSessions(reader: Reader, userId: number | undefined): Promise<ListedSession[]> {
  return select<ListedSession>(
    reader,
    `SELECT s.id, s.user_id AS "userId", s.address, s.created_at AS "createdAt", s.last_seen_at AS "lastSeenAt",
       s.credential, s.expires_at AS "expiresAt", u.username, COALESCE(a.name, 'credential ' || s.credential) AS application
     FROM sessions s
     JOIN users u ON u.id = s.user_id
     LEFT JOIN application_keys a ON a.id = s.application_key_id
     WHERE s.ended_at IS NULL AND a.revoked_at IS NULL ${userId === undefined ? '' : 'AND s.user_id = $1'}
     ORDER BY s.id DESC`,
    userId === undefined ? [] : [userId],
  )
}

/** Ids of sessions that have expired but are not marked as ended, a bounded number. */
export async function findExpired(
  reader: Reader,
  seenBefore: number,
  createdBefore: number,
  now: number,
): Promise<number[]> {
  const open = { endedAt: IsNull(), credential: IsNull() }
  const expired = await reader.find(SessionTable, {
    where: [
      { ...open, lastSeenAt: LessThan(seenBefore) },
      { ...open, createdAt: LessThan(createdBefore) },
      { endedAt: IsNull(), credential: isSet(), expiresAt: LessThan(now) },
    ],
    take: 1_000,
    select: { id: true },
  })
  return expired.map((session) => session.id)
}

/**
 * Deletes sessions that have ended and were last seen before `before`: a bounded number, so that no login waits for a
 * large sweep.
 */
export async function sweepSessions(tx: Tx, before: number, now: number): Promise<void> {
  const stale = await tx.find(SessionTable, {
    where: { lastSeenAt: LessThan(before), expiresAt: LessThan(now) },
    order: { lastSeenAt: 'ASC' },
    take: 100,
    select: { id: true },
  })
  if (stale.length > 0) await tx.delete(SessionTable, { id: In(stale.map((session) => session.id)) })
}
