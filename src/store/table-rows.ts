import { type EntitySchema, MoreThan, type ObjectLiteral } from 'typeorm'
import type { Reader } from './store.ts'

/** The values of a row's primary key, in the order of its columns. */
export type RowKey = readonly (number | string)[]

/** The columns of a table's primary key, as the code calls them. */
export function keyColumnsOf(table: EntitySchema<ObjectLiteral>): string[] {
  return Object.entries(table.options.columns).flatMap(([member, options]) =>
    options?.primary === true ? [member] : [],
  )
}

export function rowKeyOf(columns: readonly string[], row: ObjectLiteral): RowKey {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- columns of primary keys are numbers and texts
  return columns.map((column) => row[column] as number | string)
}

/** The condition that selects the row with this primary key. */
export function hasKey(columns: readonly string[], key: RowKey): Record<string, number | string | undefined> {
  return Object.fromEntries(columns.map((column, at) => [column, key[at]]))
}

/** The next rows of a table after a primary key, in the order of its columns. Without a key, the first rows. */
export function rowsAfter<Row extends ObjectLiteral>(
  reader: Reader,
  table: EntitySchema<Row>,
  after: RowKey | undefined,
  take: number,
): Promise<Row[]> {
  const columns = keyColumnsOf(table)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- columns of this table
  const order = Object.fromEntries(columns.map((column) => [column, 'ASC'])) as object
  return reader.find(table, { where: after === undefined ? {} : hasGreaterKey(columns, after), order, take })
}

/** Conditions for all greater keys: equal in the first columns, and greater in the next one. */
function hasGreaterKey(columns: readonly string[], key: RowKey): object[] {
  return columns.map((column, at) => ({
    ...Object.fromEntries(columns.slice(0, at).map((before, index) => [before, key[index]])),
    [column]: MoreThan(key[at]),
  }))
}
