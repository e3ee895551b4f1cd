import type { Generation } from '../record-generation.ts'
import type { KeeperState } from './keeper-state.ts'

/**
 * Records that are never accepted again: those whose generation was given to another record or committed by another one,
 * and first records whose commit was not shown in time.
 */
export function createDeadRecords(state: KeeperState) {
  state.exec(
    `CREATE TABLE IF NOT EXISTS dead_records (subject BLOB NOT NULL, number INTEGER NOT NULL, digest BLOB NOT NULL,
     PRIMARY KEY (subject, number, digest)) STRICT, WITHOUT ROWID`,
  )
  const keep = state.prepare('INSERT OR IGNORE INTO dead_records (subject, number, digest) VALUES (?, ?, ?)')
  const find = state.prepare('SELECT 1 FROM dead_records WHERE subject = ? AND number = ? AND digest = ?')
  const findAny = state.prepare('SELECT 1 FROM dead_records WHERE subject = ? AND number = ? LIMIT 1')
  const list = state.prepare<[], Buffer>('SELECT subject FROM dead_records').pluck()
  const prune = state.prepare('DELETE FROM dead_records WHERE subject = ? AND number < ?')
  return {
    add: (digest: Buffer, { subject, number }: Generation) => void keep.run(subject, number, digest),
    has: (digest: Buffer, { subject, number }: Generation): boolean => find.get(subject, number, digest) !== undefined,
    hasAny: (subject: Buffer, number: number): boolean => findAny.get(subject, number) !== undefined,
    subjects: () => list.all(),
    prune: (subject: Buffer, number: number) => void prune.run(subject, number),
    forget: () => void state.exec('DELETE FROM dead_records'),
  }
}
