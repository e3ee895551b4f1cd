import { EntitySchema, type WhereExpressionBuilder } from 'typeorm'
import { permissionBits, type Permission } from '../../access/permission.ts'
import { integer, named, primary, time } from '../../store/columns.ts'
import { select } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { logsIn } from '../users/records.ts'
import { permissionOf, VaultTable } from './records.ts'

export interface MembershipRow {
  readonly vaultId: number
  readonly userId: number
  readonly permission: number
  readonly addedAt: number
}

export const MembershipTable = new EntitySchema<MembershipRow>({
  name: 'Membership',
  tableName: 'vault_members',
  columns: {
    vaultId: named('vault_id', primary(integer)),
    userId: named('user_id', primary(integer)),
    permission: integer,
    addedAt: named('added_at', time),
  },
})

/** One user in one vault. */
export type MembershipKey = Pick<MembershipRow, 'vaultId' | 'userId'>

export async function addMember(tx: Tx, member: MembershipKey, permission: Permission, now: number): Promise<void> {
  await tx.insert(MembershipTable, { ...member, permission: permissionBits[permission], addedAt: now })
}

export function isMember(reader: Reader, { vaultId, userId }: MembershipKey): Promise<boolean> {
  return reader.existsBy(MembershipTable, { vaultId, userId })
}

const admins = (vault: string): string =>
  `SELECT 1 FROM vault_members a JOIN users u ON u.id = a.user_id
   WHERE a.vault_id = ${vault} AND a.permission = ${permissionBits.Admin} AND ${logsIn('u')}`

/** In SQL, that the vault keeps an Admin who can log in without this member. */
const keepsAdmin = `(permission <> ${permissionBits.Admin}
  OR EXISTS (${admins('vault_members.vault_id')} AND a.user_id <> vault_members.user_id))`

/** False, with nothing changed, where there is no such member, or no other Admin would be left who can log in. */
export async function setPermission(tx: Tx, member: MembershipKey, permission: Permission): Promise<boolean> {
  const update = tx.createQueryBuilder().update(MembershipTable).set({ permission: permissionBits[permission] })
  const changed = await at(update, member, permission === 'Admin' ? undefined : keepsAdmin).execute()
  return changed.affected === 1
}

/** False, with nothing changed, for the same reasons. */
export async function removeMember(tx: Tx, member: MembershipKey): Promise<boolean> {
  return (await at(tx.createQueryBuilder().delete().from(MembershipTable), member, keepsAdmin).execute()).affected === 1
}

function at<Query extends WhereExpressionBuilder>(
  query: Query,
  { vaultId, userId }: MembershipKey,
  condition = '1 = 1',
): Query {
  return query.where('vault_id = :vaultId AND user_id = :userId', { vaultId, userId }).andWhere(condition)
}

export async function removeEveryMember(tx: Tx, vaultId: number): Promise<void> {
  await tx.delete(MembershipTable, { vaultId })
}

/** Whether an Admin can log in and look after the vault. */
export async function hasAdmin(tx: Tx, vaultId: number): Promise<boolean> {
  const found = await tx
    .createQueryBuilder()
    .select('1', 'found')
    .from(VaultTable, 'v')
    .where(`v.id = :vaultId AND EXISTS (${admins('v.id')})`, { vaultId })
    .getRawOne()
  return found !== undefined
}

export interface Member {
  readonly userId: number
  readonly username: string
  readonly fullname: string
  readonly email: string
  readonly capabilities: number
  readonly permission: Permission
}

export async function membersOf(reader: Reader, vaultId: number): Promise<Member[]> {
  const rows = await select<Omit<Member, 'permission' | 'userId'> & { id: number; permission: number }>(
    reader,
    `SELECT u.id, u.username, u.fullname, u.email, u.capabilities, m.permission
     FROM vault_members m JOIN users u ON u.id = m.user_id
     WHERE m.vault_id = $1 ORDER BY u.id`,
    [vaultId],
  )
  return rows.map(({ id: userId, permission, ...row }) => ({ ...row, userId, permission: permissionOf(permission) }))
}

/** A vault as the operator sees it: nothing of what is in it. */
export interface VaultSummary {
  readonly id: number
  readonly name: string
  readonly members: number
  /** Members with Admin who can log in; without one the members cannot be changed. */
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
