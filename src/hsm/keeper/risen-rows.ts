import type Database from 'better-sqlite3'

/** A changed row of the keeper's files that is still to be reported. */
export interface Risen {
  readonly subject: Buffer
  readonly number: number
  /** Orders the changes of its table. */
  readonly rose: number
}

/** The changed rows that are to be reported to other keepers, in the order of their changes. */
export interface RisenRows {
  /** The number for a row that changes now; 0 marks a row that another keeper reported. */
  next(): number
  after(rose: number, limit: number): Risen[]
  /** Reports the rows of other keepers, too, because one of those may have lost its own. */
  raiseTaken(): void
}

interface RisenTable {
  readonly table: string
  /** Columns of the table. */
  readonly subject: string
  readonly number: string
  /** Rows with a smaller value are not reported any more. */
  readonly tellFrom?: () => number
}

/** Adds a column to a table that an earlier release made. */
export function addColumn(file: Database.Database, table: string, name: string, type: string): void {
  const columns = file.prepare<[], string>(`SELECT name FROM pragma_table_info('${table}')`).pluck().all()
  if (!columns.includes(name)) file.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`)
}

/** The table gets one more column, so that the marking of changes costs no further write. */
export function risenRows(
  file: Database.Database,
  { table, subject, number, tellFrom = () => 0 }: RisenTable,
): RisenRows {
  addColumn(file, table, 'rose', 'INTEGER NOT NULL DEFAULT 0')
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
  // Begins with the clock, because the rows with the highest numbers may have been deleted before a restart.
  const next = (): number => (last = Math.max(last + 1, Date.now()))
  return {
    next,
    after: (rose, limit) => find.all(rose, tellFrom(), limit),
    raiseTaken: () => void (last += raise.run(next()).changes),
  }
}
