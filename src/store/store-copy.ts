import { isDeepStrictEqual } from 'node:util'
import type { EntitySchema, ObjectLiteral } from 'typeorm'
import { Fault } from '../fault.ts'
import { copyRowNumbers } from './row-numbers.ts'
import { insertRows } from './statement.ts'
import type { Reader, Store, Tx } from './store.ts'
import { hasKey, keyColumnsOf, rowKeyOf, rowsAfter } from './table-rows.ts'

type Table = EntitySchema<ObjectLiteral>

/** A chunk of a file has some 256 KiB, so that these rows take 50 MiB at most. */
const rowsAtOnce = 200

export interface StoreCopy {
  /** In an order in which rows refer only to earlier tables. */
  readonly tables: readonly Table[]
  readonly from: Store
  readonly to: Store
  /** Told the number of copied rows after each page. */
  readonly progress: (done: number, total: number) => void
  /** Checks the copy before it is committed. */
  readonly check: (copy: Reader) => Promise<void>
}

/**
 * Copies all rows of all tables, in one transaction of each database: all or nothing. Nothing may write to the original
 * meanwhile. Each row is read back from the copy and compared. Resolves to the number of rows.
 * @throws Fault `store.unavailable` for a copy that has rows already, and for a row that differs after copying
 */
export function copyStore({ tables, from, to, progress, check }: StoreCopy): Promise<number> {
  return from.transaction(async (original) => {
    if (from.dialect === 'postgres') {
      await original.query(`LOCK TABLE ${tables.map(nameOf).join(', ')} IN SHARE MODE`)
      // The original is not read while the copy is checked, which takes minutes: it has to stay locked.
      await original.query('SET LOCAL idle_in_transaction_session_timeout = 0')
    }
    return to.transaction(async (copy) => {
      const total = await countRows(original, tables)
      let done = 0
      for (const table of tables) {
        if (await copy.existsBy(table, {})) throw notEmpty(`rows in ${nameOf(table)}`)
        for await (const page of pagesOf(original, table)) {
          await copyPage(copy, table, page)
          progress((done += page.length), total)
        }
        if ((await copy.countBy(table, {})) !== (await original.countBy(table, {}))) throw altered(nameOf(table))
      }
      await copyRowNumbers(original, copy, tables)
      await check(copy)
      return total
    })
  })
}

async function countRows(reader: Reader, tables: readonly Table[]): Promise<number> {
  let total = 0
  for (const table of tables) total += await reader.countBy(table, {})
  return total
}

async function* pagesOf(reader: Reader, table: Table): AsyncGenerator<ObjectLiteral[]> {
  const columns = keyColumnsOf(table)
  for (let page = await rowsAfter(reader, table, undefined, rowsAtOnce); page.length > 0;) {
    yield page
    const last = page.at(-1)
    page = last === undefined ? [] : await rowsAfter(reader, table, rowKeyOf(columns, last), rowsAtOnce)
  }
}

async function copyPage(copy: Tx, table: Table, page: readonly ObjectLiteral[]): Promise<void> {
  try {
    await insertRows(copy, table, page)
  } catch (cause) {
    throw new Fault('store.unavailable', `The new database does not take the rows of ${nameOf(table)}.`, { cause })
  }
  const columns = keyColumnsOf(table)
  const nameOfRow = (row: ObjectLiteral) => rowKeyOf(columns, row).join(' ')
  const arrived = await copy.find(table, { where: page.map((row) => hasKey(columns, rowKeyOf(columns, row))) })
  const byName = new Map(arrived.map((row) => [nameOfRow(row), row]))
  for (const row of page) {
    const there = byName.get(nameOfRow(row))
    const [other] = Object.keys(row).filter((member) => !isDeepStrictEqual(row[member], there?.[member]))
    if (other !== undefined) throw altered(`${nameOf(table)} ${nameOfRow(row)}, ${other},`)
  }
}

const nameOf = ({ options }: Table): string => options.tableName ?? options.name

/** The refusal of a copy that has something already. */
export const notEmpty = (what: string): Fault =>
  new Fault(
    'store.unavailable',
    `The new database is not empty: it has ${what}. Name an empty one. If an interrupted run of this command has left this one, remove it, and run the command again.`,
  )

const altered = (what: string): Fault =>
  new Fault(
    'store.unavailable',
    `${what} reads otherwise in the new database: something changes it there (a trigger, a rule). Nothing was copied.`,
  )
