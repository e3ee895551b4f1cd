import type { Hsm } from '../../hsm/hsm.ts'
import { vaultKek } from '../../hsm/key-kind.ts'
import { insertPending } from '../destruction/records.ts'
import type { Tx } from '../../store/store.ts'

/**
 * Marks data keys in the token that no vault of a restored database has, so that the daemon destroys them. For the
 * operator, since the keeper marks them on the operator's word.
 */
export async function markStray(
  hsm: Pick<Hsm, 'sealUnused'>,
  tx: Tx,
  objectIds: readonly string[],
  now: number,
): Promise<void> {
  const nothing = Buffer.alloc(0)
  for (const objectId of objectIds) {
    const object = { kek: vaultKek, blob: Buffer.from(objectId, 'hex') }
    const mark = await hsm.sealUnused({ kind: 'aes256-gcm', ...object, purpose: nothing, provenance: nothing })
    // In place of the key's record stands the mark, which names the object itself.
    await insertPending(tx, { objectId, key: mark, mark }, now)
  }
}
