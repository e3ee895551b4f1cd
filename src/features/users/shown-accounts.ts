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
 * Shows the keeper the accounts, each once after a start: one that it was never shown could lose its id to another, and
 * an older row of it would be believed.
 */
export const createShownAccounts = ({ store, hsm }: Showing): (() => Promise<void>) =>
  createNewRows(
    (after, most) => usersAfter(store.read, after, most),
    (accounts) => hsm.raise(accounts.map(sealedUser)),
  )

/**
 * Shows the keeper an account that others have recovered, where its recoveries are about to be counted: it counts those of
 * no record that it was not shown as committed, and it may have ended between the commit and the showing. Outside of any
 * transaction, which may see what comes to nothing.
 */
export async function showRecovered({ store, hsm }: Showing, userId: number): Promise<void> {
  const account = await findUserById(store.read, userId)
  if (account !== null && account.recoveries > 0) await hsm.raise([sealedUser(account)])
}
