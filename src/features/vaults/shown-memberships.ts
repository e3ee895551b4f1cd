import type { MembershipKey } from '../../access/permission.ts'
import type { Clock } from '../../clock.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { passOnPages } from '../../store/new-rows.ts'
import type { Reader, Store } from '../../store/store.ts'
import { usersById } from '../users/records.ts'
import { type MembershipRow, membershipsAfter } from './membership-records.ts'
import { vaultsById } from './records.ts'
import { sealedMembership } from './vault-seals.ts'

const beforeAll: MembershipKey = { vaultId: 0, userId: 0 }
/** Covers the lag of another machine's clock, and the time that a commit takes. */
const overlapMs = 600_000

/**
 * Shows the keeper the memberships: all at the first call, later the new ones. If a process is killed right after a commit,
 * the keeper has not seen the new membership, and would take it for one that was never committed. A refused row does not
 * keep the other pages from being shown; its fault is thrown at the end.
 */
export function createShownMemberships({
  store,
  hsm,
  clock,
}: {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Pick<Hsm, 'raise'>
  readonly clock: Clock
}): () => Promise<void> {
  let since = 0
  return async () => {
    const began = clock.now()
    const refused = await passOnPages<MembershipRow, MembershipKey>(beforeAll, {
      find: (after, most) => membershipsAfter(store.read, after, since, most),
      handOn: async (rows) => hsm.raise(await sealedOf(store.read, rows)),
      next: (row) => row,
    })
    since = began - overlapMs
    if (refused !== undefined) throw refused
  }
}

async function sealedOf(reader: Reader, rows: readonly MembershipRow[]): Promise<SealedRecord[]> {
  const vaults = await vaultsById(
    reader,
    rows.map(({ vaultId }) => vaultId),
  )
  const users = await usersById(
    reader,
    rows.map(({ userId }) => userId),
  )
  const [vaultOf, userOf] = [new Map(vaults.map((one) => [one.id, one])), new Map(users.map((one) => [one.id, one]))]
  return rows.flatMap((row) => {
    const [vault, user] = [vaultOf.get(row.vaultId), userOf.get(row.userId)]
    return vault === undefined || user === undefined ? [] : [sealedMembership({ vault, user }, row)]
  })
}
