import type { DataSource } from 'typeorm'

/**
 * Has TypeORM bind numbers for SQLite as it binds texts. By itself it writes them into the statement, so that a row with
 * another id has another statement, which is prepared for it (30 µs) and kept.
 */
export function bindNumbers({ driver }: DataSource): void {
  driver.escapeQueryWithParameters = (sql, parameters) => {
    const bound: unknown[] = []
    const bind = (value: unknown): string => {
      bound.push(boundForm(value))
      return '?'
    }
    const text = sql.replaceAll(
      /:(\.\.\.)?([A-Za-z0-9_.]+)/g,
      (placeholder, isList: string | undefined, name: string) => {
        if (!Object.hasOwn(parameters, name)) return placeholder
        const value: unknown = parameters[name]
        if (typeof value === 'function') return String(value())
        return isList !== undefined && Array.isArray(value) ? value.map(bind).join(', ') : bind(value)
      },
    )
    return [text, bound]
  }
}

/** better-sqlite3 binds a number as REAL, which in a column without a type of its own is another value than the integer. */
function boundForm(value: unknown): unknown {
  if (typeof value === 'boolean') return BigInt(value)
  return Number.isSafeInteger(value) ? BigInt(Number(value)) : value
}
