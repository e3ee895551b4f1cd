import type { AwakeAdmin } from '../../access/confirmation.ts'
import { permissionBits } from '../../access/permission.ts'
import { select } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { logsIn } from '../users/records.ts'
import { rests } from '../users/recovery-records.ts'
import { MembershipTable, RemovedMemberTable, type MembershipKey } from './membership-records.ts'

/** How many recoveries of a user there are, and how many of them the membership in a vault has been confirmed for. */
export interface Confirmed {
  readonly confirmed: number
  readonly recoveries: number
}

/** Undefined where the user is no member of the vault. */
export async function confirmedOf(tx: Tx, { vaultId, userId }: MembershipKey): Promise<Confirmed | undefined> {
  const [row] = await select<Confirmed>(
    tx,
    `SELECT m.recoveries AS confirmed, u.recoveries FROM vault_members m JOIN users u ON u.id = m.user_id
     WHERE m.vault_id = $1 AND m.user_id = $2`,
    [vaultId, userId],
  )
  return row
}

export async function setConfirmed(tx: Tx, { vaultId, userId }: MembershipKey, recoveries: number): Promise<void> {
  await tx.update(MembershipTable, { vaultId, userId }, { recoveries })
}

/** The Admins of a vault who can log in and do not rest. */
export function awakeAdmins(reader: Reader, vaultId: number): Promise<AwakeAdmin[]> {
  return select<AwakeAdmin>(
    reader,
    `SELECT m.user_id AS "userId", m.granted_by AS "grantedBy", m.granted_at AS "grantedAt"
     FROM vault_members m JOIN users u ON u.id = m.user_id
     WHERE m.vault_id = $1 AND m.permission = ${permissionBits.Admin} AND ${logsIn('u')} AND NOT (${rests('u', 'm')})`,
    [vaultId],
  )
}

/** A recovery that a resting member is not confirmed for. */
export interface OpenRecovery {
  readonly userId: number
  readonly number: number
  readonly by: number
  readonly at: number
}

/** Those of all members of a vault who rest in it, in their order. */
export function openRecoveries(reader: Reader, vaultId: number): Promise<OpenRecovery[]> {
  return select<OpenRecovery>(
    reader,
    `SELECT r.user_id AS "userId", r.number, r.recovered_by AS "by", r.recovered_at AS "at"
     FROM vault_members m JOIN user_recoveries r ON r.user_id = m.user_id AND r.number > m.recoveries
     WHERE m.vault_id = $1 ORDER BY r.user_id, r.number`,
    [vaultId],
  )
}

/** For which recoveries a member who is about to be removed is confirmed, where the membership rests. */
export async function rememberResting(tx: Tx, member: MembershipKey): Promise<void> {
  const found = await confirmedOf(tx, member)
  if (found !== undefined && found.confirmed < found.recoveries)
    await tx.insert(RemovedMemberTable, { ...member, recoveries: found.confirmed })
}

/** The same of a user who was removed while resting, whom the vault forgets; undefined for any other. */
export async function recallResting(tx: Tx, { vaultId, userId }: MembershipKey): Promise<number | undefined> {
  const found = await tx.findOneBy(RemovedMemberTable, { vaultId, userId })
  await tx.delete(RemovedMemberTable, { vaultId, userId })
  return found?.recoveries
}
