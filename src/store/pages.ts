import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Reader } from './store.ts'

/** As many rows as SQLite reads in some 5 ms. */
const rowsAtOnce = 1_000
/** PostgreSQL keeps no worker waiting, and would sort what is left anew for each page. */
const allRows = 2 ** 31 - 1

/**
 * A long list in the order of ids. SQLite has the thread of the worker until it answers: other calls get their turn between
 * the pages, each of which begins behind an id.
 */
export async function readInPages<Row extends { readonly id: number }>(
  { connection }: Reader,
  page: (after: number, most: number) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const most = connection.options.type === 'postgres' ? allRows : rowsAtOnce
  const rows: Row[] = []
  for (;;) {
    const next = await page(rows.at(-1)?.id ?? 0, most)
    for (const row of next) rows.push(row)
    if (next.length < most) return rows
    await nextTurn()
  }
}
