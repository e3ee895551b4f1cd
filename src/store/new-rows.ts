import { isFault } from '../fault.ts'

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
  return async () => {
    const refused: unknown[] = []
    // Looks back one page, because PostgreSQL may commit parallel transactions in another order than that of their row
    // ids.
    for (let after = last - rowsAtOnce; ; after = last) {
      const page = await find(after, rowsAtOnce)
      if (page.length === 0) break
      try {
        await handOn(page)
      } catch (error) {
        // Any other error: all rows since are tried again by the next call.
        if (!isFault(error, 'hsm.seal_broken') && !isFault(error, 'hsm.outdated')) throw error
        refused.push(error)
      }
      last = Math.max(last, page.at(-1)?.id ?? 0)
    }
    if (refused.length > 0) throw refused[0]
  }
}
