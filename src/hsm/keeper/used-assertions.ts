import type { UsedUp } from '../login-request.ts'
import type { KeeperState } from './keeper-state.ts'
import { type RisenRows, risenRows } from './risen-rows.ts'

/** Assertions that began a session, so that none begins another. */
export interface UsedAssertions {
  /**
   * Uses the assertion up; false where it was used before. On the disk when it returns, for as long as the assertion is
   * valid.
   */
  use(used: UsedUp): boolean
  /** The same for an assertion that another keeper reported, which that keeper reports to the others itself. */
  take(assertion: Buffer, goodUntil: number): void
  readonly risen: RisenRows
}

/** A clock that is set back by less than this makes no used assertion valid again. */
const keptLongerMs = 3_600_000
/** Tolerated lag of another machine's clock. */
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
    // Expired ones are kept in case this clock is set back, but not reported to others.
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
