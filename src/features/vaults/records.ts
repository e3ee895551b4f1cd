import { EntitySchema, In } from 'typeorm'
import { permissionFromBit, type Permission } from '../../access/permission.ts'
import { scopeOf, type Scope } from '../../access/scope.ts'
import { Fault } from '../../fault.ts'
import { bytes, id, integer, named, text, time } from '../../store/columns.ts'
import { change, findRow, insertRow, select } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { onHold } from '../users/recovery-records.ts'

export interface Vault {
  readonly id: number
  /**
   * 32 random hexadecimal digits by which backups name the vault; unlike the id, it is never used again after a
   * restore.
   */
  readonly identity: string
  /** The identity of the user who created it; empty for a vault that is older than these identities. */
  readonly creator: Buffer
  /**
   * Seal over the record of the vault (`vault-seals.ts`); empty in a row of an earlier release that was not taken over.
   */
  readonly seal: Buffer
  readonly name: string
  readonly policyId: number
  readonly description: string
  /** 32 hexadecimal digits; for a data key in the token, its CKA_ID. */
  readonly keyId: string
  /** `vault` for a data key in the token, otherwise the label of the KEK that wraps it. */
  readonly keyKek: string
  /** CKA_ID, or the wrapped key. */
  readonly keyBlob: Buffer
  /** 1 until the key of a vault of release 0.2.0 is taken over, else 2. */
  readonly keyLayout: number
  /** HMAC of the token over the key and its vault: 32 bytes. */
  readonly keySeal: Buffer
  /** Encryptions made with the data key. */
  readonly keyUses: number
  readonly createdAt: number
  /** 0 or 1: whether the first use of a name creates a transparent key. */
  readonly createsKeysOnUse: number
  /** The permission bit that signing requires. */
  readonly signingPermission: number
  /** 0 or 1: whether calls with unknown members are refused; no key is then created by a first use either. */
  readonly strict: number
  /** Number of earlier versions kept of each object. */
  readonly history: number
}

/** For new vaults, and for those created before there were histories. */
export const defaultHistory = 10

export const VaultTable = new EntitySchema<Vault>({
  name: 'Vault',
  tableName: 'vaults',
  columns: {
    id,
    identity: text,
    creator: bytes,
    seal: bytes,
    name: text,
    policyId: named('policy_id', integer),
    description: text,
    keyId: named('key_id', text),
    keyKek: named('key_kek', text),
    keyBlob: named('key_blob', bytes),
    keyLayout: named('key_layout', integer),
    keySeal: named('key_seal', bytes),
    keyUses: named('key_uses', integer),
    createdAt: named('created_at', time),
    createsKeysOnUse: named('creates_keys_on_use', integer),
    signingPermission: named('signing_permission', integer),
    strict: integer,
    history: integer,
  },
})

export async function insertVault(tx: Tx, vault: Omit<Vault, 'id'>): Promise<Vault> {
  return { ...vault, id: await insertRow(tx, VaultTable, vault) }
}

/** Counts encryptions with the vault's data key. False, with nothing counted, where they would exceed `most`. */
export async function countKeyUses(tx: Tx, vaultId: number, uses: number, most: number): Promise<boolean> {
  const sql = 'UPDATE vaults SET key_uses = key_uses + $1 WHERE id = $2 AND key_uses <= $3'
  return (await change(tx, sql, [uses, vaultId, most - uses])) === 1
}

export function findVault(reader: Reader, vaultId: number): Promise<Vault | null> {
  return findRow(reader, VaultTable, { id: vaultId })
}

export function vaultsById(reader: Reader, ids: readonly number[]): Promise<Vault[]> {
  return reader.find(VaultTable, { where: { id: In(ids) } })
}

export function findVaultByIdentity(reader: Reader, identity: string): Promise<Vault | null> {
  return reader.findOneBy(VaultTable, { identity })
}

export type VaultFields = Pick<Vault, 'name' | 'policyId' | 'description' | 'history'>

/** False where the vault does not exist any more. */
export async function changeVault(tx: Tx, vaultId: number, fields: Partial<VaultFields>): Promise<boolean> {
  return (await tx.update(VaultTable, { id: vaultId }, fields)).affected === 1
}

/**
 * Locks the vault against other changes of its members until the transaction ends. False where the vault does not
 * exist.
 */
export async function lockVault(tx: Tx, vaultId: number): Promise<boolean> {
  return (await change(tx, 'UPDATE vaults SET name = name WHERE id = $1', [vaultId])) === 1
}

/**
 * The same for calls that put something into the vault, so that a deletion of the vault sees it.
 * @throws Fault `vault.not_found`
 */
export async function lockPresentVault(tx: Tx, vaultId: number): Promise<void> {
  if (!(await lockVault(tx, vaultId))) throw new Fault('vault.not_found')
}

/** Counts the contents of a vault. Deleted keys count as long as they can be taken back. */
export async function countContents(reader: Reader, vaultId: number): Promise<{ readonly keys: number }> {
  const [counted] = await select<{ readonly keys: number }>(
    reader,
    'SELECT count(*) AS keys FROM transparent_keys WHERE vault_id = $1',
    [vaultId],
  )
  return { keys: counted?.keys ?? 0 }
}

/** Deletes a vault without members. Fails with `store.conflict` where a parallel call puts something in. */
export async function deleteVault(tx: Tx, id: number): Promise<void> {
  await tx.delete(VaultTable, { id })
}

export type KeyRules = Pick<Vault, 'createsKeysOnUse' | 'signingPermission' | 'strict'>

export async function changeKeyRules(tx: Tx, vaultId: number, rules: Partial<KeyRules>): Promise<void> {
  await tx.update(VaultTable, { id: vaultId }, rules)
}

export function isKeyOfVault(reader: Reader, keyId: string): Promise<boolean> {
  return reader.existsBy(VaultTable, { keyId })
}

/** A vault as one of its members sees it. */
export interface SharedVault extends Pick<Vault, 'id' | 'name' | 'policyId' | 'description' | 'history'> {
  readonly permission: Permission
  /** The scope of a narrowed member; null for a member who is not narrowed. */
  readonly scope: Scope | null
}

/** The vaults of a user, without those in which the membership is on hold. */
export async function vaultsOf(reader: Reader, userId: number): Promise<SharedVault[]> {
  const rows = await select<{
    id: number
    name: string
    policy_id: number
    description: string
    history: number
    permission: number
    grants: string | null
  }>(
    reader,
    `SELECT v.id, v.name, v.policy_id, v.description, v.history, m.permission, m.grants
     FROM vault_members m JOIN vaults v ON v.id = m.vault_id JOIN users u ON u.id = m.user_id
     WHERE m.user_id = $1 AND NOT (${onHold('m')}) ORDER BY v.id`,
    [userId],
  )
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    policyId: row.policy_id,
    description: row.description,
    history: row.history,
    permission: permissionOf(row.permission),
    scope: scopeOf(row.grants),
  }))
}

export function permissionOf(bit: number): Permission {
  const permission = permissionFromBit(bit)
  if (permission === undefined) throw new TypeError(`a membership has the permission ${bit}`)
  return permission
}
