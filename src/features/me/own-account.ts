import type { Commit, Store } from '../../store/store.ts'
import { lockedUser, personById, type User } from '../users/records.ts'
import type { Sealer } from '../users/sealed-change.ts'
import { checkFields } from '../users/user-fields.ts'
import { changeUser } from '../users/user-seals.ts'

/** What users may read and change of their own account. */
export interface OwnAccounts {
  /** @throws Fault `user.not_found` for a service account */
  read(userId: number): Promise<User>
  /** @throws Fault `user.not_found`, `user.invalid` */
  changeEmail(userId: number, email: string, commit: Commit): Promise<User>
}

export function createOwnAccounts({
  store,
  hsm,
}: {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Sealer
}): OwnAccounts {
  return {
    read: (userId) => personById(store.read, userId),

    async changeEmail(userId, email, commit) {
      checkFields({ email })
      return commit(async (tx) => changeUser(hsm, tx, await lockedUser(tx, userId), { email }))
    },
  }
}
