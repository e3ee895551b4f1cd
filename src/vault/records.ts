import { EntitySchema, LessThanOrEqual } from 'typeorm'
import { permissionBits, permissionFromBit, type Permission } from '../access/permission.ts'
import { bytes, id, integer, named, primary, text, time } from '../store/columns.ts'
import type { Store, Tx } from '../store/store.ts'

export interface Vault {
  readonly id: number
  readonly name: string
  readonly policyId: number
  readonly description: string
  /** 32 hexadecimal digits: of a data key in the token, its CKA_ID. */
  readonly keyId: string
  /** `vault` for a data key in the token, else the label of the KEK that wraps it. */
  readonly keyKek: string
  /** CKA_ID, or the wrapped key. */
  readonly keyBlob: Buffer
  /** Made in the token over the key and the vault's id: 32 bytes. */
  readonly keySeal: Buffer
  /** Encryptions made with the data key. */
  readonly keyUses: number
  readonly createdAt: number
  /** 0 or 1: whether the first use of a name makes a transparent key. */
  readonly createsKeysOnUse: number
  /** The permission bit that signing needs. */
  readonly signingPermission: number
}

export const VaultTable = new EntitySchema<Vault>({
  name: 'Vault',
  tableName: 'vaults',
  columns: {
    id,
    name: text,
    policyId: named('policy_id', integer),
    description: text,
    keyId: named('key_id', text),
    keyKek: named('key_kek', text),
    keyBlob: named('key_blob', bytes),
    keySeal: named('key_seal', bytes),
    keyUses: named('key_uses', integer),
    createdAt: named('created_at', time),
    createsKeysOnUse: named('creates_keys_on_use', integer),
    signingPermission: named('signing_permission', integer),
  },
})

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

export async function insertVault(tx: Tx, vault: Omit<Vault, 'id'>): Promise<Vault> {
  const inserted = await tx.insert(VaultTable, vault)
  return { ...vault, id: Number(inserted.identifiers[0]?.['id']) }
}

export async function sealVaultKey(tx: Tx, vaultId: number, keySeal: Buffer): Promise<void> {
  await tx.update(VaultTable, { id: vaultId }, { keySeal })
}

/** Counts encryptions with the vault's data key; false, and nothing counted, where they would be more than `most`. */
export async function countKeyUses(tx: Tx, vaultId: number, uses: number, most: number): Promise<boolean> {
  const counted = await tx
    .createQueryBuilder()
    .update(VaultTable)
    .set({ keyUses: () => 'key_uses + :uses' })
    .setParameters({ uses })
    .where({ id: vaultId, keyUses: LessThanOrEqual(most - uses) })
    .execute()
  return counted.affected === 1
}

export async function addMember(
  tx: Tx,
  vaultId: number,
  userId: number,
  permission: Permission,
  now: number,
): Promise<void> {
  await tx.insert(MembershipTable, { vaultId, userId, permission: permissionBits[permission], addedAt: now })
}

export type KeyRules = Pick<Vault, 'createsKeysOnUse' | 'signingPermission'>

export function findKeyRules(tx: Tx, vaultId: number): Promise<KeyRules> {
  return tx.findOneByOrFail(VaultTable, { id: vaultId })
}

export async function changeKeyRules(tx: Tx, vaultId: number, rules: Partial<KeyRules>): Promise<void> {
  await tx.update(VaultTable, { id: vaultId }, rules)
}

export async function isKeyInUse(store: Store, keyId: string): Promise<boolean> {
  return (await store.query('SELECT 1 FROM vaults WHERE key_id = $1', [keyId])).length > 0
}

/** A vault as one of its members sees it. */
export interface SharedVault extends Pick<Vault, 'id' | 'name' | 'policyId' | 'description'> {
  readonly permission: Permission
}

export async function vaultsOf(store: Store, userId: number): Promise<SharedVault[]> {
  const rows = await store.query<{
    id: number
    name: string
    policy_id: number
    description: string
    permission: number
  }>(
    `SELECT v.id, v.name, v.policy_id, v.description, m.permission
     FROM vault_members m JOIN vaults v ON v.id = m.vault_id
     WHERE m.user_id = $1 ORDER BY v.id`,
    [userId],
  )
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    policyId: row.policy_id,
    description: row.description,
    permission: permissionOf(row.permission),
  }))
}

export interface Member {
  readonly userId: number
  readonly username: string
  readonly fullname: string
  readonly email: string
  readonly capabilities: number
  readonly permission: Permission
}

export async function membersOf(store: Store, vaultId: number): Promise<Member[]> {
  const rows = await store.query<Omit<Member, 'permission' | 'userId'> & { id: number; permission: number }>(
    `SELECT u.id, u.username, u.fullname, u.email, u.capabilities, m.permission
     FROM vault_members m JOIN users u ON u.id = m.user_id
     WHERE m.vault_id = $1 ORDER BY u.id`,
    [vaultId],
  )
  return rows.map(({ id: userId, permission, ...row }) => ({ ...row, userId, permission: permissionOf(permission) }))
}

export function permissionOf(bit: number): Permission {
  const permission = permissionFromBit(bit)
  if (permission === undefined) throw new TypeError(`a membership has the permission ${bit}`)
  return permission
}
