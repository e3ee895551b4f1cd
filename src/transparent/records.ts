import { EntitySchema } from 'typeorm'
import type { Subject } from '../access/subject.ts'
import { keyRecord, type KeyReference, type SealedRecord } from '../hsm/hsm.ts'
import { encodeRecord } from '../hsm/key-record.ts'
import { bytes, id, integer, named, nullable, primary, text, time } from '../store/columns.ts'
import type { Store, Tx } from '../store/store.ts'
import { keyTypeOf } from './key-type.ts'

/** A named key of a vault: flags and limits. Its material is in its versions. */
export interface TransparentKey {
  readonly id: number
  readonly vaultId: number
  readonly name: string
  readonly type: string
  readonly info: string
  /** 0 or 1, like the next two. */
  readonly allowExport: number
  readonly allowBackup: number
  readonly allowDelete: number
  readonly latestVersion: number
  readonly minEncryptionVersion: number
  readonly minDecryptionVersion: number
  readonly createdAt: number
  readonly seal: Buffer
}

export interface KeyVersion {
  readonly keyId: number
  readonly version: number
  readonly kek: string
  readonly blob: Buffer
  readonly backupKek: string | null
  readonly backupBlob: Buffer | null
  readonly createdAt: number
  readonly seal: Buffer
  /** Encryptions that workers have reserved; never fewer than were made. */
  readonly invocations: number
  readonly invocationsSeal: Buffer
}

export const TransparentKeyTable = new EntitySchema<TransparentKey>({
  name: 'TransparentKey',
  tableName: 'transparent_keys',
  columns: {
    id,
    vaultId: named('vault_id', integer),
    name: text,
    type: text,
    info: text,
    allowExport: named('allow_export', integer),
    allowBackup: named('allow_backup', integer),
    allowDelete: named('allow_delete', integer),
    latestVersion: named('latest_version', integer),
    minEncryptionVersion: named('min_encryption_version', integer),
    minDecryptionVersion: named('min_decryption_version', integer),
    createdAt: named('created_at', time),
    seal: bytes,
  },
})

export const KeyVersionTable = new EntitySchema<KeyVersion>({
  name: 'KeyVersion',
  tableName: 'key_versions',
  columns: {
    keyId: named('key_id', primary(integer)),
    version: primary(integer),
    kek: text,
    blob: bytes,
    backupKek: named('backup_kek', nullable(text)),
    backupBlob: named('backup_blob', nullable(bytes)),
    createdAt: named('created_at', time),
    seal: bytes,
    invocations: integer,
    invocationsSeal: named('invocations_seal', bytes),
  },
})

/** Every column of the key but the seal itself, as the seal covers it. */
export function policyRecord(key: Omit<TransparentKey, 'seal'>): Buffer {
  const { id, vaultId, name, type, info, allowExport, allowBackup, allowDelete, createdAt } = key
  const { latestVersion, minEncryptionVersion, minDecryptionVersion } = key
  return encodeRecord([
    'transparent key',
    id,
    vaultId,
    name,
    type,
    info,
    allowExport,
    allowBackup,
    allowDelete,
    latestVersion,
    minEncryptionVersion,
    minDecryptionVersion,
    createdAt,
  ])
}

/** Every column of the version that does not count, bound to its key and vault. */
export function versionRecord(key: Pick<TransparentKey, 'id' | 'vaultId' | 'type'>, version: Omit<KeyVersion, 'seal' | 'invocations' | 'invocationsSeal'>): Buffer {
  const { kek, blob, backupKek, backupBlob, createdAt } = version
  return keyRecord(keyTypeOf(key.type).kind, { kek, blob }, [
    'transparent key version',
    key.id,
    key.vaultId,
    key.type,
    version.version,
    backupKek,
    backupBlob,
    createdAt,
  ])
}

export function invocationsRecord(keyId: number, version: number, invocations: number): Buffer {
  return encodeRecord(['invocations', keyId, version, invocations])
}

export const sealedPolicy = (key: TransparentKey): SealedRecord => ({ record: policyRecord(key), seal: key.seal })

export function keyReference(key: TransparentKey, version: KeyVersion): KeyReference {
  return { key: { record: versionRecord(key, version), seal: version.seal }, policy: sealedPolicy(key) }
}

/** A key with its latest version, as one statement finds them. */
export interface StoredKey {
  readonly key: TransparentKey
  readonly latest: KeyVersion
}

const keyColumns = `k.id AS key_id, k.vault_id, k.name, k.type, k.info, k.allow_export, k.allow_backup, k.allow_delete,
  k.latest_version, k.min_encryption_version, k.min_decryption_version, k.created_at AS key_created_at, k.seal AS key_seal`
const versionColumns = `kv.version, kv.kek, kv.blob, kv.backup_kek, kv.backup_blob, kv.created_at AS version_created_at,
  kv.seal AS version_seal, kv.invocations, kv.invocations_seal`
const latestVersion = 'kv.key_id = k.id AND kv.version = k.latest_version'

/** The key that a path names. */
export const keySubject: Subject<StoredKey> = {
  parameter: 'name',
  columns: `${keyColumns}, ${versionColumns}`,
  join: (vault, name) => `LEFT JOIN transparent_keys k ON k.vault_id = ${vault} AND k.name = ${name} LEFT JOIN key_versions kv ON ${latestVersion}`,
  read: (row) => (row['key_id'] === null ? undefined : readStoredKey(row as unknown as JoinedRow)),
}

interface JoinedRow {
  readonly key_id: number
  readonly vault_id: number
  readonly name: string
  readonly type: string
  readonly info: string
  readonly allow_export: number
  readonly allow_backup: number
  readonly allow_delete: number
  readonly latest_version: number
  readonly min_encryption_version: number
  readonly min_decryption_version: number
  readonly key_created_at: number
  readonly key_seal: string
  readonly version: number | null
  readonly kek: string
  readonly blob: string
  readonly backup_kek: string | null
  readonly backup_blob: string | null
  readonly version_created_at: number
  readonly version_seal: string
  readonly invocations: number
  readonly invocations_seal: string
}

const fromText = (base64: string): Buffer => Buffer.from(base64, 'base64')

function readStoredKey(row: JoinedRow): StoredKey {
  const key: TransparentKey = {
    id: row.key_id,
    vaultId: row.vault_id,
    name: row.name,
    type: row.type,
    info: row.info,
    allowExport: row.allow_export,
    allowBackup: row.allow_backup,
    allowDelete: row.allow_delete,
    latestVersion: row.latest_version,
    minEncryptionVersion: row.min_encryption_version,
    minDecryptionVersion: row.min_decryption_version,
    createdAt: row.key_created_at,
    seal: fromText(row.key_seal),
  }
  return { key, latest: readVersion(row) }
}

function readVersion(row: JoinedRow): KeyVersion {
  return {
    keyId: row.key_id,
    // A row that points at a version that is not there was not written by us: version 0 never has a fitting seal.
    version: row.version ?? 0,
    kek: row.kek ?? '',
    blob: fromText(row.blob ?? ''),
    backupKek: row.backup_kek,
    backupBlob: row.backup_blob === null ? null : fromText(row.backup_blob),
    createdAt: row.version_created_at,
    seal: fromText(row.version_seal ?? ''),
    invocations: row.invocations,
    invocationsSeal: fromText(row.invocations_seal ?? ''),
  }
}

export async function findKey(store: Store, vaultId: number, name: string): Promise<StoredKey | undefined> {
  const rows = await store.query<JoinedRow>(
    `SELECT ${keyColumns}, ${versionColumns} FROM transparent_keys k LEFT JOIN key_versions kv ON ${latestVersion}
     WHERE k.vault_id = $1 AND k.name = $2`,
    [vaultId, name],
  )
  return rows[0] && readStoredKey(rows[0])
}

export function findVersion(tx: Tx, keyId: number, version: number): Promise<KeyVersion | null> {
  return tx.findOneBy(KeyVersionTable, { keyId, version })
}

export async function insertKey(tx: Tx, key: Omit<TransparentKey, 'id' | 'seal'>, seal: (record: Buffer) => Promise<Buffer>): Promise<TransparentKey> {
  // The seal covers the id, which the database gives: the row is completed before anybody can see it.
  const inserted = await tx.insert(TransparentKeyTable, { ...key, seal: Buffer.alloc(0) })
  const withId = { ...key, id: Number(inserted.identifiers[0]?.['id']) }
  const sealed = { ...withId, seal: await seal(policyRecord(withId)) }
  await tx.update(TransparentKeyTable, { id: withId.id }, { seal: sealed.seal })
  return sealed
}

export async function insertVersion(tx: Tx, version: KeyVersion): Promise<void> {
  await tx.insert(KeyVersionTable, version)
}

export function findKeyById(tx: Tx, id: number): Promise<TransparentKey | null> {
  return tx.findOneBy(TransparentKeyTable, { id })
}

/** Of parallel rotations exactly one takes the step from `from`. */
export async function advanceLatestVersion(tx: Tx, key: TransparentKey, from: number): Promise<boolean> {
  const { latestVersion, seal } = key
  return (await tx.update(TransparentKeyTable, { id: key.id, latestVersion: from }, { latestVersion, seal })).affected === 1
}

/** Of parallel reservations exactly one takes the step from `from`. */
export async function advanceInvocations(tx: Tx, version: KeyVersion, from: number): Promise<boolean> {
  const { keyId, invocations, invocationsSeal } = version
  const where = { keyId, version: version.version, invocations: from }
  return (await tx.update(KeyVersionTable, where, { invocations, invocationsSeal })).affected === 1
}
