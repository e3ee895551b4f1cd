import { tellKeeper } from '../../daemon/housekeeping.ts'
import type { Tx } from '../../store/store.ts'
import { removeWaitingLinks } from '../../features/links/records.ts'
import { closeCounts, type ClosedCounts } from '../../features/transparent/count-closing.ts'
import type { ConsoleContext } from '../console-context.ts'

export interface AcceptedDatabase extends ClosedCounts {
  /** Sessions. */
  readonly ended: number
}

/**
 * Accepts a database that is older than what the keeper has seen, as one change of this name: its rows are the newest, all
 * sessions end, one-time links that wait are gone, and no version of an AES-GCM key that is there encrypts any more. `more` is done with it.
 */
export async function acceptRestored<T>(
  { token, change, services }: ConsoleContext,
  { operation, target }: { readonly operation: string; readonly target: string },
  more: (tx: Tx) => Promise<T>,
): Promise<AcceptedDatabase & { readonly more: T }> {
  const { sessions, users } = services
  return change(operation, target, async (commit) => {
    const everybody = await users.list()
    // First, so that rows of the past can be changed, sessions among them.
    await token.hsm.acceptRestored()
    // Until it knows them a worker could show it others; a row that is refused here is refused later, too.
    await tellKeeper(services).catch(() => undefined)
    return commit(async (tx) => {
      let ended = 0
      for (const { id } of everybody) ended += await sessions.endOthers(tx, id)
      // Some of them have been opened since, and each is to be opened once.
      await removeWaitingLinks(tx)
      return { ended, ...(await closeCounts(token.hsm, tx)), more: await more(tx) }
    })
  })
}
