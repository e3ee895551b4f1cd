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
  type MembershipKey,
} from './membership-records.ts'
import { lockVault } from './records.ts'

/**
 * The members of vaults. Through these a vault never loses its last Admin who can log in, also when two calls act at
 * one moment.
 */
export interface Memberships {
  list(vaultId: number): Promise<Member[]>
  /** @throws Fault `user.not_found` also for a user who cannot log in, `vault.member_exists` */
  add(member: MembershipKey, permission: Permission, commit: Commit): Promise<void>
  /** @throws Fault `vault.member_unknown`, `vault.last_admin` */
  change(member: MembershipKey, permission: Permission, commit: Commit): Promise<void>
  /** @throws Fault `vault.member_unknown`, `vault.last_admin` */
  remove(member: MembershipKey, commit: Commit): Promise<void>
  /**
   * The operator's way to give an Admin to a vault whose Admins are all disabled; a member is made one.
   * @throws Fault `vault.not_found`, `vault.has_admin`, `user.not_found` also for a user who cannot log in
   */
  adopt(member: MembershipKey, commit: Commit): Promise<void>
}

export function createMemberships({ store, clock }: { readonly store: Store; readonly clock: Clock }): Memberships {
  return {
    list: (vaultId) => membersOf(store.read, vaultId),

    add: (member, permission, commit) =>
      commit(async (tx) => {
        await checkUser(tx, member.userId)
        if (await isMember(tx, member)) throw new Fault('vault.member_exists')
        await addMember(tx, member, permission, clock.now())
      }),

    change: (member, permission, commit) =>
      withVaultLocked(member.vaultId, commit, async (tx) => {
        if (!(await setPermission(tx, member, permission))) throw await refusal(tx, member)
      }),

    remove: (member, commit) =>
      withVaultLocked(member.vaultId, commit, async (tx) => {
        if (!(await removeMember(tx, member))) throw await refusal(tx, member)
      }),

    adopt: (member, commit) =>
      withVaultLocked(member.vaultId, commit, async (tx) => {
        await checkUser(tx, member.userId)
        if (await hasAdmin(tx, member.vaultId)) throw new Fault('vault.has_admin')
        if (!(await setPermission(tx, member, 'Admin'))) await addMember(tx, member, 'Admin', clock.now())
      }),
  }
}

/** Two Admins who remove each other must see one another: on PostgreSQL, only one of them may look at a time. */
function withVaultLocked(vaultId: number, commit: Commit, work: (tx: Tx) => Promise<void>): Promise<void> {
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

async function refusal(tx: Tx, member: MembershipKey): Promise<Fault> {
  return new Fault((await isMember(tx, member)) ? 'vault.last_admin' : 'vault.member_unknown')
}
