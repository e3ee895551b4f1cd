import type { KeeperState } from './keeper-state.ts'
import { type RisenRows, risenRows } from './risen-rows.ts'

/** What is refused until a time at which it would have expired by itself, on this machine and on the others. */
export interface ExpiringSet {
  has(member: Buffer): boolean
  /** False for a known member. On the disk when it returns. */
  add(member: Buffer, until: number): boolean
  /** The same for a member that another keeper reported, which that keeper reports to the others itself. */
  take(member: Buffer, until: number): void
  readonly risen: RisenRows
}

/** Sessions that were ended before their time. Their records still have valid seals, but give no grant. */
export const createEndedSessions = (state: KeeperState, now: () => number): ExpiringSet =>
  createExpiringSet(state, { table: 'ended_sessions', subject: 'identity', number: 'expires_at', index: 'by_end' }, now)

/** Assertions that began a session, so that none begins another. */
export const createUsedAssertions = (state: KeeperState, now: () => number): ExpiringSet =>
  createExpiringSet(state, { table: 'used_assertions', subject: 'assertion', number: 'good_until', index: 'end' }, now)

/** A clock that is set back by less than this makes no member valid again. */
const keptLongerMs = 3_600_000
/** Tolerated lag of another machine's clock. */
const clocksDifferMs = 300_000

function createExpiringSet(
  state: KeeperState,
  { index, ...columns }: { readonly table: string; readonly subject: string; readonly number: string; index: string },
  now: () => number,
): ExpiringSet {
  const { table, subject, number } = columns
  state.exec(`
    CREATE TABLE IF NOT EXISTS ${table} (
      ${subject} BLOB PRIMARY KEY, ${number} INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS ${table}_${index} ON ${table} (${number})
  `)
  // Expired members are kept in case this clock is set back, but not reported to others.
  const risen = risenRows(state, { ...columns, tellFrom: () => now() - clocksDifferMs })
  const keep = state.prepare(`INSERT OR IGNORE INTO ${table} (${subject}, ${number}, rose) VALUES (?, ?, ?)`)
  const find = state.prepare(`SELECT 1 FROM ${table} WHERE ${subject} = ?`)
  const forget = state.prepare(`DELETE FROM ${table} WHERE ${number} < ?`)
  const note = (member: Buffer, until: number, rose: number): boolean => {
    forget.run(now() - keptLongerMs)
    return keep.run(member, until, rose).changes === 1
  }
  return {
    has: (member) => find.get(member) !== undefined,
    add: (member, until) => note(member, until, risen.next()),
    take: (member, until) => void note(member, until, 0),
    risen,
  }
}
