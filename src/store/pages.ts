import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Reader } from './store.ts'

/** SQLite reads as many rows in some 5 ms. */
const rowsAtOnce = 1_000
/** PostgreSQL does not block the worker, and would sort the remaining rows again for each page. */
const allRows = 2 ** 31 - 1

/**
 * Reads a long list by id. SQLite blocks the worker's thread while it answers, so that other calls get their turn
 * between the pages.
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

/** Reads at most `most` rows with higher ids than `after`, by id. */
export type Page<Row> = (after: number, most: number) => Promise<readonly Row[]>

/** Reads page after page, each in its own turn of the event loop, until one is not full. */
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
