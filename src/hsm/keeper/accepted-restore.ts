import { generationAt } from '../record-generation.ts'
import type { KeeperState } from './keeper-state.ts'

/**
 * The last time that the operator accepted an older database. Its rows are newest then; records that were sealed before
 * and are in none of them are dead.
 */
export interface AcceptedRestore {
  /** @param subjects those of which records were known or sealed until then */
  begin(at: number, subjects: Iterable<Buffer>): void
  /** All rows of the database were shown since. `isKnown`: whether one of the subject was among them. */
  noteShown(isKnown: (subject: Buffer) => boolean): void
  /** Whether a record of this number was sealed before. False while no restore was accepted. */
  precedes(number: number): boolean
  /** Whether the subject was known before, and is in no row of the database. */
  isLost(subject: Buffer): boolean
}

export function createAcceptedRestore(state: KeeperState): AcceptedRestore {
  state.exec(`
    CREATE TABLE IF NOT EXISTS accepted_restore (
      id INTEGER PRIMARY KEY, number INTEGER NOT NULL, is_shown INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS lost_subjects (subject BLOB PRIMARY KEY) STRICT, WITHOUT ROWID
  `)
  const find = state.prepare<[], { readonly number: number; readonly isShown: number }>(
    'SELECT number, is_shown AS "isShown" FROM accepted_restore',
  )
  const keep = state.prepare('INSERT OR REPLACE INTO accepted_restore (id, number, is_shown) VALUES (1, ?, 0)')
  const end = state.prepare('UPDATE accepted_restore SET is_shown = 1')
  const lose = state.prepare('INSERT OR IGNORE INTO lost_subjects (subject) VALUES (?)')
  const list = state.prepare<[], Buffer>('SELECT subject FROM lost_subjects').pluck()
  const regain = state.prepare('DELETE FROM lost_subjects WHERE subject = ?')
  const findLost = state.prepare('SELECT 1 FROM lost_subjects WHERE subject = ?')
  return {
    begin: state.transaction((at: number, subjects: Iterable<Buffer>) => {
      keep.run(generationAt(at))
      for (const subject of subjects) lose.run(subject)
    }),
    noteShown: state.transaction((isKnown: (subject: Buffer) => boolean) => {
      for (const subject of list.all()) if (isKnown(subject)) regain.run(subject)
      end.run()
    }),
    precedes: (number) => number <= (find.get()?.number ?? 0),
    isLost: (subject) => findLost.get(subject) !== undefined && find.get()?.isShown === 1,
  }
}
