import type { Hsm } from '../../hsm/hsm.ts'
import { createNewRows } from '../../store/new-rows.ts'
import type { Store } from '../../store/store.ts'
import { findUserById, usersAfter } from './records.ts'
import { sealedUser } from './user-seals.ts'

interface Showing {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Pick<Hsm, 'raise'>
}

/**
 * Shows the keeper all accounts, each once after a start. Otherwise another account could take the id of one that it
 * was never shown, and it would believe an older row of such an account.
 */
export const createShownAccounts = ({ store, hsm }: Showing): (() => Promise<void>) =>
  createNewRows(
    (after, most) => usersAfter(store.read, after, most),
    (accounts) => hsm.raise(accounts.map(sealedUser)),
  )

/**
 * Shows the keeper an account that was recovered, before its recoveries are counted. The keeper counts only recoveries of
 * records that it was shown as committed, and it may have ended between the commit and the showing. Not to be called
 * within a transaction, which may see a change that is rolled back.
 */
export async function showRecovered({ store, hsm }: Showing, userId: number): Promise<void> {
  const account = await findUserById(store.read, userId)
  if (account !== null && account.recoveries > 0) await hsm.raise([sealedUser(account)])
}
