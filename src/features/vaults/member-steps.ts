import { type ActiveAdmin, confirmersOf, operatorId } from '../../access/confirmation.ts'
import { nextGeneration } from '../../hsm/record-generation.ts'
import { type MembershipKey, permissionBits } from '../../access/permission.ts'
import { Fault } from '../../fault.ts'
import type { Tx } from '../../store/store.ts'
import type { User } from '../users/records.ts'
import { recoveriesAfter } from '../users/recovery-records.ts'
import type { Sealer } from '../users/sealed-change.ts'
import {
  addMember,
  findMember,
  recallRemoved,
  removeMember,
  setPermission,
  type Grant,
  type SealedState,
} from './membership-records.ts'
import { activeAdmins, setConfirmed } from './on-hold-records.ts'
import { sealedMembership, sealMembership, type MembershipParties, type MembershipState } from './vault-seals.ts'

/** A user and a vault, both locked, whose membership changes. */
export interface LockedParties extends MembershipParties {
  readonly user: User
  /** Their ids. */
  readonly member: MembershipKey
}

/** Changes of one membership within a transaction. Each seals the next record of the membership. */
export interface MemberSteps {
  /** Adds a user who is not a member. Recoveries of the user count as confirmed where the grantor may confirm them. */
  admit(tx: Tx, parties: LockedParties, grant: Grant): Promise<void>
  /** @throws Fault `vault.member_unknown`, `vault.last_admin` */
  setPermission(tx: Tx, parties: LockedParties, grant: Grant): Promise<void>
  /** @throws Fault `vault.member_unknown`, `vault.last_admin` */
  remove(tx: Tx, parties: LockedParties): Promise<void>
  confirm(tx: Tx, parties: LockedParties, recoveries: number): Promise<void>
}

export function createMemberSteps(hsm: Sealer): MemberSteps {
  /** Seals the next record. The keeper refuses this for an edited row. */
  async function nextState(tx: Tx, parties: LockedParties, changes: Partial<MembershipState>): Promise<SealedState> {
    const row = await findMember(tx, parties.member)
    if (row === null) throw new Fault('vault.member_unknown')
    const { permission, grants, recoveries } = { ...row, ...changes }
    const state = { permission, grants, recoveries, generation: nextGeneration(row.generation) }
    return sealedState(await sealMembership(hsm, tx, parties, state, sealedMembership(parties, row)))
  }

  return {
    async admit(tx, parties, grant) {
      const { member, user } = parties
      const removed = await recallRemoved(tx, member)
      const mayConfirm =
        grant.by === operatorId ||
        removed === null ||
        removed.recoveries >= user.recoveries ||
        (await confirmersAfter(tx, member, removed.recoveries, await activeAdmins(tx, member.vaultId))).includes(
          grant.by,
        )
      const recoveries = mayConfirm ? Math.max(user.recoveries, removed?.recoveries ?? 0) : removed.recoveries
      const { permission, grants } = grant
      const first = {
        permission: permissionBits[permission],
        grants,
        generation: nextGeneration(removed?.generation ?? 0),
      }
      const last = removed === null ? undefined : sealedMembership(parties, { ...removed, ...nothingLeft })
      const state = await sealMembership(hsm, tx, parties, { ...first, recoveries }, last)
      await addMember(tx, member, grant, sealedState(state))
    },

    async setPermission(tx, parties, grant) {
      const state = await nextState(tx, parties, {
        permission: permissionBits[grant.permission],
        grants: grant.grants,
      })
      if (!(await setPermission(tx, parties.member, grant, state))) throw new Fault('vault.last_admin')
    },

    async remove(tx, parties) {
      const state = await nextState(tx, parties, nothingLeft)
      if (!(await removeMember(tx, parties.member, state))) throw new Fault('vault.last_admin')
    },

    async confirm(tx, parties, recoveries) {
      await setConfirmed(tx, parties.member, await nextState(tx, parties, { recoveries }))
    },
  }
}

/** The rights of a removed member. */
const nothingLeft = { permission: 0, grants: null } as const

const sealedState = ({ recoveries, generation, seal }: SealedState): SealedState => ({ recoveries, generation, seal })

/** Those of the Admins who may confirm a member whose recoveries are confirmed up to number `confirmed`. */
export async function confirmersAfter(
  tx: Tx,
  { userId }: MembershipKey,
  confirmed: number,
  admins: readonly ActiveAdmin[],
): Promise<number[]> {
  const open = await recoveriesAfter(tx, userId, confirmed)
  return confirmersOf(
    admins,
    open.map(({ recoveredBy, recoveredAt }) => ({ by: recoveredBy, at: recoveredAt })),
  )
}
