import { mayLogIn } from '../../access/capabilities.ts'
import type { Permission } from '../../access/permission.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import { findUserById } from '../users/records.ts'
import {
  addMember,
  hasAdmin,
  isMember,
  membersOf,
  removeMember,
  setPermission,
  type Member,
  type Place,
} from './membership-records.ts'
import { lockVault } from './records.ts'

/** Who shares a vault. A vault never loses its last Admin who can log in through these, whoever acts at the same moment. */
export interface Memberships {
  list(vaultId: number): Promise<Member[]>
  /** @throws Fault `user.not_found` for one who cannot log in as well, `vault.member_exists` */
  add(place: Place, permission: Permission, commit: Commit): Promise<void>
  /** @throws Fault `vault.member_unknown`, `vault.last_admin` */
  change(place: Place, permission: Permission, commit: Commit): Promise<void>
  /** @throws Fault `vault.member_unknown`, `vault.last_admin` */
  remove(place: Place, commit: Commit): Promise<void>
  /**
   * The operator's way to give an Admin to a vault whose Admins are all disabled; whoever is a member is raised.
   * @throws Fault `vault.not_found`, `vault.has_admin`, `user.not_found` for one who cannot log in as well
   */
  adopt(place: Place, commit: Commit): Promise<void>
}

export function createMemberships({ store, clock }: { readonly store: Store; readonly clock: Clock }): Memberships {
  return {
    list: (vaultId) => membersOf(store.read, vaultId),

    add: (place, permission, commit) =>
      commit(async (tx) => {
        await checkUser(tx, place.userId)
        if (await isMember(tx, place)) throw new Fault('vault.member_exists')
        await addMember(tx, place, permission, clock.now())
      }),

    change: (place, permission, commit) =>
      alone(place.vaultId, commit, async (tx) => {
        if (!(await setPermission(tx, place, permission))) throw await refusal(tx, place)
      }),

    remove: (place, commit) =>
      alone(place.vaultId, commit, async (tx) => {
        if (!(await removeMember(tx, place))) throw await refusal(tx, place)
      }),

    adopt: (place, commit) =>
      alone(place.vaultId, commit, async (tx) => {
        await checkUser(tx, place.userId)
        if (await hasAdmin(tx, place.vaultId)) throw new Fault('vault.has_admin')
        if (!(await setPermission(tx, place, 'Admin'))) await addMember(tx, place, 'Admin', clock.now())
      }),
  }
}

/** Two who take each other away must see one another: on PostgreSQL, only one of them may look at a time. */
function alone(vaultId: number, commit: Commit, work: (tx: Tx) => Promise<void>): Promise<void> {
  return commit(async (tx) => {
    if (!(await lockVault(tx, vaultId))) throw new Fault('vault.not_found')
    await work(tx)
  })
}

async function checkUser(tx: Tx, userId: number): Promise<void> {
  const user = await findUserById(tx, userId)
  if (user === null || !mayLogIn(user.capabilities))
    throw new Fault('user.not_found', 'There is no such user, or the user cannot log in.')
}

async function refusal(tx: Tx, place: Place): Promise<Fault> {
  return new Fault((await isMember(tx, place)) ? 'vault.last_admin' : 'vault.member_unknown')
}
