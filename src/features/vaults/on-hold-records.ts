import type { ActiveAdmin } from '../../access/confirmation.ts'
import { type MembershipKey, permissionBits } from '../../access/permission.ts'
import { select } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { logsIn } from '../users/records.ts'
import { onHold } from '../users/recovery-records.ts'
import { MembershipTable, type SealedState } from './membership-records.ts'

/** Confirms the member for the number of recoveries in `state`. */
export async function setConfirmed(tx: Tx, { vaultId, userId }: MembershipKey, state: SealedState): Promise<void> {
  await tx.update(MembershipTable, { vaultId, userId }, { ...state })
}

/** The Admins of a vault who can log in and are not on hold. */
export function activeAdmins(reader: Reader, vaultId: number): Promise<ActiveAdmin[]> {
  return select<ActiveAdmin>(
    reader,
    `SELECT m.user_id AS "userId", m.granted_by AS "grantedBy", m.granted_at AS "grantedAt"
     FROM vault_members m JOIN users u ON u.id = m.user_id
     WHERE m.vault_id = $1 AND m.permission = ${permissionBits.Admin} AND ${logsIn('u')} AND NOT (${onHold('m')})`,
    [vaultId],
  )
}

/** A recovery for which a member is not confirmed yet. */
export interface OpenRecovery {
  readonly userId: number
  readonly number: number
  readonly by: number
  readonly at: number
}

/** The unconfirmed recoveries of all members on hold in a vault, in their order. */
export function openRecoveries(reader: Reader, vaultId: number): Promise<OpenRecovery[]> {
  return select<OpenRecovery>(
    reader,
    `SELECT r.user_id AS "userId", r.number, r.recovered_by AS "by", r.recovered_at AS "at"
     FROM vault_members m JOIN user_recoveries r ON r.user_id = m.user_id AND r.number > m.recoveries
     WHERE m.vault_id = $1 ORDER BY r.user_id, r.number`,
    [vaultId],
  )
}
