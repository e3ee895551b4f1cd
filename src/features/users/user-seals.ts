import type { SealedRecord } from '../../hsm/hsm.ts'
import { composeRecord, type FieldsOf } from '../../hsm/record-layouts.ts'
import { nextGeneration } from '../../hsm/record-generation.ts'
import type { Tx } from '../../store/store.ts'
import { updateUser, type User } from './records.ts'
import { sealChange, sealFirst, type Sealer } from './sealed-change.ts'

type SealedColumns = FieldsOf<'user'> & Pick<User, 'service'>

/**
 * The record that the seal of a user covers: the columns that decide who logs in as whom, and what they may do. A
 * service account has a record of another type.
 */
export function userRecord(user: SealedColumns): Buffer {
  const { service: account } = user
  return account === null ? composeRecord('user', { ...user }) : composeRecord('service account', { ...user, account })
}

export const sealedUser = (user: User): SealedRecord => ({ record: userRecord(user), seal: user.seal })

/** Draws the identity of a newly inserted user and seals its row. `owner`: for a service account. */
export async function sealNewUser(hsm: Sealer, tx: Tx, user: User, owner?: User): Promise<User> {
  const recordOf = (identity: Buffer): Buffer => userRecord({ ...user, identity })
  return updateUser(tx, user, await sealFirst(hsm, tx, recordOf, owner && sealedUser(owner)))
}

/**
 * Changes the row of a user that was locked and read in this transaction. The keeper seals changes of sealed columns,
 * and refuses an edited row. `owner`: for a service account.
 * @throws Fault `hsm.seal_broken`, `hsm.outdated`, `hsm.rejected`
 */
export async function changeUser(hsm: Sealer, tx: Tx, user: User, changes: Partial<User>, owner?: User): Promise<User> {
  if (userRecord({ ...user, ...changes }).equals(userRecord(user))) {
    return Object.keys(changes).length === 0 ? user : updateUser(tx, user, changes)
  }
  const next = { ...changes, generation: nextGeneration(user.generation) }
  const record = userRecord({ ...user, ...next })
  const seal = await sealChange(hsm, tx, record, { previous: sealedUser(user), person: owner && sealedUser(owner) })
  return updateUser(tx, user, { ...next, seal })
}
