import { createLeakyBucket } from '../../access/leaky-bucket.ts'
import { Fault } from '../../fault.ts'
import type { FieldsOf } from '../record-layouts.ts'
import type { Clocks } from './first-records.ts'
import type { KeeperState } from './keeper-state.ts'

/**
 * Which token of a session was replaced by which, under strict rotation. The row of a token says so too, and no seal
 * covers that: an attacker who writes to the database could have an earlier token serve again.
 */
export interface ReplacedTokens {
  /**
   * A record of this token is sealed in place of the record of an earlier one.
   * @throws Fault `hsm.unavailable` where the session's token was replaced too often: it goes on with the present one
   */
  note(session: Session, earlier: Pick<Session, 'tokenHash'>): void
  /**
   * Notes that the token is used: ten minutes later those before it are no longer good. False where that is so for this
   * one.
   */
  use(session: Pick<Session, 'identity' | 'tokenHash'>): boolean
}

/** A call that began with an earlier token asks for grants until it ends: it may upload a file meanwhile. */
const longestCallMs = 600_000

/** How often the token of a session is replaced: code in a worker could fill the disk of the keeper's file. */
const mostReplaced = { callsPerInterval: 100, intervalMs: 100_000 }

type Session = Pick<FieldsOf<'session'>, 'identity' | 'tokenHash' | 'expiresAt'>

export function createReplacedTokens(state: KeeperState, isStrict: boolean, { now, elapsed }: Clocks): ReplacedTokens {
  state.exec(`
    CREATE TABLE IF NOT EXISTS replaced_tokens (
      session BLOB NOT NULL, token TEXT NOT NULL, next TEXT NOT NULL, used_at INTEGER, expires_at INTEGER NOT NULL,
      PRIMARY KEY (session, token, next)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS replaced_tokens_next ON replaced_tokens (session, next);
    CREATE INDEX IF NOT EXISTS replaced_tokens_end ON replaced_tokens (expires_at)
  `)
  const forget = state.prepare('DELETE FROM replaced_tokens WHERE expires_at < ?')
  const keep = state.prepare(
    'INSERT OR IGNORE INTO replaced_tokens (session, token, next, expires_at) VALUES (?, ?, ?, ?)',
  )
  const findKept = state.prepare('SELECT 1 FROM replaced_tokens WHERE session = ? AND token = ? AND next = ?')
  // SQLite would read all tokens of the session otherwise.
  const begin = state.prepare(
    `UPDATE replaced_tokens INDEXED BY replaced_tokens_next SET used_at = ?
     WHERE session = ? AND next = ? AND used_at IS NULL`,
  )
  const replacements = createLeakyBucket({ ...mostReplaced, now: elapsed })
  const find = state.prepare('SELECT 1 FROM replaced_tokens WHERE session = ? AND token = ? AND used_at < ? LIMIT 1')
  return {
    note({ identity, tokenHash, expiresAt }, earlier) {
      if (!isStrict) return
      // Parallel calls with a replaced token ask for the same next one: that takes no room.
      if (findKept.get(identity, earlier.tokenHash, tokenHash) !== undefined) return
      if (!replacements.admits(identity.toString('latin1')))
        throw new Fault('hsm.unavailable', 'The token of this session was replaced too often: it stays for now.')
      forget.run(now())
      keep.run(identity, earlier.tokenHash, tokenHash, expiresAt)
    },
    use({ identity, tokenHash }) {
      if (!isStrict) return true
      begin.run(now(), identity, tokenHash)
      return find.get(identity, tokenHash, now() - longestCallMs) === undefined
    },
  }
}
