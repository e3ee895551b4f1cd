import type { KeeperState } from './keeper-state.ts'

/** Who made which recovery of a user, so that nobody confirms what follows from their own. */
export interface Recoverers {
  note(by: number, user: Buffer, number: number): void
  made(by: number, user: Buffer, after: number, upTo: number): boolean
}

export function createRecoverers(state: KeeperState): Recoverers {
  state.exec(
    `CREATE TABLE IF NOT EXISTS recoverers (user BLOB NOT NULL, number INTEGER NOT NULL, made_by INTEGER NOT NULL,
     PRIMARY KEY (user, number, made_by)) STRICT, WITHOUT ROWID`,
  )
  const keep = state.prepare('INSERT OR IGNORE INTO recoverers (user, number, made_by) VALUES (?, ?, ?)')
  const find = state.prepare(
    'SELECT 1 FROM recoverers WHERE user = ? AND number > ? AND number <= ? AND made_by = ? LIMIT 1',
  )
  return {
    note: (by, user, number) => void keep.run(user, number, by),
    made: (by, user, after, upTo) => find.get(user, after, upTo, by) !== undefined,
  }
}
