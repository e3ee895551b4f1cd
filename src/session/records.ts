import { EntitySchema, In, IsNull, LessThan } from 'typeorm'
import { id, integer, named, nullable, primary, text, time } from '../store/columns.ts'
import type { Tx } from '../store/store.ts'

export interface Session {
  readonly id: number
  readonly userId: number
  readonly applicationKeyId: number
  readonly address: string
  readonly createdAt: number
  readonly lastSeenAt: number
  readonly endedAt: number | null
}

/** One of the tokens that a session has had. Only the token's hash is known here. */
export interface SessionTokenRecord {
  readonly hash: string
  readonly sessionId: number
  readonly issuedAt: number
  readonly supersededAt: number | null
}

export const SessionTable = new EntitySchema<Session>({
  name: 'Session',
  tableName: 'sessions',
  columns: {
    id,
    userId: named('user_id', integer),
    applicationKeyId: named('application_key_id', integer),
    address: text,
    createdAt: named('created_at', time),
    lastSeenAt: named('last_seen_at', time),
    endedAt: named('ended_at', nullable(time)),
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
  },
})

export async function insertSession(tx: Tx, session: Omit<Session, 'id'>, tokenHash: string): Promise<number> {
  const inserted = await tx.insert(SessionTable, session)
  const sessionId = Number(inserted.identifiers[0]?.['id'])
  await insertToken(tx, tokenHash, sessionId, session.createdAt)
  return sessionId
}

export async function insertToken(tx: Tx, hash: string, sessionId: number, issuedAt: number): Promise<void> {
  await tx.insert(SessionTokenTable, { hash, sessionId, issuedAt, supersededAt: null })
}

/** Of parallel calls with the same token exactly one replaces it. */
export async function supersedeToken(tx: Tx, hash: string, now: number): Promise<boolean> {
  return (await tx.update(SessionTokenTable, { hash, supersededAt: IsNull() }, { supersededAt: now })).affected === 1
}

/** Never turns the clock of a session back. */
export async function touchSession(tx: Tx, sessionId: number, now: number): Promise<void> {
  await tx.update(SessionTable, { id: sessionId, lastSeenAt: LessThan(now) }, { lastSeenAt: now })
}

export async function endSession(tx: Tx, sessionId: number, now: number): Promise<void> {
  await tx.update(SessionTable, { id: sessionId, endedAt: IsNull() }, { endedAt: now })
}

/** Forgets sessions not seen since `before`, a bounded number at a time so that no login waits for a large sweep. */
export async function sweepSessions(tx: Tx, before: number): Promise<void> {
  const stale = await tx.find(SessionTable, {
    where: { lastSeenAt: LessThan(before) },
    order: { lastSeenAt: 'ASC' },
    take: 100,
    select: { id: true },
  })
  if (stale.length > 0) await tx.delete(SessionTable, { id: In(stale.map((session) => session.id)) })
}
