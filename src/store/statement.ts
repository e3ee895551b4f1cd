import type { DataSource, EntitySchema, EntitySchemaColumnOptions, ObjectLiteral } from 'typeorm'
import type { Reader, Tx } from './store.ts'

/**
 * The columns of a table for a SELECT written by hand, as hot paths need one, under the names that the code gives them.
 */
export function selectList<Row extends ObjectLiteral>(table: EntitySchema<Row>, alias: string): string {
  return columnsOf(table)
    .map(([member, { name = member }]) => `${alias}.${name} AS "${member}"`)
    .join(', ')
}

/** What such a SELECT gave, as the code knows it; members that are no columns stay as they are. */
export function readRow<Row extends ObjectLiteral>(table: EntitySchema<Row>, selected: object): Row {
  const row = { ...selected } as Record<string, unknown>
  for (const [member, { transformer }] of columnsOf(table))
    if (transformer !== undefined && !Array.isArray(transformer)) row[member] = transformer.from(row[member])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names and forms are the table's own
  return row as Row
}

function columnsOf<Row extends ObjectLiteral>(table: EntitySchema<Row>): [string, EntitySchemaColumnOptions][] {
  return Object.entries<EntitySchemaColumnOptions | undefined>(table.options.columns).flatMap(([member, column]) =>
    column === undefined ? [] : [[member, column]],
  )
}

/** A SELECT in a transaction, or outside any. Placeholders are `$1`, `$2`, … in either dialect. */
export function select<Row>(reader: Reader, sql: string, parameters: readonly unknown[]): Promise<Row[]> {
  const statement = inDialectOf(reader.connection, sql, parameters)
  return reader.query<Row[]>(statement.sql, statement.parameters)
}

/**
 * A statement in a transaction; resolves to the rows that it changed. Placeholders are `$1`, `$2`, … in either dialect.
 */
export async function change(tx: Tx, sql: string, parameters: readonly unknown[]): Promise<number> {
  const runner = tx.queryRunner
  if (runner === undefined) throw new TypeError('a change needs a transaction')
  const statement = inDialectOf(runner.connection, sql, parameters)
  const { affected } = await runner.query(statement.sql, statement.parameters, true)
  if (affected === undefined) throw new TypeError('the database does not say how many rows a statement changed')
  return affected
}

function inDialectOf({ options }: DataSource, sql: string, parameters: readonly unknown[]) {
  return options.type === 'better-sqlite3' ? forSqlite(sql, parameters) : { sql, parameters: [...parameters] }
}

/** A statement for SQLite, and which parameter each of its `?` takes. */
interface Statement {
  readonly sql: string
  readonly order: readonly number[]
}

const translated = new Map<string, Statement>()

/**
 * Turns `$1`, `$2`, … into SQLite's `?`, because better-sqlite3 binds a list only to anonymous parameters.
 * Statements are source text, never built from input, so remembering every one is bounded.
 */
export function forSqlite(sql: string, parameters: readonly unknown[]): { sql: string; parameters: unknown[] } {
  let statement = translated.get(sql)
  if (statement === undefined) {
    const order: number[] = []
    const text = sql.replaceAll(/\$(\d+)/g, (_parameter, number: string) => {
      order.push(Number(number) - 1)
      return '?'
    })
    statement = { sql: text, order }
    translated.set(sql, statement)
  }
  return { sql: statement.sql, parameters: statement.order.map((index) => parameters[index]) }
}
