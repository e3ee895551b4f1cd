import type { Hsm } from '../../hsm/hsm.ts'
import { vaultKek } from '../../hsm/key-kind.ts'
import type { Store } from '../../store/store.ts'
import { findUnmarked, forgetPending, markPending } from '../destruction/records.ts'
import { isKeyOfVault } from './records.ts'

/**
 * Marks data keys whose destruction an earlier release noted and did not finish. For the operator, since the keeper
 * marks them on the operator's word; the daemon then destroys them. A key that a vault still has is removed from the
 * list, as that release did.
 */
export async function markEarlier(store: Store, hsm: Pick<Hsm, 'sealUnused'>): Promise<number> {
  const nothing = Buffer.alloc(0)
  let marked = 0
  for (const objectId of await findUnmarked(store.read)) {
    if (await isKeyOfVault(store.read, objectId)) {
      await store.transaction((tx) => forgetPending(tx, objectId))
      continue
    }
    const object = { kek: vaultKek, blob: Buffer.from(objectId, 'hex') }
    const mark = await hsm.sealUnused({ kind: 'aes256-gcm', ...object, purpose: nothing, provenance: nothing })
    await store.transaction((tx) => markPending(tx, objectId, mark))
    marked += 1
  }
  return marked
}
