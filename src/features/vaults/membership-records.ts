import { EntitySchema, MoreThan, MoreThanOrEqual, type WhereExpressionBuilder } from 'typeorm'
import { type MembershipKey, permissionBits, type Permission } from '../../access/permission.ts'
import { bytes, integer, named, nullable, primary, text, time } from '../../store/columns.ts'
import { findRow, select } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { logsIn } from '../users/records.ts'
import { onHold } from '../users/recovery-records.ts'
import { permissionOf } from './records.ts'

export interface MembershipRow {
  readonly vaultId: number
  readonly userId: number
  readonly permission: number
  /** The grants that narrow it (`access/scope.ts`); null where nothing does. */
  readonly grants: string | null
  readonly addedAt: number
  /**
   * The user's recoveries that an Admin has admitted or confirmed. While the user has more, the membership is on hold.
   */
  readonly recoveries: number
  /** Who gave the permission, and when; null where it is not known. */
  readonly grantedBy: number | null
  readonly grantedAt: number | null
  /** See `record-generation.ts`. */
  readonly generation: number
  /**
   * Seal over the record of the membership (`vault-seals.ts`); empty in a row of an earlier release that was not taken
   * over.
   */
  readonly seal: Buffer
}

export const MembershipTable = new EntitySchema<MembershipRow>({
  name: 'Membership',
  tableName: 'vault_members',
  columns: {
    vaultId: named('vault_id', primary(integer)),
    userId: named('user_id', primary(integer)),
    permission: integer,
    grants: nullable(text),
    addedAt: named('added_at', time),
    recoveries: integer,
    grantedBy: named('granted_by', nullable(integer)),
    grantedAt: named('granted_at', nullable(time)),
    generation: integer,
    seal: bytes,
  },
})

/**
 * The last record of a removed member, which the next membership of this user continues. Of each user and vault there
 * is either this row or one of a membership. The new membership is on hold where the Admin who adds the user may not
 * confirm the recoveries since.
 */
export type RemovedMember = MembershipKey & Pick<MembershipRow, 'recoveries' | 'generation' | 'seal'>

export const RemovedMemberTable = new EntitySchema<RemovedMember>({
  name: 'RemovedMember',
  tableName: 'removed_members',
  columns: {
    vaultId: named('vault_id', primary(integer)),
    userId: named('user_id', primary(integer)),
    recoveries: integer,
    generation: integer,
    seal: bytes,
  },
})

/** Who gives a permission, with which grants, and when. */
export interface Grant {
  readonly permission: Permission
  readonly grants: string | null
  readonly by: number
  readonly at: number
}

/** The sealed part of a membership after a change. */
export type SealedState = Pick<MembershipRow, 'recoveries' | 'generation' | 'seal'>

export async function addMember(
  tx: Tx,
  member: MembershipKey,
  { permission, grants, by: grantedBy, at }: Grant,
  state: SealedState,
): Promise<void> {
  const grant = { permission: permissionBits[permission], grants, grantedBy, grantedAt: at, addedAt: at }
  await tx.insert(MembershipTable, { ...member, ...grant, ...state })
}

export function findMember(reader: Reader, { vaultId, userId }: MembershipKey): Promise<MembershipRow | null> {
  return findRow(reader, MembershipTable, { vaultId, userId })
}

/** Memberships added at `since` or later, in the order of their keys, from behind the given one. */
export function membershipsAfter(
  reader: Reader,
  { vaultId, userId }: MembershipKey,
  since: number,
  most: number,
): Promise<MembershipRow[]> {
  const addedAt = MoreThanOrEqual(since)
  return reader.find(MembershipTable, {
    where: [
      { vaultId, userId: MoreThan(userId), addedAt },
      { vaultId: MoreThan(vaultId), addedAt },
    ],
    order: { vaultId: 'ASC', userId: 'ASC' },
    take: most,
  })
}

/** Removes and returns the last record of a removed member; null for a user who was never a member. */
export async function recallRemoved(tx: Tx, { vaultId, userId }: MembershipKey): Promise<RemovedMember | null> {
  const removed = await tx.findOneBy(RemovedMemberTable, { vaultId, userId })
  if (removed !== null) await tx.delete(RemovedMemberTable, { vaultId, userId })
  return removed
}

/** SQL condition: the membership is not on hold. */
export const notOnHold = (membership: string): string =>
  `${membership}.recoveries >= (SELECT w.recoveries FROM users w WHERE w.id = ${membership}.user_id)`

const admins = (vault: string): string =>
  `SELECT 1 FROM vault_members a JOIN users u ON u.id = a.user_id
   WHERE a.vault_id = ${vault} AND a.permission = ${permissionBits.Admin} AND ${logsIn('u')}`

/**
 * SQL condition: without this member the vault still has an Admin who can log in and whose membership is not on hold.
 */
const keepsAdmin = `(permission <> ${permissionBits.Admin}
  OR EXISTS (${admins('vault_members.vault_id')} AND NOT (${onHold('a')}) AND a.user_id <> vault_members.user_id))`

/** False, with nothing changed, where the user is not a member, or no Admin who can act would be left. */
export async function setPermission(
  tx: Tx,
  member: MembershipKey,
  { permission, grants, by: grantedBy, at: grantedAt }: Grant,
  state: SealedState,
): Promise<boolean> {
  const grant = { permission: permissionBits[permission], grants, grantedBy, grantedAt, ...state }
  const update = tx.createQueryBuilder().update(MembershipTable).set(grant)
  const changed = await at(update, member, permission === 'Admin' ? undefined : keepsAdmin).execute()
  return changed.affected === 1
}

/** False, with nothing changed, for the same reasons. `state`: the last state, without permission. */
export async function removeMember(tx: Tx, member: MembershipKey, state: SealedState): Promise<boolean> {
  const removed = await at(tx.createQueryBuilder().delete().from(MembershipTable), member, keepsAdmin).execute()
  if (removed.affected !== 1) return false
  await tx.insert(RemovedMemberTable, { ...member, ...state })
  return true
}

function at<Query extends WhereExpressionBuilder>(
  query: Query,
  { vaultId, userId }: MembershipKey,
  condition = '1 = 1',
): Query {
  return query.where('vault_id = :vaultId AND user_id = :userId', { vaultId, userId }).andWhere(condition)
}

export async function removeEveryMember(tx: Tx, vaultId: number): Promise<void> {
  await tx.delete(RemovedMemberTable, { vaultId })
  await tx.delete(MembershipTable, { vaultId })
}

export interface Member {
  readonly userId: number
  readonly username: string
  readonly fullname: string
  readonly email: string
  readonly capabilities: number
  readonly permission: Permission
  readonly grants: string | null
  /** Whether the member is a service account. */
  readonly isService: boolean
  /** Who set the present pass phrase; null for the user, and where it is not known. */
  readonly passphraseBy: number | null
}

export async function membersOf(reader: Reader, vaultId: number): Promise<Member[]> {
  const rows = await select<
    Omit<Member, 'permission' | 'userId' | 'isService'> & { id: number; permission: number; service: string | null }
  >(
    reader,
    `SELECT u.id, u.username, u.fullname, u.email, u.capabilities, u.passphrase_by AS "passphraseBy", m.permission, m.grants, u.service
     FROM vault_members m JOIN users u ON u.id = m.user_id
     WHERE m.vault_id = $1 ORDER BY u.id`,
    [vaultId],
  )
  return rows.map(({ id: userId, permission, service, ...row }) => ({
    ...row,
    userId,
    permission: permissionOf(permission),
    isService: service !== null,
  }))
}

/** A vault as the operator sees it, without its contents. */
export interface VaultSummary {
  readonly id: number
  readonly name: string
  readonly members: number
  /** Admins who can log in. Without one, the members cannot be changed. */
  readonly activeAdmins: number
  readonly createdAt: number
}

export async function summariesOf(reader: Reader): Promise<VaultSummary[]> {
  const rows = await select<{ id: number; name: string; members: number; admins: number; created_at: number }>(
    reader,
    `SELECT v.id, v.name, v.created_at, count(u.id) AS members,
       count(CASE WHEN m.permission = ${permissionBits.Admin} AND ${logsIn('u')} THEN 1 END) AS admins
     FROM vaults v LEFT JOIN vault_members m ON m.vault_id = v.id LEFT JOIN users u ON u.id = m.user_id
     GROUP BY v.id, v.name, v.created_at ORDER BY v.id`,
    [],
  )
  return rows.map(({ id, name, members, admins: activeAdmins, created_at: createdAt }) => ({
    id,
    name,
    members,
    activeAdmins,
    createdAt,
  }))
}
