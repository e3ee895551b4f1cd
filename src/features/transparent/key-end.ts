import { Fault } from '../../fault.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { tokenObjectKek } from '../../hsm/key-kind.ts'
import type { Tx } from '../../store/store.ts'
import { insertPending } from '../destruction/records.ts'
import { entomb } from '../destruction/tombstone.ts'
import { deleteKey, findVersions, type KeyVersion, type TransparentKey } from './records.ts'
import { sealedPolicy, sealedVersion, trusting } from './sealing.ts'

/**
 * Ends a key for good: its rows go, and its tombstone stays. What it has in the token is destroyed after the commit
 * (`Destruction`).
 * @throws Fault `store.conflict` where the key is no longer as it was read
 */
export async function endKey(
  hsm: Pick<Hsm, 'sealTombstone' | 'raise'>,
  tx: Tx,
  key: TransparentKey,
  now: number,
): Promise<void> {
  const tombstone = await trusting(() => entomb(hsm, tx, sealedPolicy(key)))
  await noteObjects(tx, key, await findVersions(tx, key.id), tombstone, now)
  if (!(await deleteKey(tx, key))) throw new Fault('store.conflict')
}

/** Writes down which objects of the token these versions leave behind, and what says that they have ended. */
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
