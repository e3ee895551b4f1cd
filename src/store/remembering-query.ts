import type { Database, Statement } from 'better-sqlite3'
import { LRUCache } from 'lru-cache'
import { forSqlite } from './statement.ts'

/** Number of remembered answers; most take some 2 KiB. */
const maxAnswers = 1_000
/**
 * Limit of all answers together, and of one: the fields of an object, which any caller may read, take up to 640 KiB.
 */
const maxBytes = 8 * 1024 * 1024
const maxAnswerBytes = 16 * 1024

/**
 * Caches the results of hand-written SELECTs on a connection that writes nothing. The same rows are returned until
 * another connection commits. `PRAGMA data_version` detects that in 1.5 µs, whereas the statement that authenticates a
 * caller costs 20 µs. Throws as the driver does.
 */
export function createRememberingQuery(
  database: Database,
): (sql: string, parameters: readonly unknown[]) => readonly unknown[] {
  const version = database.prepare<[], number>('PRAGMA data_version').pluck()
  const statements = new Map<string, { readonly number: number; readonly statement: Statement }>()
  const answers = new LRUCache<string, readonly unknown[]>({
    max: maxAnswers,
    maxSize: maxBytes,
    maxEntrySize: maxAnswerBytes,
    sizeCalculation: bytesOf,
  })
  let seen: number | undefined

  function statementOf(sql: string) {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const made = { number: statements.size, statement: database.prepare(forSqlite(sql, []).sql) }
    statements.set(sql, made)
    return made
  }

  return (sql, parameters) => {
    const { number, statement } = statementOf(sql)
    const current = version.get()
    if (current !== seen || !statement.reader) answers.clear()
    seen = current
    const bound = forSqlite(sql, parameters).parameters
    if (!statement.reader) {
      statement.run(...bound)
      return []
    }
    const name = `${number} ${JSON.stringify(parameters)}`
    const known = answers.get(name)
    if (known !== undefined) return known
    const rows = statement.all(...bound)
    // Empty results are not cached: unknown tokens are unlimited in number.
    if (rows.length > 0) answers.set(name, rows)
    return rows
  }
}

/** An upper bound of the rows' size in bytes, besides some hundreds per row. */
function bytesOf(rows: readonly unknown[]): number {
  let bytes = 1
  for (const row of rows) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a row as the driver makes it: named columns
    for (const value of Object.values(row as Record<string, unknown>)) {
      if (typeof value === 'string') bytes += 2 * value.length
      else bytes += Buffer.isBuffer(value) ? value.length : 8
    }
  }
  return bytes
}
