import type { Hsm } from '../../hsm/hsm.ts'
import { vaultKek } from '../../hsm/key-kind.ts'
import type { Store } from '../../store/store.ts'
import { findUnmarked, forgetPending, markPending } from '../destruction/records.ts'
import { isKeyOfVault } from './records.ts'

/**
 * Data keys that a release before was to destroy, and has not: for the operator, by whose word the keeper marks them. The
 * daemon then destroys them. One that a vault has is forgotten, as that release did.
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
