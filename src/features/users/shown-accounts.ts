import type { Hsm } from '../../hsm/hsm.ts'
import { createNewRows } from '../../store/new-rows.ts'
import type { Store } from '../../store/store.ts'
import { usersAfter } from './records.ts'
import { sealedUser } from './user-seals.ts'

/**
 * Shows the keeper the accounts, each once after a start: one that it was never shown could lose its id to another, and
 * an older row of it would be believed.
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
