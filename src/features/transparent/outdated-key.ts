import { Fault, isFault } from '../../fault.ts'
import type { Reader } from '../../store/store.ts'
import { findKey, type StoredKey } from './records.ts'

/** One retry is the normal case. Changes that follow each other as fast as the uses need many. */
const maxTries = 50

/**
 * Uses a key as it was read, and reads it again where token hosts have learned of a newer record meanwhile. A row that
 * stays outdated after that was put back by an attacker or an old copy: the fault then has a cause, so that the journal
 * reports it.
 */
export async function retryOutdated<T>(
  read: Reader,
  stored: StoredKey | undefined,
  use: (stored: StoredKey | undefined) => Promise<T>,
): Promise<T> {
  let current = stored
  for (let tried = 1; ; tried++) {
    try {
      return await use(current)
    } catch (cause) {
      if (current === undefined || !isFault(cause, 'hsm.outdated')) throw cause
      const newest = await findKey(read, current.key.vaultId, current.key.name)
      // On the first try an unchanged key may still refer to a changed version: only the second try is conclusive.
      const isPutBack = tried > 1 && newest !== undefined && !isLater(newest, current)
      if (isPutBack || tried === maxTries) throw new Fault(cause.code, cause.detail, { cause })
      current = newest
    }
  }
}

/** Whether any of the records has risen. Rows that only go back and forth are no change of an honest caller. */
const isLater = (newest: StoredKey, than: StoredKey): boolean =>
  newest.key.id !== than.key.id ||
  newest.key.generation > than.key.generation ||
  newest.latest.version > than.latest.version ||
  newest.latest.generation > than.latest.generation ||
  newest.latest.invocations > than.latest.invocations
