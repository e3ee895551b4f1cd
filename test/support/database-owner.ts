import Database from 'better-sqlite3'
import type { TestAppliance } from './appliance.ts'

export type Row = Readonly<Record<string, unknown>>
type Place = Pick<TestAppliance, 'config'>

/** What the owner of the database does to its rows while the daemon runs. Writes wait as long as a busy machine takes. */
export function openDatabase({ config }: Place): Database.Database {
  const connection = new Database(String(config.store.sqlite), { timeout: 60_000 })
  connection.pragma('foreign_keys = OFF')
  // Otherwise a row that REPLACE removes would stay in the index of the search.
  connection.pragma('recursive_triggers = ON')
  return connection
}

/** Reads in one transaction, which holds up no writer. */
export const readDatabase = <T>(appliance: Place, work: (connection: Database.Database) => T): T =>
  inTransaction('deferred', appliance, work)

/**
 * Runs `work` in a transaction that has the writers' lock from its start: one that has read is refused its first write
 * where the daemon has written in between.
 */
export const inDatabase = <T>(appliance: Place, work: (connection: Database.Database) => T): T =>
  inTransaction('immediate', appliance, work)

function inTransaction<T>(
  kind: 'deferred' | 'immediate',
  appliance: Place,
  work: (connection: Database.Database) => T,
): T {
  const connection = openDatabase(appliance)
  try {
    return connection.transaction(() => work(connection))[kind]()
  } finally {
    connection.close()
  }
}

/** Runs statements. */
export function editDatabase(appliance: Place, sql: string): void {
  inDatabase(appliance, (connection) => connection.exec(sql))
}

/** Moves the content of the write-ahead log into the file and empties the log, which waits for those who use it. */
export function emptyLog(appliance: Place): void {
  const connection = openDatabase(appliance)
  const isBusy = connection.pragma('wal_checkpoint(TRUNCATE)', { simple: true })
  connection.close()
  if (isBusy !== 0) throw new Error('others kept the write-ahead log in use')
}

export const rowsOf = (connection: Database.Database, table: string, where = 'true'): Row[] =>
  connection.prepare<[], Row>(`SELECT * FROM ${table} WHERE ${where}`).all()

/** Puts rows in place of those with their keys. */
export function putRows(connection: Database.Database, table: string, rows: readonly Row[]): void {
  for (const row of rows) {
    const names = Object.keys(row)
    const places = names.map(() => '?').join(', ')
    connection
      .prepare(`INSERT OR REPLACE INTO ${table} (${names.join(', ')}) VALUES (${places})`)
      .run(...Object.values(row))
  }
}

/** Copies rows of a table. The returned function puts them back in place of the rows of that time. */
export function copyOfRows(appliance: Place, table: string, where?: string): () => void {
  const rows = readDatabase(appliance, (connection) => rowsOf(connection, table, where))
  return () => inDatabase(appliance, (connection) => putRows(connection, table, rows))
}
