import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Reader } from './store.ts'

/** As many rows as SQLite reads in some 5 ms. */
const rowsAtOnce = 1_000
/** PostgreSQL keeps no worker waiting, and would sort what is left anew for each page. */
const allRows = 2 ** 31 - 1

/**
 * A long list in the order of ids. SQLite has the thread of the worker until it answers: other calls get their turn
 * between the pages, each of which begins behind an id.
 */
export async function readInPages<Row extends { readonly id: number }>(
  { connection }: Reader,
  page: Page<Row>,
): Promise<Row[]> {
  const most = connection.options.type === 'postgres' ? allRows : rowsAtOnce
  const rows: Row[] = []
  for await (const next of pagesOf(page, most)) for (const row of next) rows.push(row)
  return rows
}

/** Reads at most so many of the rows whose ids are higher, in the order of their ids. */
export type Page<Row> = (after: number, most: number) => Promise<readonly Row[]>

/** One page after another, each in a turn of its own, up to one that is not full. */
export async function* pagesOf<Row extends { readonly id: number }>(
  page: Page<Row>,
  most = rowsAtOnce,
): AsyncGenerator<readonly Row[]> {
  for (let after = 0; ;) {
    const rows = await page(after, most)
    yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < most) return
    after = last.id
    await nextTurn()
  }
}
