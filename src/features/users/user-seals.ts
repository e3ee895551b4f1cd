import type { SealedRecord } from '../../hsm/hsm.ts'
import { composeRecord, type FieldsOf } from '../../hsm/record-layouts.ts'
import type { Tx } from '../../store/store.ts'
import { updateUser, type User } from './records.ts'
import { sealChange, sealFirst, type Sealer } from './sealed-change.ts'

/** The columns that decide who logs in as whom, and what he may do. */
export function userRecord(user: FieldsOf<'user'>): Buffer {
  return composeRecord('user', { ...user })
}

export const sealedUser = (user: User): SealedRecord => ({ record: userRecord(user), seal: user.seal })

/** A user whose row was inserted gets identity and seal. */
export async function sealNewUser(hsm: Sealer, tx: Tx, user: User): Promise<User> {
  return updateUser(tx, user, await sealFirst(hsm, tx, (identity) => userRecord({ ...user, identity })))
}

/**
 * Changes the row of a user, who is locked and read in this transaction. The keeper seals what concerns the record of
 * the user, and nothing in place of a row that was edited.
 * @throws Fault `hsm.seal_broken`, `hsm.outdated`, `hsm.rejected`
 */
export async function changeUser(hsm: Sealer, tx: Tx, user: User, changes: Partial<User>): Promise<User> {
  if (userRecord({ ...user, ...changes }).equals(userRecord(user))) {
    return Object.keys(changes).length === 0 ? user : updateUser(tx, user, changes)
  }
  const next = { ...changes, generation: user.generation + 1 }
  const seal = await sealChange(hsm, tx, userRecord({ ...user, ...next }), sealedUser(user))
  return updateUser(tx, user, { ...next, seal })
}
