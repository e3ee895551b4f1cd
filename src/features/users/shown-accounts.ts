import type { Hsm } from '../../hsm/hsm.ts'
import { createNewRows } from '../../store/new-rows.ts'
import type { Store } from '../../store/store.ts'
import { usersAfter } from './records.ts'
import { sealedUser } from './user-seals.ts'

/**
 * Shows the keeper all accounts, each once after a start. Otherwise another account could take the id of one that it
 * was never shown, and it would believe an older row of such an account.
 */
export const createShownAccounts = ({
  store,
  hsm,
}: {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'raise'>
}): (() => Promise<void>) =>
  createNewRows(
    (after, most) => usersAfter(store.read, after, most),
    (accounts) => hsm.raise(accounts.map(sealedUser)),
  )
