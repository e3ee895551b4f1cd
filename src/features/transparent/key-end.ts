import { Fault } from '../../fault.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { tokenObjectKek } from '../../hsm/key-kind.ts'
import type { Tx } from '../../store/store.ts'
import { insertPending } from '../destruction/records.ts'
import { recordTombstone } from '../destruction/tombstone.ts'
import { deleteKey, findVersions, type KeyVersion, type TransparentKey } from './records.ts'
import { sealedPolicy, sealedVersion, mapBrokenSeal } from './sealing.ts'

/**
 * Ends a key for good: deletes its rows and stores its tombstone. Its objects in the token are destroyed after the
 * commit (`Destruction`).
 * @throws Fault `store.conflict` where the key has changed since it was read
 */
export async function endKey(
  hsm: Pick<Hsm, 'sealTombstone' | 'raise'>,
  tx: Tx,
  key: TransparentKey,
  now: number,
): Promise<void> {
  const tombstone = await mapBrokenSeal(() => recordTombstone(hsm, tx, sealedPolicy(key)))
  await noteObjects(tx, key, await findVersions(tx, key.id), tombstone, now)
  if (!(await deleteKey(tx, key))) throw new Fault('store.conflict')
}

/** Notes the token objects of these versions for destruction, with the sealed mark that allows it. */
export async function noteObjects(
  tx: Tx,
  key: TransparentKey,
  versions: readonly KeyVersion[],
  mark: SealedRecord,
  now: number,
): Promise<void> {
  for (const version of versions)
    if (version.kek === tokenObjectKek) {
      const object = { objectId: version.blob.toString('hex'), key: sealedVersion(key, version), mark }
      await insertPending(tx, object, now)
    }
}
