import type { FieldsOf } from '../record-layouts.ts'
import type { KeeperState } from './keeper-state.ts'

/**
 * The sessions that this keeper began, until they expire. A session that a worker put into no row is missing in the list
 * of its user's sessions; it is known here, and ends with the others.
 */
export interface BegunSessions {
  note(session: BegunHere): void
  /** Removes and returns the sessions of an account, other than the one to keep. */
  takeOthers(account: Buffer, keep: Buffer | undefined): readonly Pick<BegunHere, 'identity' | 'expiresAt'>[]
}

interface BegunHere extends Pick<FieldsOf<'session'>, 'identity' | 'expiresAt'> {
  /** Identity of the user or service account. */
  readonly account: Buffer
}

export function createBegunSessions(state: KeeperState, now: () => number): BegunSessions {
  state.exec(`
    CREATE TABLE IF NOT EXISTS begun_sessions (
      account BLOB NOT NULL, identity BLOB NOT NULL, expires_at INTEGER NOT NULL, PRIMARY KEY (account, identity)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS begun_sessions_end ON begun_sessions (expires_at)
  `)
  const keep = state.prepare('INSERT INTO begun_sessions (account, identity, expires_at) VALUES (?, ?, ?)')
  const forget = state.prepare('DELETE FROM begun_sessions WHERE expires_at < ?')
  const take = state.prepare<[Buffer, Buffer], { readonly identity: Buffer; readonly expiresAt: number }>(
    'DELETE FROM begun_sessions WHERE account = ? AND identity <> ? RETURNING identity, expires_at AS "expiresAt"',
  )
  return {
    note({ account, identity, expiresAt }) {
      forget.run(now())
      keep.run(account, identity, expiresAt)
    },
    takeOthers: (account, kept) => take.all(account, kept ?? Buffer.alloc(0)),
  }
}
