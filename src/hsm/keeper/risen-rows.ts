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

interface Columns {
  readonly table: string
  readonly subject: string
  readonly number: string
}

interface RisenTable extends Columns {
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

/** A table of the highest number of each subject. */
export interface HighestNumbers {
  /** Undefined for an unknown subject. */
  of(subject: Buffer): number | undefined
  /** False where the known number is as high. */
  raise(subject: Buffer, number: number): boolean
  /** The same for a number that another keeper reported, which that keeper reports to the others itself. */
  take(subject: Buffer, number: number): void
  readonly risen: RisenRows
}

export function highestNumbers(file: Database.Database, columns: Columns): HighestNumbers {
  const { table, subject, number } = columns
  file.exec(
    `CREATE TABLE IF NOT EXISTS ${table} (${subject} BLOB PRIMARY KEY, ${number} INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  )
  const risen = risenRows(file, columns)
  const find = file.prepare<[Buffer], number>(`SELECT ${number} FROM ${table} WHERE ${subject} = ?`).pluck()
  const lift = file.prepare(
    `INSERT INTO ${table} (${subject}, ${number}, rose) VALUES (?, ?, ?)
     ON CONFLICT (${subject}) DO UPDATE SET ${number} = excluded.${number}, rose = excluded.rose
     WHERE excluded.${number} > ${number}`,
  )
  return {
    of: (name) => find.get(name),
    raise: (name, value) => lift.run(name, value, risen.next()).changes === 1,
    take: (name, value) => void lift.run(name, value, 0),
    risen,
  }
}
