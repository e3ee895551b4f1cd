import type { Generation } from '../record-generation.ts'
import type { Floors } from './floors.ts'
import type { KeeperState } from './keeper-state.ts'

/**
 * The first records of accounts and memberships, for the time in which they are shown as committed. One that a worker
 * keeps instead is outdated by no later change: there is none of a thing that stands in no row.
 */
export interface FirstRecords {
  note(digest: Buffer, generation: Generation): void
  /** Those that have waited too long; they are known no more. */
  takeLate(): readonly LateRecord[]
  /** The operator has accepted older records. */
  forget(): void
}

interface LateRecord extends Pick<Generation, 'subject' | 'number'> {
  readonly digest: Buffer
}

/** With the commit, else by the chores of the daemon, every ten minutes. */
const longestWaitMs = 3_600_000
const lookEveryMs = 60_000

export function createFirstRecords(state: KeeperState, floors: Pick<Floors, 'of'>, now: () => number): FirstRecords {
  state.exec(
    `CREATE TABLE IF NOT EXISTS first_records (subject BLOB NOT NULL, number INTEGER NOT NULL, digest BLOB NOT NULL,
     sealed_at INTEGER NOT NULL, PRIMARY KEY (subject, number, digest)) STRICT, WITHOUT ROWID`,
  )
  // While the appliance was off nothing could be shown: who was killed right after a commit has the time once more.
  state.prepare('UPDATE first_records SET sealed_at = ?').run(now())
  const keep = state.prepare(
    'INSERT OR REPLACE INTO first_records (subject, number, digest, sealed_at) VALUES (?, ?, ?, ?)',
  )
  const take = state.prepare<[number], LateRecord>(
    'DELETE FROM first_records WHERE sealed_at < ? RETURNING subject, number, digest',
  )
  let lookedAt = now()
  return {
    note: (digest, { subject, number }) => void keep.run(subject, number, digest, now()),
    takeLate() {
      if (Math.abs(now() - lookedAt) < lookEveryMs) return []
      lookedAt = now()
      return take.all(now() - longestWaitMs).filter(({ subject }) => floors.of(subject) === undefined)
    },
    forget: () => void state.exec('DELETE FROM first_records'),
  }
}
