import { isFault } from '../../fault.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { mostInvocations } from '../../hsm/rotation-due.ts'
import { afterCommit } from '../../store/commit-work.ts'
import type { Tx } from '../../store/store.ts'
import { keyTypeOf } from './key-type.ts'
import { advanceInvocations, findKeysAfter, findVersions, type KeyVersion, type TransparentKey } from './records.ts'
import { invocationsRecord, sealedCount } from './sealing.ts'
import { ofEachVersion } from './version-groups.ts'

const pageSize = 100

export interface ClosedCounts {
  readonly closed: number
  /** Versions whose count has a broken seal. They cannot encrypt in any case. */
  readonly broken: number
}

/**
 * Sets the count of every AES-GCM version to its maximum, so that the next encryption rotates the key. For the operator
 * only, after the database was restored: the restored counts are lower than the encryptions really made, and NIST SP
 * 800-38D §8.3 limits all encryptions with one key.
 */
export async function closeCounts(hsm: Pick<Hsm, 'seal' | 'raise'>, tx: Tx): Promise<ClosedCounts> {
  let [closed, broken, after] = [0, 0, 0]
  for (;;) {
    const keys = await findKeysAfter(tx, after, pageSize)
    if (keys.length === 0) return { closed, broken }
    const counted = keys.filter(({ type }) => (keyTypeOf(type).cipher?.tagBytes ?? 0) > 0)
    for (const key of counted) {
      const open = (await findVersions(tx, key.id)).filter(({ invocations }) => invocations < mostInvocations)
      const seals = await ofEachVersion(open, (version) => sealClosed(hsm, key, version))
      const done = seals.filter((sealed) => sealed !== undefined)
      for (const { version, sealed } of done)
        await advanceInvocations(tx, version, { invocations: mostInvocations, seal: sealed.seal })
      afterCommit(tx, () => hsm.raise(done.map(({ sealed }) => sealed)))
      closed += done.length
      broken += open.length - done.length
    }
    after = keys.at(-1)?.id ?? after
  }
}

/** Undefined for a count that was edited. */
async function sealClosed(
  hsm: Pick<Hsm, 'seal'>,
  key: TransparentKey,
  version: KeyVersion,
): Promise<{ readonly version: KeyVersion; readonly sealed: SealedRecord } | undefined> {
  const record = invocationsRecord(key, version.version, mostInvocations)
  try {
    return { version, sealed: { record, seal: await hsm.seal(record, { previous: sealedCount(key, version) }) } }
  } catch (error) {
    if (isFault(error, 'hsm.seal_broken')) return undefined
    throw error
  }
}
