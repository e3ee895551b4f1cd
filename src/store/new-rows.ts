import { type Fault, isFault } from '../fault.ts'

const rowsAtOnce = 500

/**
 * Passes the rows of a table on, in pages by id. Each call passes those added since the last one; the first call passes
 * all. A page with a refused row does not stop the others.
 */
export function createNewRows<Row extends { readonly id: number }>(
  find: (after: number, most: number) => Promise<readonly Row[]>,
  handOn: (rows: readonly Row[]) => Promise<void>,
): () => Promise<void> {
  let last = 0
  // Looks back one page, because PostgreSQL may commit parallel transactions in another order than that of their row ids.
  return async () => {
    const next = ({ id }: Row): number => (last = Math.max(last, id))
    const refused = await passOnPages(last - rowsAtOnce, { find, handOn, next })
    if (refused !== undefined) throw refused
  }
}

interface Pages<Row, Cursor> {
  readonly find: (after: Cursor, most: number) => Promise<readonly Row[]>
  readonly handOn: (rows: readonly Row[]) => Promise<void>
  /** Where the page behind this row begins. */
  readonly next: (row: Row) => Cursor
}

/**
 * Passes rows on in pages, from behind `first`. A page with a refused row (`hsm.seal_broken`, `hsm.outdated`) does not
 * stop the others. Resolves to the first such fault; any other error rejects at once.
 */
export async function passOnPages<Row, Cursor>(
  first: Cursor,
  { find, handOn, next }: Pages<Row, Cursor>,
): Promise<Fault | undefined> {
  let refused: Fault | undefined
  let after = first
  for (let page = await find(after, rowsAtOnce); page.length > 0; page = await find(after, rowsAtOnce)) {
    try {
      await handOn(page)
    } catch (error) {
      if (!isFault(error, 'hsm.seal_broken') && !isFault(error, 'hsm.outdated')) throw error
      refused ??= error
    }
    const last = page.at(-1)
    if (last !== undefined) after = next(last)
  }
  return refused
}
