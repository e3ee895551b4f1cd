import { Fault, isFault } from '../../fault.ts'
import { select } from '../../store/statement.ts'
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
async function progressOf(reader: Reader, { key }: StoredKey): Promise<readonly number[]> {
  const sql = `SELECT max(version) AS version, sum(generation) AS generation, sum(invocations) AS invocations
     FROM key_versions WHERE key_id = $1`
  const [row] = await select<Readonly<Record<string, number | string | null>>>(reader, sql, [key.id])
  return [key.id, key.generation, ...[row?.['version'], row?.['generation'], row?.['invocations']].map(Number)]
}

/** Whether any of the numbers has risen. Rows that only go back and forth are no change of an honest caller. */
const isLater = (now: readonly number[], before: readonly number[]): boolean =>
  now.some((number, at) => number > (before[at] ?? 0))
