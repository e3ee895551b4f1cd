import { mayLogIn } from '../../access/capabilities.ts'
import { type ActiveAdmin, operatorId } from '../../access/confirmation.ts'
import type { MembershipKey, Permission } from '../../access/permission.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Commit, Reader, Store, Tx } from '../../store/store.ts'
import { isPerson, lockedRow } from '../users/records.ts'
import { showRecovered } from '../users/shown-accounts.ts'
import type { Sealer } from '../users/sealed-change.ts'
import { findMember, membersOf, type Member } from './membership-records.ts'
import { confirmersAfter, createMemberSteps, type LockedParties, type MemberSteps } from './member-steps.ts'
import { provenAdmins } from './proven-admins.ts'
import { findVault, lockVault } from './records.ts'
import { activeAdmins, openRecoveries, type OpenRecovery } from './on-hold-records.ts'

/** What an Admin gives a member. */
export interface GivenRights {
  readonly permission: Permission
  /** See `writeGrants`. Null: all that the permission allows. Undefined: unchanged. */
  readonly grants: string | null | undefined
}

/** A member, with the recoveries because of which the membership is on hold; none where it is not. */
export interface ListedMember extends Member {
  readonly open: readonly OpenRecovery[]
}

/**
 * The members of vaults; `by` is the user who makes a change. A vault always keeps an Admin who can act, even where two
 * changes are made at the same time.
 */
export interface Memberships {
  list(vaultId: number): Promise<ListedMember[]>
  /**
   * Adds a member. A former member who was recovered since the last confirmation is on hold unless `by` may confirm.
   * @throws Fault `user.not_found` also for a user who cannot log in, `vault.member_exists`
   */
  add(member: MembershipKey, given: GivenRights, by: number, commit: Commit): Promise<void>
  /** @throws Fault `vault.member_unknown`, `vault.last_admin`, `request.invalid` for grants with more than Read */
  change(member: MembershipKey, given: GivenRights, by: number, commit: Commit): Promise<void>
  /** @throws Fault `vault.member_unknown`, `vault.last_admin` */
  remove(member: MembershipKey, commit: Commit): Promise<void>
  /**
   * Takes a membership off hold: see `confirmersOf`. `recovery`: the number of the last recovery that `by` knows of;
   * undefined confirms all present ones.
   * @throws Fault `vault.member_unknown`, `vault.member_awake`, `access.confirmation`, `store.conflict`
   */
  confirm(member: MembershipKey, by: number, recovery: number | undefined, commit: Commit): Promise<void>
  /**
   * The same by the operator, for a vault in which no Admin may confirm. `missing`: see `provenAdmins`.
   * @throws Fault `vault.not_found`, `vault.member_unknown`, `vault.member_awake`, `vault.has_confirmer`
   */
  confirmByOperator(member: MembershipKey, missing: number, commit: Commit): Promise<void>
  /**
   * Gives an Admin to a vault whose Admins are all disabled, for the operator. An existing member becomes Admin.
   * `missing`: see `provenAdmins`.
   * @throws Fault `vault.not_found`, `vault.has_admin`, `user.not_found` also for a user who cannot log in
   */
  adopt(member: MembershipKey, missing: number, commit: Commit): Promise<void>
}

export function createMemberships({
  store,
  hsm,
  clock,
}: {
  readonly store: Store
  readonly hsm: Sealer & Pick<Hsm, 'knownSubjects' | 'checkVaultNumber'>
  readonly clock: Clock
}): Memberships {
  const steps = createMemberSteps(hsm)
  const withCounted = countedIn({ store, hsm })

  const confirmAfter = confirming(withCounted, steps)
  const provenActiveAdmins = (missing: number) => async (tx: Tx, parties: LockedParties) =>
    (await provenAdmins(hsm, tx, vaultOf(parties), missing)).filter(({ isOnHold }) => !isOnHold)

  return {
    list: (vaultId) => listedMembers(store.read, vaultId),

    add: (member, { permission, grants = null }, by, commit) =>
      withCounted(
        member,
        commit,
        async (tx, parties) => {
          checkUser(parties)
          if ((await findMember(tx, member)) !== null) throw new Fault('vault.member_exists')
          checkNarrow(parties, permission, grants)
          await steps.admit(tx, parties, { permission, grants, by, at: clock.now() })
        },
        noSuchUser,
      ),

    change: (member, { permission, grants: given }, by, commit) =>
      withVaultLocked(member, commit, async (tx, parties) => {
        // A client that does not know grants leaves them unchanged instead of removing them.
        const grants = given === undefined ? ((await findMember(tx, member))?.grants ?? null) : given
        checkNarrow(parties, permission, grants)
        await steps.setPermission(tx, parties, { permission, grants, by, at: clock.now() })
      }),

    remove: (member, commit) => withVaultLocked(member, commit, (tx, parties) => steps.remove(tx, parties)),

    confirm: (member, by, recovery, commit) =>
      confirmAfter(member, commit, activeAdminsOf, ({ recoveries, confirmers }) => {
        if (!confirmers.includes(by)) throw new Fault('access.confirmation')
        if (recovery !== undefined && recovery !== recoveries)
          throw new Fault(
            'store.conflict',
            'Another person gave the member a pass phrase or a factor meanwhile: read the members again, and decide.',
          )
      }),

    confirmByOperator: (member, missing, commit) =>
      confirmAfter(member, commit, provenActiveAdmins(missing), ({ confirmers }) => {
        if (confirmers.length > 0) throw new Fault('vault.has_confirmer')
      }),

    adopt: (member, missing, commit) =>
      withCounted(
        member,
        commit,
        async (tx, parties) => {
          checkPerson(parties)
          if ((await provenAdmins(hsm, tx, vaultOf(parties), missing)).length > 0) throw new Fault('vault.has_admin')
          const grant = { permission: 'Admin', grants: null, by: operatorId, at: clock.now() } as const
          const row = await findMember(tx, member)
          await (row === null ? steps.admit(tx, parties, grant) : steps.setPermission(tx, parties, grant))
        },
        noSuchUser,
      ),
  }
}

const vaultOf = ({ member, vault }: LockedParties) => ({ id: member.vaultId, identity: vault.identity })

/** Takes a membership off hold, unless `check` throws for those of the vault's Admins who may confirm it. */
function confirming(withCounted: typeof withVaultLocked, steps: MemberSteps) {
  return (
    key: MembershipKey,
    commit: Commit,
    adminsOf: (tx: Tx, parties: LockedParties) => Promise<readonly ActiveAdmin[]>,
    check: (found: Candidates) => void,
  ): Promise<void> =>
    withCounted(key, commit, async (tx, parties) => {
      const row = await findMember(tx, key)
      if (row === null) throw new Fault('vault.member_unknown')
      // The user is locked, so that a parallel recovery waits and is not confirmed along with these.
      const { recoveries } = parties.user
      if (row.recoveries >= recoveries) throw new Fault('vault.member_awake')
      const confirmers = await confirmersAfter(tx, key, row.recoveries, await adminsOf(tx, parties))
      check({ recoveries, confirmers })
      await steps.confirm(tx, parties, recoveries)
    })
}

const activeAdminsOf = (tx: Tx, { member }: LockedParties) => activeAdmins(tx, member.vaultId)

async function listedMembers(reader: Reader, vaultId: number): Promise<ListedMember[]> {
  const open = await openRecoveries(reader, vaultId)
  const members = await membersOf(reader, vaultId)
  return members.map((member) => ({ ...member, open: open.filter(({ userId }) => userId === member.userId) }))
}

/** The recoveries of a member on hold, and the Admins who may confirm them. */
interface Candidates {
  readonly recoveries: number
  readonly confirmers: readonly number[]
}

/**
 * Locks the vault, since two Admins who remove each other must see each other's change (PostgreSQL would let both read
 * at once).
 */
function withVaultLocked(
  member: MembershipKey,
  commit: Commit,
  work: (tx: Tx, parties: LockedParties) => Promise<void>,
  absent = () => new Fault('vault.member_unknown'),
): Promise<void> {
  return commit(async (tx) => {
    const vault = (await lockVault(tx, member.vaultId)) ? await findVault(tx, member.vaultId) : null
    if (vault === null) throw new Fault('vault.not_found')
    const user = await lockedRow(tx, member.userId)
    if (user === null) throw absent()
    await work(tx, { member, vault, user })
  })
}

/** The same for what counts the recoveries of the member. */
function countedIn(on: { readonly store: Store; readonly hsm: Sealer }): typeof withVaultLocked {
  return async (member, ...rest) => {
    await showRecovered(on, member.userId)
    return withVaultLocked(member, ...rest)
  }
}

/** @throws Fault `request.invalid` */
function checkNarrow({ user }: LockedParties, permission: Permission, grants: string | null): void {
  if (grants === null && !isPerson(user))
    throw new Fault(
      'request.invalid',
      'A service account needs grants: say in grants what it may do in this vault, with status 1.',
    )
  if (grants === null || permission === 'Read') return
  throw new Fault(
    'request.invalid',
    `Grants narrow Read: give ${permission} with grants null, or status 1 with the grants.`,
  )
}

const noSuchUser = (): Fault => new Fault('user.not_found', 'There is no such user, or the user cannot log in.')

function checkPerson(parties: LockedParties): void {
  checkUser(parties)
  if (!isPerson(parties.user)) throw noSuchUser()
}

function checkUser({ user }: LockedParties): void {
  if (!mayLogIn(user.capabilities)) throw noSuchUser()
}
