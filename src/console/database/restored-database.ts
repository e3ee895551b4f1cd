import { sealedPages } from '../../daemon/sealed-rows.ts'
import { isFault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { removeWaitingLinks } from '../../features/links/records.ts'
import { closeCounts, type ClosedCounts } from '../../features/transparent/count-closing.ts'
import type { ConsoleContext } from '../console-context.ts'

export interface AcceptedDatabase extends ClosedCounts {
  /** Number of ended sessions. */
  readonly ended: number
}

/**
 * Accepts a database that is older than the records the keeper has seen, as one audited change. Its rows become the
 * newest, all sessions end, waiting one-time links are removed, and existing versions of AES-GCM keys no longer
 * encrypt. `more` runs in the same transaction.
 */
export async function acceptRestored<T>(
  { token, change, services, store }: ConsoleContext,
  { operation, target }: { readonly operation: string; readonly target: string },
  more: (tx: Tx) => Promise<T>,
): Promise<AcceptedDatabase & { readonly more: T }> {
  const { sessions, users } = services
  return change(operation, target, async (commit) => {
    const everybody = await users.list()
    // The keeper must accept first, so that the older rows, including sessions, can be changed.
    await token.hsm.acceptRestored()
    await showAll(token.hsm, store.read)
    return commit(async (tx) => {
      let ended = 0
      for (const { id } of everybody) ended += await sessions.endOthers(tx, id)
      // Some links may have been opened after the backup, and each may be opened only once.
      await removeWaitingLinks(tx)
      return { ended, ...(await closeCounts(token.hsm, tx)), more: await more(tx) }
    })
  })
}

/**
 * Shows the keeper all rows at once: until it knows them, a worker, or who writes to the database, could show it other
 * ones. A row that is refused here will be refused later, too.
 */
async function showAll(hsm: Pick<Hsm, 'raise' | 'restoredShown'>, reader: Reader): Promise<void> {
  for await (const page of sealedPages(reader)) {
    const shown = page.flatMap(({ record, seal }) =>
      record === undefined || seal.length === 0 ? [] : [{ record, seal }],
    )
    try {
      await hsm.raise(shown)
    } catch (error) {
      if (!refusals.some((code) => isFault(error, code))) throw error
    }
  }
  await hsm.restoredShown()
}

const refusals = ['hsm.seal_broken', 'hsm.outdated', 'hsm.rejected'] as const
