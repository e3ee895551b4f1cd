import type { DataSource, EntitySchema, EntitySchemaColumnOptions, ObjectLiteral } from 'typeorm'
import { planNameOf } from './kept-plans.ts'
import type { Reader, Tx } from './store.ts'

/**
 * The columns of a table for a hand-written SELECT, aliased to their names in the code: all of them, or the named
 * members; with a prefix where joined tables share names.
 */
export function selectList<Row extends ObjectLiteral>(
  table: EntitySchema<Row>,
  alias: string,
  { prefix = '', members }: { readonly prefix?: string; readonly members?: readonly (keyof Row)[] } = {},
): string {
  return columnsOf(table)
    .filter(({ member }) => members === undefined || members.includes(member))
    .map(({ member, column }) => `${alias}.${column} AS "${prefix}${member}"`)
    .join(', ')
}

/**
 * The row of such a SELECT in the form of the code. Without a prefix, members that are not columns stay as they are.
 */
export function readRow<Row extends ObjectLiteral>(table: EntitySchema<Row>, selected: object, prefix = ''): Row {
  const given: Record<string, unknown> = { ...selected }
  const row: Record<string, unknown> = prefix === '' ? given : {}
  for (const { member, read } of columnsOf(table)) {
    const value = given[`${prefix}${member}`]
    if (value !== undefined) row[member] = read(value)
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names and forms are the table's own
  return row as Row
}

/**
 * Finds the row whose columns have these values, for frequent reads: TypeORM's query builder takes three times as long.
 */
export async function findRow<Row extends ObjectLiteral>(
  reader: Reader,
  table: EntitySchema<Row>,
  where: Partial<Row>,
): Promise<Row | null> {
  const key = columnsIn(table, where)
  const sql = `SELECT ${selectList(table, 't')} FROM ${nameOf(table)} t ${whereOf(key)}`
  const [row] = await select<object>(reader, sql, valuesIn(key, where))
  return row === undefined ? null : readRow(table, row)
}

/** Inserts a row with all columns but those left out; resolves to its number, which is in the column `returning`. */
export async function insertRow<Row extends ObjectLiteral>(
  tx: Tx,
  table: EntitySchema<Row>,
  row: Partial<Row>,
  returning = 'id',
): Promise<number> {
  const columns = columnsIn(table, row)
  const sql = `INSERT INTO ${nameOf(table)} (${namesOf(columns)}) VALUES (${placeholdersOf(columns)}) RETURNING ${returning} AS returned`
  const [inserted] = await select<{ readonly returned: unknown }>(tx, sql, valuesIn(columns, row))
  return Number(inserted?.returned)
}

/** `$1, $2, …`, one for each of the values. */
export const placeholdersOf = (values: readonly unknown[]): string => values.map((_, at) => `$${at + 1}`).join(', ')

/** Changes columns of the row whose columns have those values; false where there is none. */
export async function changeRow<Row extends ObjectLiteral>(
  tx: Tx,
  table: EntitySchema<Row>,
  where: Partial<Row>,
  row: Partial<Row>,
): Promise<boolean> {
  const [columns, key] = [columnsIn(table, row), columnsIn(table, where)]
  const changes = columns.map(({ column }, at) => `${column} = $${at + 1}`).join(', ')
  const sql = `UPDATE ${nameOf(table)} SET ${changes} ${whereOf(key, columns.length)}`
  return (await change(tx, sql, [...valuesIn(columns, row), ...valuesIn(key, where)])) === 1
}

/** Inserts rows with their own ids, which TypeORM would have PostgreSQL assign anew. */
export async function insertRows<Row extends ObjectLiteral>(
  tx: Tx,
  table: EntitySchema<Row>,
  rows: readonly Row[],
): Promise<void> {
  const columns = columnsOf(table)
  const parameters = (row: number) => columns.map((_, at) => `$${row * columns.length + at + 1}`).join(', ')
  const values = rows.map((_, row) => `(${parameters(row)})`).join(', ')
  const given = rows.flatMap((row) => columns.map(({ member, write }) => write(row[member])))
  await change(tx, `INSERT INTO ${nameOf(table)} (${namesOf(columns)}) VALUES ${values}`, given)
}

interface Column {
  readonly member: string
  readonly column: string
  readonly read: (value: unknown) => unknown
  readonly write: (value: unknown) => unknown
}

const known = new Map<object, readonly Column[]>()

function columnsOf<Row extends ObjectLiteral>(table: EntitySchema<Row>): readonly Column[] {
  const columns = known.get(table) ?? readColumns(table)
  known.set(table, columns)
  return columns
}

function readColumns<Row extends ObjectLiteral>(table: EntitySchema<Row>): Column[] {
  return Object.entries<EntitySchemaColumnOptions | undefined>(table.options.columns).flatMap(([member, options]) => {
    if (options === undefined) return []
    const { name = member, transformer } = options
    if (transformer === undefined || Array.isArray(transformer))
      return [{ member, column: name, read: same, write: same }]
    const read = (value: unknown): unknown => transformer.from(value)
    const write = (value: unknown): unknown => transformer.to(value)
    return [{ member, column: name, read, write }]
  })
}

const same = (value: unknown): unknown => value

const columnsIn = <Row extends ObjectLiteral>(table: EntitySchema<Row>, given: Partial<Row>): readonly Column[] =>
  columnsOf(table).filter(({ member }) => Object.hasOwn(given, member))

const valuesIn = (columns: readonly Column[], given: ObjectLiteral): unknown[] =>
  columns.map(({ member, write }) => write(given[member]))

const nameOf = <Row extends ObjectLiteral>({ options }: EntitySchema<Row>): string => options.tableName ?? options.name
const namesOf = (columns: readonly Column[]): string => columns.map(({ column }) => column).join(', ')
const whereOf = (key: readonly Column[], before = 0): string =>
  `WHERE ${key.map(({ column }, at) => `${column} = $${before + at + 1}`).join(' AND ')}`

/** Runs a SELECT within a transaction or outside. Placeholders are `$1`, `$2`, … for both databases. */
export function select<Row>(reader: Reader, sql: string, parameters: readonly unknown[]): Promise<Row[]> {
  const statement = inDialectOf(reader.connection, sql, parameters)
  return reader.query<Row[]>(statement.sql, statement.parameters)
}

/**
 * Runs a statement within a transaction; resolves to the number of changed rows. Placeholders are `$1`, `$2`, … for
 * both databases.
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
  if (options.type === 'better-sqlite3') return forSqlite(sql, parameters)
  // Gives it the name by which each connection keeps its plan.
  planNameOf(sql)
  return { sql, parameters: [...parameters] }
}

/** A statement for SQLite, with the parameter of each of its `?`. */
interface Statement {
  readonly sql: string
  readonly order: readonly number[]
}

const translated = new Map<string, Statement>()

/**
 * Turns `$1`, `$2`, … into SQLite's `?`, because better-sqlite3 binds a list only to anonymous parameters. Statements
 * are constants of the source, so that the cache is bounded.
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
