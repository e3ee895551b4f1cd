import { operatorId } from '../../src/access/confirmation.ts'
import type { Capabilities } from '../../src/access/capabilities.ts'
import { lockedUser } from '../../src/features/users/records.ts'
import { insertRecovery } from '../../src/features/users/recovery-records.ts'
import { changeUser } from '../../src/features/users/user-seals.ts'
import type { TestAppliance } from './appliance.ts'

type Place = Pick<TestAppliance, 'store' | 'hsm'>

/** Without the checks of a call, and without an end of sessions. */
export async function setCapabilities(
  { store, hsm }: Place,
  userId: number,
  capabilities: Capabilities,
): Promise<void> {
  await store.transaction(async (tx) => changeUser(hsm, tx, await lockedUser(tx, userId), { capabilities }))
}

/** One more recovery, by the operator; sessions go on. */
export async function recover({ store, hsm }: Place, userId: number): Promise<void> {
  await store.transaction(async (tx) => {
    const user = await lockedUser(tx, userId)
    const number = user.recoveries + 1
    await changeUser(hsm, tx, user, { recoveries: number, madeBy: null })
    await insertRecovery(tx, { userId, number, recoveredBy: operatorId, recoveredAt: Date.now() })
  })
}
