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
  /** Has what other keepers told rise here, too: one of them may have lost it. */
  raiseTaken(): void
}

interface RisenTable {
  readonly table: string
  /** Columns of it. */
  readonly subject: string
  readonly number: string
  /** Rows with a smaller number are told no more. */
  readonly tellFrom?: () => number
}

/** The table gets a column more, so that what is to be told costs no write of its own. */
export function risenRows(
  file: Database.Database,
  { table, subject, number, tellFrom = () => 0 }: RisenTable,
): RisenRows {
  const columns = file.prepare<[], string>(`SELECT name FROM pragma_table_info('${table}')`).pluck().all()
  if (!columns.includes('rose')) file.exec(`ALTER TABLE ${table} ADD COLUMN rose INTEGER NOT NULL DEFAULT 0`)
  file.exec(`CREATE INDEX IF NOT EXISTS ${table}_rose ON ${table} (rose)`)
  const find = file.prepare<[number, number, number], Risen>(
    `SELECT ${subject} AS subject, ${number} AS number, rose FROM ${table} WHERE rose > ? AND ${number} >= ?
     ORDER BY rose LIMIT ?`,
  )
  const raise = file.prepare<[number]>(
    `UPDATE ${table} SET rose = taken.rose FROM
     (SELECT ${subject} AS key, ? + row_number() OVER () AS rose FROM ${table} WHERE rose = 0) AS taken
     WHERE ${subject} = taken.key`,
  )
  let last = file.prepare<[], number>(`SELECT coalesce(max(rose), 0) FROM ${table}`).pluck().get() ?? 0
  // By the clock, because the rows that rose last may have been forgotten before the keeper was started again.
  const next = (): number => (last = Math.max(last + 1, Date.now()))
  return {
    next,
    after: (rose, limit) => find.all(rose, tellFrom(), limit),
    raiseTaken: () => void (last += raise.run(next()).changes),
  }
}
