/** A statement in the words of one dialect, and which parameter stands at each of its places. */
interface Statement {
  readonly sql: string
  readonly order: readonly number[]
}

const translated = new Map<string, Statement>()

/**
 * Turns `$1`, `$2`, … into SQLite's `?`, because better-sqlite3 binds a list only to anonymous places.
 * Statements are source text, never built from input, so remembering every one is bounded.
 */
export function forSqlite(sql: string, parameters: readonly unknown[]): { sql: string; parameters: unknown[] } {
  let statement = translated.get(sql)
  if (statement === undefined) {
    const order: number[] = []
    const text = sql.replaceAll(/\$(\d+)/g, (_place, number: string) => {
      order.push(Number(number) - 1)
      return '?'
    })
    statement = { sql: text, order }
    translated.set(sql, statement)
  }
  return { sql: statement.sql, parameters: statement.order.map((index) => parameters[index]) }
}
