import type Database from 'better-sqlite3'

/** A row of the keeper's files that rose here. */
export interface Risen {
  readonly subject: Buffer
  readonly number: number
  /** When it did, compared with other rows of its table. */
  readonly rose: number
}

/** What is told to the keepers of other machines, in the order in which it rose. */
export interface RisenRows {
  /** For a row that rises now; 0 stands for one that another keeper has told. */
  next(): number
  after(rose: number, limit: number): Risen[]
}

/** The table gets a column more, so that what is to be told costs no write of its own. */
export function risenRows(
  file: Database.Database,
  { table, subject, number }: { readonly table: string; readonly subject: string; readonly number: string },
): RisenRows {
  const columns = file.prepare<[], string>(`SELECT name FROM pragma_table_info('${table}')`).pluck().all()
  if (!columns.includes('rose')) file.exec(`ALTER TABLE ${table} ADD COLUMN rose INTEGER NOT NULL DEFAULT 0`)
  file.exec(`CREATE INDEX IF NOT EXISTS ${table}_rose ON ${table} (rose)`)
  const find = file.prepare<[number, number], Risen>(
    `SELECT ${subject} AS subject, ${number} AS number, rose FROM ${table} WHERE rose > ? ORDER BY rose LIMIT ?`,
  )
  let last = file.prepare<[], number>(`SELECT coalesce(max(rose), 0) FROM ${table}`).pluck().get() ?? 0
  return {
    // By the clock, because the rows that rose last may have been forgotten before the keeper was started again.
    next: () => (last = Math.max(last + 1, Date.now())),
    after: (rose, limit) => find.all(rose, limit),
  }
}
