import { mayLogIn } from '../../access/capabilities.ts'
import { confirmersOf, operatorId } from '../../access/confirmation.ts'
import type { Permission } from '../../access/permission.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import { findUserById, lockUser } from '../users/records.ts'
import { recoveriesAfter } from '../users/recovery-records.ts'
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
import {
  awakeAdmins,
  confirmedOf,
  openRecoveries,
  recallResting,
  rememberResting,
  setConfirmed,
  type OpenRecovery,
} from './resting-records.ts'

/** A member, and why the membership rests: nothing where it does not. */
export interface ListedMember extends Member {
  readonly open: readonly OpenRecovery[]
}

/**
 * The members of vaults; `by` is who changes one. Through these a vault never loses its last Admin who can act as one,
 * also when two calls act at one moment.
 */
export interface Memberships {
  list(vaultId: number): Promise<ListedMember[]>
  /**
   * A user who was removed while resting rests again, unless `by` may confirm the membership.
   * @throws Fault `user.not_found` also for a user who cannot log in, `vault.member_exists`
   */
  add(member: MembershipKey, permission: Permission, by: number, commit: Commit): Promise<void>
  /** @throws Fault `vault.member_unknown`, `vault.last_admin` */
  change(member: MembershipKey, permission: Permission, by: number, commit: Commit): Promise<void>
  /** @throws Fault `vault.member_unknown`, `vault.last_admin` */
  remove(member: MembershipKey, commit: Commit): Promise<void>
  /**
   * Ends the rest of a membership: see `confirmersOf`. `recovery`: the number of the last recovery that `by` knows of;
   * without it, all that there are at this moment.
   * @throws Fault `vault.member_unknown`, `vault.member_awake`, `access.confirmation`, `store.conflict`
   */
  confirm(member: MembershipKey, by: number, recovery: number | undefined, commit: Commit): Promise<void>
  /**
   * The same by the operator, where no Admin of the vault can.
   * @throws Fault `vault.not_found`, `vault.member_unknown`, `vault.member_awake`, `vault.has_confirmer`
   */
  confirmByOperator(member: MembershipKey, commit: Commit): Promise<void>
  /**
   * The operator's way to give an Admin to a vault whose Admins are all disabled; a member is made one.
   * @throws Fault `vault.not_found`, `vault.has_admin`, `user.not_found` also for a user who cannot log in
   */
  adopt(member: MembershipKey, commit: Commit): Promise<void>
}

export function createMemberships({ store, clock }: { readonly store: Store; readonly clock: Clock }): Memberships {
  return {
    async list(vaultId) {
      const open = await openRecoveries(store.read, vaultId)
      const members = await membersOf(store.read, vaultId)
      return members.map((member) => ({ ...member, open: open.filter(({ userId }) => userId === member.userId) }))
    },

    add: (member, permission, by, commit) =>
      withVaultLocked(member.vaultId, commit, async (tx) => {
        await checkUser(tx, member.userId)
        if (await isMember(tx, member)) throw new Fault('vault.member_exists')
        const confirmed = await recallResting(tx, member)
        const mayConfirm = confirmed === undefined || (await confirmersAfter(tx, member, confirmed)).includes(by)
        await addMember(tx, member, { permission, by, at: clock.now() }, mayConfirm ? undefined : confirmed)
      }),

    change: (member, permission, by, commit) =>
      withVaultLocked(member.vaultId, commit, async (tx) => {
        if (!(await setPermission(tx, member, { permission, by, at: clock.now() }))) throw await refusal(tx, member)
      }),

    remove: (member, commit) =>
      withVaultLocked(member.vaultId, commit, async (tx) => {
        await rememberResting(tx, member)
        if (!(await removeMember(tx, member))) throw await refusal(tx, member)
      }),

    confirm: (member, by, recovery, commit) =>
      confirmAfter(member, commit, ({ recoveries, confirmers }) => {
        if (!confirmers.includes(by)) throw new Fault('access.confirmation')
        if (recovery !== undefined && recovery !== recoveries)
          throw new Fault('store.conflict', 'The member was given something to log in with once more: look again.')
      }),

    confirmByOperator: (member, commit) =>
      confirmAfter(member, commit, ({ confirmers }) => {
        if (confirmers.length > 0) throw new Fault('vault.has_confirmer')
      }),

    adopt: (member, commit) =>
      withVaultLocked(member.vaultId, commit, async (tx) => {
        await checkUser(tx, member.userId)
        if (await hasAdmin(tx, member.vaultId)) throw new Fault('vault.has_admin')
        const grant = { permission: 'Admin', by: operatorId, at: clock.now() } as const
        if (!(await setPermission(tx, member, grant))) await addMember(tx, member, grant)
      }),
  }
}

/** The recoveries of a resting member, and the Admins who may confirm them. */
interface Candidates {
  readonly recoveries: number
  readonly confirmers: readonly number[]
}

/** Ends the rest of a membership after `check` has seen who may confirm it. */
function confirmAfter(member: MembershipKey, commit: Commit, check: (found: Candidates) => void): Promise<void> {
  return withVaultLocked(member.vaultId, commit, async (tx) => {
    // Locked, so that the next recovery of the user waits, and is not confirmed with these.
    await lockUser(tx, member.userId)
    const found = await confirmedOf(tx, member)
    if (found === undefined) throw new Fault('vault.member_unknown')
    const { confirmed, recoveries } = found
    if (confirmed >= recoveries) throw new Fault('vault.member_awake')
    check({ recoveries, confirmers: await confirmersAfter(tx, member, confirmed) })
    await setConfirmed(tx, member, recoveries)
  })
}

async function confirmersAfter(tx: Tx, { vaultId, userId }: MembershipKey, confirmed: number): Promise<number[]> {
  const open = await recoveriesAfter(tx, userId, confirmed)
  return confirmersOf(
    await awakeAdmins(tx, vaultId),
    open.map(({ recoveredBy, recoveredAt }) => ({ by: recoveredBy, at: recoveredAt })),
  )
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
