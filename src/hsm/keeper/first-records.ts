import type { Generation } from '../record-generation.ts'
import type { Floors } from './floors.ts'
import type { KeeperState } from './keeper-state.ts'

/**
 * Records whose commit has not been shown yet and that no later change outdates: first records of accounts and
 * memberships, whose subject is in no row, and tombstones. If a worker keeps one instead of committing it, it is accepted
 * for an hour only.
 */
export interface FirstRecords {
  note(digest: Buffer, generation: Generation): void
  /** Removes the records that have waited too long, and gives each to `bury`, all in one transaction. */
  removeLate(bury: (late: LateRecord) => void): void
}

export interface Clocks {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  /** Milliseconds of a clock that is never set, as an integer. */
  readonly elapsed: () => number
}

interface LateRecord extends Pick<Generation, 'subject' | 'number'> {
  readonly digest: Buffer
}

/** The daemon shows a record with its commit; if that fails, its chores show it within ten minutes. */
const longestWaitMs = 3_600_000
const lookEveryMs = 60_000

/** @param elapsed not `now`: a clock that is set between a commit and the showing of it would end the hour */
export function createFirstRecords(
  state: KeeperState,
  floors: Pick<Floors, 'of'>,
  elapsed: Clocks['elapsed'],
): FirstRecords {
  state.exec(
    `CREATE TABLE IF NOT EXISTS first_records (subject BLOB NOT NULL, number INTEGER NOT NULL, digest BLOB NOT NULL,
     sealed_at INTEGER NOT NULL, PRIMARY KEY (subject, number, digest)) STRICT, WITHOUT ROWID`,
  )
  // The hour begins again at each start: a daemon that was killed right after a commit shows the record at its next start.
  state.prepare('UPDATE first_records SET sealed_at = ?').run(elapsed())
  const keep = state.prepare(
    'INSERT OR REPLACE INTO first_records (subject, number, digest, sealed_at) VALUES (?, ?, ?, ?)',
  )
  const take = state.prepare<[number], LateRecord>(
    'DELETE FROM first_records WHERE sealed_at < ? RETURNING subject, number, digest',
  )
  // In one transaction: a record that was removed and not buried would be good for ever.
  const removeLate = state.transaction((until: number, bury: (late: LateRecord) => void) => {
    for (const late of take.all(until)) if ((floors.of(late.subject) ?? 0) < late.number) bury(late)
  })
  let lookedAt = elapsed()
  return {
    note: (digest, { subject, number }) => void keep.run(subject, number, digest, elapsed()),
    removeLate(bury) {
      const now = elapsed()
      if (now - lookedAt < lookEveryMs) return
      lookedAt = now
      removeLate(now - longestWaitMs, bury)
    },
  }
}
