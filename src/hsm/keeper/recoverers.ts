import { accountSubject } from '../record-generation.ts'
import type { KeeperState } from './keeper-state.ts'

/** Who made which recovery of a user, so that nobody confirms what follows from their own. */
export interface Recoverers {
  /** Notes that `by` made this recovery. It is noted when its record is sealed. */
  note(by: number, user: Buffer, recovery: Recovery): void
  made(by: number, user: Buffer, after: number, upTo: number): boolean
  /**
   * Forgets the recoveries of an account whose records were not committed: those of generations between `after` and
   * `before` (both exclusive) that are not in `chain`.
   */
  keepCommitted(subject: Buffer, after: number, before: number, chain: readonly number[]): void
}

interface Recovery {
  /** The number of the recovery; the user's first is 1. */
  readonly number: number
  /** The generation of the record that counts it. */
  readonly generation: number
}

export function createRecoverers(state: KeeperState): Recoverers {
  // Recoveries that earlier releases noted; which of them were committed is not known.
  state.exec(
    `CREATE TABLE IF NOT EXISTS recoverers (user BLOB NOT NULL, number INTEGER NOT NULL, made_by INTEGER NOT NULL,
     PRIMARY KEY (user, number, made_by)) STRICT, WITHOUT ROWID`,
  )
  state.exec(
    `CREATE TABLE IF NOT EXISTS sealed_recoveries (subject BLOB NOT NULL, generation INTEGER NOT NULL, number INTEGER NOT NULL,
     made_by INTEGER NOT NULL, PRIMARY KEY (subject, generation, made_by)) STRICT, WITHOUT ROWID`,
  )
  const keep = state.prepare(
    'INSERT OR IGNORE INTO sealed_recoveries (subject, generation, number, made_by) VALUES (?, ?, ?, ?)',
  )
  const find = state.prepare(
    `SELECT 1 FROM sealed_recoveries WHERE subject = @subject AND number > @after AND number <= @upTo AND made_by = @by
     UNION ALL SELECT 1 FROM recoverers WHERE user = @user AND number > @after AND number <= @upTo AND made_by = @by LIMIT 1`,
  )
  const between = state
    .prepare<[Buffer, number, number], number>(
      'SELECT DISTINCT generation FROM sealed_recoveries WHERE subject = ? AND generation > ? AND generation < ?',
    )
    .pluck()
  const drop = state.prepare('DELETE FROM sealed_recoveries WHERE subject = ? AND generation = ?')
  return {
    note: (by, user, { number, generation }) => void keep.run(accountSubject(user), generation, number, by),
    made: (by, user, after, upTo) => find.get({ subject: accountSubject(user), user, after, upTo, by }) !== undefined,
    keepCommitted(subject, after, before, chain) {
      for (const generation of between.all(subject, after, before))
        if (!chain.includes(generation)) drop.run(subject, generation)
    },
  }
}
