import { isFault } from '../fault.ts'

const rowsAtOnce = 500

/**
 * Hands the rows of a table on, in pages in the order of their ids; each call those that came since the last one, the
 * first call all. A page with a row that is refused keeps no other from being handed on.
 */
export function createNewRows<Row extends { readonly id: number }>(
  find: (after: number, most: number) => Promise<readonly Row[]>,
  handOn: (rows: readonly Row[]) => Promise<void>,
): () => Promise<void> {
  let last = 0
  return async () => {
    const refused: unknown[] = []
    // PostgreSQL commits parallel transactions in another order than it gave their rows numbers.
    for (let after = last - rowsAtOnce; ; after = last) {
      const page = await find(after, rowsAtOnce)
      if (page.length === 0) break
      try {
        await handOn(page)
      } catch (error) {
        // All others are tried again at the next call.
        if (!isFault(error, 'hsm.seal_broken') && !isFault(error, 'hsm.outdated')) throw error
        refused.push(error)
      }
      last = Math.max(last, page.at(-1)?.id ?? 0)
    }
    if (refused.length > 0) throw refused[0]
  }
}
