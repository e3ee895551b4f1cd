import { Fault, isFault } from '../../fault.ts'
import type { Reader } from '../../store/store.ts'
import { findKey, type StoredKey } from './records.ts'

/** One retry is the normal case; more are needed only where changes follow each other as fast as the uses. */
const maxTries = 10

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
      const isPutBack = tried > 1 && newest !== undefined && isSame(newest, current)
      if (isPutBack || tried === maxTries) throw new Fault(cause.code, cause.detail, { cause })
      current = newest
    }
  }
}

const isSame = (one: StoredKey, other: StoredKey): boolean =>
  one.key.seal.equals(other.key.seal) && one.latest.seal.equals(other.latest.seal)
