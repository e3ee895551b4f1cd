import type { FieldsOf } from '../record-layouts.ts'
import type { KeeperState } from './keeper-state.ts'
import { type RisenRows, risenRows } from './risen-rows.ts'

/** Sessions that were ended before their time. Their records still have valid seals, but give no grant. */
export interface EndedSessions {
  has(identity: Buffer): boolean
  /** Stores the session until it would have expired. It is on the disk when this returns. */
  add(session: Pick<FieldsOf<'session'>, 'identity' | 'expiresAt'>): void
  /** The same for a session that another keeper reported, which that keeper reports to the others itself. */
  take(identity: Buffer, expiresAt: number): void
  readonly risen: RisenRows
}

export function createEndedSessions(state: KeeperState, now: () => number): EndedSessions {
  state.exec(
    'CREATE TABLE IF NOT EXISTS ended_sessions (identity BLOB PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  )
  // Each session that is ended has those forgotten that would have expired by now.
  state.exec('CREATE INDEX IF NOT EXISTS ended_sessions_by_end ON ended_sessions (expires_at)')
  const risen = risenRows(state, { table: 'ended_sessions', subject: 'identity', number: 'expires_at' })
  const keep = state.prepare('INSERT OR IGNORE INTO ended_sessions (identity, expires_at, rose) VALUES (?, ?, ?)')
  const find = state.prepare('SELECT 1 FROM ended_sessions WHERE identity = ?')
  const forget = state.prepare('DELETE FROM ended_sessions WHERE expires_at < ?')
  const end = (identity: Buffer, expiresAt: number, rose: number): void => {
    forget.run(now())
    if (expiresAt >= now()) keep.run(identity, expiresAt, rose)
  }
  return {
    has: (identity) => find.get(identity) !== undefined,
    add: ({ identity, expiresAt }) => end(identity, expiresAt, risen.next()),
    take: (identity, expiresAt) => end(identity, expiresAt, 0),
    risen,
  }
}
