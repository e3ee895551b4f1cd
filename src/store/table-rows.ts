import { type EntitySchema, MoreThan, type ObjectLiteral } from 'typeorm'
import type { Reader } from './store.ts'

/** The values of a row's primary key, in the order of its columns. */
export type Place = readonly (number | string)[]

/** The columns of a table's primary key, as the code calls them. */
export function keyOf(table: EntitySchema<ObjectLiteral>): string[] {
  return Object.entries(table.options.columns).flatMap(([member, options]) =>
    options?.primary === true ? [member] : [],
  )
}

export function placeOf(keys: readonly string[], row: ObjectLiteral): Place {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- columns of primary keys are numbers and texts
  return keys.map((key) => row[key] as number | string)
}

/** The condition that selects the row with this primary key. */
export function atPlace(keys: readonly string[], place: Place): Record<string, number | string | undefined> {
  return Object.fromEntries(keys.map((key, at) => [key, place[at]]))
}

/** The next rows of a table after a primary key, in its order. */
export function rowsBehind<Row extends ObjectLiteral>(
  reader: Reader,
  table: EntitySchema<Row>,
  keys: readonly string[],
  behind: Place | undefined,
  take: number,
): Promise<Row[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- columns of this table
  const order = Object.fromEntries(keys.map((key) => [key, 'ASC'])) as object
  return reader.find(table, { where: behind === undefined ? {} : behindPlace(keys, behind), order, take })
}

/** Conditions for all greater keys: equal in the first columns, and greater in the next one. */
function behindPlace(keys: readonly string[], place: Place): object[] {
  return keys.map((key, at) => ({
    ...Object.fromEntries(keys.slice(0, at).map((before, index) => [before, place[index]])),
    [key]: MoreThan(place[at]),
  }))
}
