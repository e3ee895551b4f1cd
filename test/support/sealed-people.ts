import { operatorId } from '../../src/access/confirmation.ts'
import type { Capabilities } from '../../src/access/capabilities.ts'
import { lockedUser } from '../../src/features/users/records.ts'
import { insertRecovery } from '../../src/features/users/recovery-records.ts'
import { changeUser } from '../../src/features/users/user-seals.ts'
import type { TestAppliance } from './appliance.ts'

type Place = Pick<TestAppliance, 'store' | 'hsm'>

/** Changes capabilities without the checks of a call, and without ending sessions. */
export async function setCapabilities(
  { store, hsm }: Place,
  userId: number,
  capabilities: Capabilities,
): Promise<void> {
  await store.transaction(async (tx) => changeUser(hsm, tx, await lockedUser(tx, userId), { capabilities }))
}

/** Counts a recovery by the operator. Sessions continue. */
export async function recover({ store, hsm }: Place, userId: number): Promise<void> {
  await store.transaction(async (tx) => {
    const user = await lockedUser(tx, userId)
    const number = user.recoveries + 1
    await changeUser(hsm, tx, user, { recoveries: number, madeBy: null })
    await insertRecovery(tx, { userId, number, recoveredBy: operatorId, recoveredAt: Date.now() })
  })
}
