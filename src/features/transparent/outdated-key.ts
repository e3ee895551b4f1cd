import { Fault, isFault } from '../../fault.ts'
import type { Reader } from '../../store/store.ts'
import { findKey, progressOfVersions, type StoredKey } from './records.ts'

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
  // Unknown at the first try: an unchanged key may refer to a version that was changed since it was read.
  let before: readonly number[] | undefined
  for (let tried = 1; ; tried++) {
    try {
      return await use(current)
    } catch (cause) {
      if (current === undefined || !isFault(cause, 'hsm.outdated')) throw cause
      const newest = await findKey(read, current.key.vaultId, current.key.name)
      const now = newest && (await progressOf(read, newest))
      const isPutBack = before !== undefined && now !== undefined && !isLater(now, before)
      if (isPutBack || tried === maxTries) throw new Fault(cause.code, cause.detail, { cause })
      current = newest
      before = now
    }
  }
}

/** Numbers that rise with the changes of a key and of all its versions: a use may need any of them. */
const progressOf = async (read: Reader, { key }: StoredKey): Promise<readonly number[]> => [
  key.id,
  key.generation,
  ...(await progressOfVersions(read, key.id)),
]

/** Whether any of the numbers has risen. Rows that only go back and forth are no change of an honest caller. */
const isLater = (now: readonly number[], before: readonly number[]): boolean =>
  now.some((number, at) => number > (before[at] ?? 0))
