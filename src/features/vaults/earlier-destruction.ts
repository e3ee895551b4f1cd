import type { Hsm } from '../../hsm/hsm.ts'
import { vaultKek } from '../../hsm/key-kind.ts'
import { composeRecord } from '../../hsm/record-layouts.ts'
import type { Store } from '../../store/store.ts'
import { findUnmarked, forgetPending, markPending } from '../destruction/records.ts'
import { isKeyOfVault } from './records.ts'

/**
 * Marks data keys whose destruction release 0.2.0 noted and did not finish. For the operator, on whose word the keeper
 * marks them during the takeover; the daemon then destroys them. A key that a vault still has is removed from the list,
 * as that release did.
 * @throws Fault `hsm.rejected` after the takeover: the row was inserted by an attacker
 */
export async function markEarlier(store: Store, hsm: Pick<Hsm, 'sealEarlier'>): Promise<void> {
  for (const objectId of await findUnmarked(store.read)) {
    if (await isKeyOfVault(store.read, objectId)) {
      await store.transaction((tx) => forgetPending(tx, objectId))
      continue
    }
    const record = composeRecord('unused key', { kek: vaultKek, blob: Buffer.from(objectId, 'hex') })
    const { seal } = await hsm.sealEarlier(record)
    await store.transaction((tx) => markPending(tx, objectId, { record, seal }))
  }
}
