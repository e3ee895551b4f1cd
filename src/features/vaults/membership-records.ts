import { EntitySchema, MoreThan, MoreThanOrEqual, type WhereExpressionBuilder } from 'typeorm'
import { permissionBits, type Permission } from '../../access/permission.ts'
import { bytes, integer, named, nullable, primary, text, time } from '../../store/columns.ts'
import { findRow, select } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { logsIn } from '../users/records.ts'
import { rests } from '../users/recovery-records.ts'
import { permissionOf, VaultTable } from './records.ts'

export interface MembershipRow {
  readonly vaultId: number
  readonly userId: number
  readonly permission: number
  /** What makes it narrower than Read (`access/scope.ts`); null for nothing. */
  readonly grants: string | null
  readonly addedAt: number
  /** How many recoveries of the user an Admin has admitted or confirmed: the membership rests while there are more. */
  readonly recoveries: number
  /** Who gave the permission, and when; null where it is not known. */
  readonly grantedBy: number | null
  readonly grantedAt: number | null
  /** See `record-generation.ts`. */
  readonly generation: number
  /** Over the record of the membership (`vault-seals.ts`); empty in a row of before that was not taken over. */
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
 * The last record of a member who was removed, from which a membership of the same user goes on: there is either this
 * row or one of a membership. It rests again where an Admin who may not confirm it admits the user anew.
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

/** One user in one vault. */
export type MembershipKey = Pick<MembershipRow, 'vaultId' | 'userId'>

/** Who gives a permission, how narrow, and when. */
export interface Grant {
  readonly permission: Permission
  readonly grants: string | null
  readonly by: number
  readonly at: number
}

/** What a change leaves of a membership, under its seal. */
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

/** Those that were added at that time or later, in the order of their keys. */
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

/** Takes back what is kept of a member who was removed; null for a user who was never a member. */
export async function recallRemoved(tx: Tx, { vaultId, userId }: MembershipKey): Promise<RemovedMember | null> {
  const removed = await tx.findOneBy(RemovedMemberTable, { vaultId, userId })
  if (removed !== null) await tx.delete(RemovedMemberTable, { vaultId, userId })
  return removed
}

export function isMember(reader: Reader, { vaultId, userId }: MembershipKey): Promise<boolean> {
  return reader.existsBy(MembershipTable, { vaultId, userId })
}

/** In SQL, that a membership does not rest. */
export const awake = (membership: string): string =>
  `${membership}.recoveries >= (SELECT w.recoveries FROM users w WHERE w.id = ${membership}.user_id)`

const admins = (vault: string): string =>
  `SELECT 1 FROM vault_members a JOIN users u ON u.id = a.user_id
   WHERE a.vault_id = ${vault} AND a.permission = ${permissionBits.Admin} AND ${logsIn('u')}`

/** In SQL, that the vault keeps an Admin who can log in, and does not rest, without this member. */
const keepsAdmin = `(permission <> ${permissionBits.Admin}
  OR EXISTS (${admins('vault_members.vault_id')} AND NOT (${rests('u', 'a')}) AND a.user_id <> vault_members.user_id))`

/** False, with nothing changed, where there is no such member, or no other Admin would be left who can act as one. */
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

/** False, with nothing changed, for the same reasons. `state`: the last one, without permission. */
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

/** Whether the vault has an Admin who can log in, resting or not. */
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
  readonly grants: string | null
  /** Whether it is a service account, and no person. */
  readonly isService: boolean
  /** Who gave the present pass phrase; null for the user himself, and where it is not known. */
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
