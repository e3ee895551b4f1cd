import { Fault, isFault } from '../../fault.ts'
import type { Reader } from '../../store/store.ts'
import { findKey, type StoredKey } from './records.ts'

/** A use meets one change seldom, and more only where they follow one another as fast as it works. */
const maxTries = 10

/**
 * Uses a key as it was read; where token hosts have learned of a change since then, again as it is now. A row that is
 * too old and stays so was put back: the cause makes the operator hear of it.
 */
export async function asItIsNow<T>(
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
      // What did not change may name a version that did, which the second try reads.
      const isPutBack = tried > 1 && newest !== undefined && isSame(newest, current)
      if (isPutBack || tried === maxTries) throw new Fault(cause.code, cause.detail, { cause })
      current = newest
    }
  }
}

const isSame = (one: StoredKey, other: StoredKey): boolean =>
  one.key.seal.equals(other.key.seal) && one.latest.seal.equals(other.latest.seal)
