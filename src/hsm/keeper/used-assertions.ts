import type { UsedUp } from '../login-request.ts'
import type { KeeperState } from './keeper-state.ts'
import { type RisenRows, risenRows } from './risen-rows.ts'

/** Assertions that began a session: none of them begins another. */
export interface UsedAssertions {
  /** False where it was used before. On the disk when it returns, for as long as the assertion is good. */
  use(used: UsedUp): boolean
  /** The same on the word of another keeper, which tells it to others itself. */
  take(assertion: Buffer, goodUntil: number): void
  readonly risen: RisenRows
}

/** A clock that is set back by less than this makes none good again. */
const keptLongerMs = 3_600_000
/** By so much the clock of another machine may be behind. */
const clocksDifferMs = 300_000

export function createUsedAssertions(state: KeeperState, now: () => number): UsedAssertions {
  state.exec(`
    CREATE TABLE IF NOT EXISTS used_assertions (
      assertion BLOB PRIMARY KEY, good_until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS used_assertions_end ON used_assertions (good_until)
  `)
  const risen = risenRows(state, {
    table: 'used_assertions',
    subject: 'assertion',
    number: 'good_until',
    // Those that have ended are kept for a clock that is set back here, and nothing to others.
    tellFrom: () => now() - clocksDifferMs,
  })
  const keep = state.prepare('INSERT OR IGNORE INTO used_assertions (assertion, good_until, rose) VALUES (?, ?, ?)')
  const forget = state.prepare('DELETE FROM used_assertions WHERE good_until < ?')
  const note = (assertion: Buffer, goodUntil: number, rose: number): boolean => {
    forget.run(now() - keptLongerMs)
    return keep.run(assertion, goodUntil, rose).changes === 1
  }
  return {
    use: ({ assertion, goodUntil }) => note(assertion, goodUntil, risen.next()),
    take: (assertion, goodUntil) => void note(assertion, goodUntil, 0),
    risen,
  }
}
