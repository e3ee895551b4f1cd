import { EntitySchema, In, LessThan, MoreThan } from 'typeorm'
import type { ResourceQuery } from '../../access/resource.ts'
import { bytes, id, integer, named, nullable, primary, text, time } from '../../store/columns.ts'
import { oncePerRow } from '../../store/once-per-row.ts'
import { change, changeRow, findRow, insertRow, readRow, select, selectList } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** A named key of a vault: its flags and limits. The key material is in its versions. */
export interface TransparentKey extends Omit<KeyRow, 'identity'> {
  /** Empty in a row of release 0.2.0, which therefore has no valid seal. */
  readonly identity: Buffer
  /** The identity of its vault, from the row of the vault. */
  readonly vault: Buffer
}

export interface KeyRow {
  readonly id: number
  /** 16 random bytes, drawn by the keeper; null until a key of release 0.2.0 is taken over. */
  readonly identity: Buffer | null
  readonly vaultId: number
  readonly name: string
  readonly type: string
  readonly info: string
  /** `database`: wrapped in the rows of its versions; `token`: an object of the token per version. */
  readonly residency: string
  /** 0 or 1, like the next three. */
  readonly allowExport: number
  readonly allowPlaintextExport: number
  readonly allowBackup: number
  readonly allowDelete: number
  /** Age in milliseconds at which the next use replaces the latest version; 0 for never. */
  readonly autoRotatePeriodMs: number
  /** The first version that has not been trimmed. */
  readonly oldestVersion: number
  readonly latestVersion: number
  readonly minEncryptionVersion: number
  readonly minDecryptionVersion: number
  readonly createdAt: number
  /** When it was deleted; until it is destroyed it can be taken back. */
  readonly deletedAt: number | null
  /** 1 for a new key, and one more with each change. */
  readonly generation: number
  readonly seal: Buffer
}

export interface KeyVersion {
  readonly keyId: number
  readonly version: number
  readonly kek: string
  readonly blob: Buffer
  /** For a key pair, DER SubjectPublicKeyInfo. */
  readonly publicKey: Buffer | null
  readonly backupKek: string | null
  readonly backupBlob: Buffer | null
  /** 0 or 1. */
  readonly disabled: number
  readonly createdAt: number
  /** 1 for a new version, and one more with each change. */
  readonly generation: number
  readonly seal: Buffer
  /** Encryptions that workers have reserved: at least as many as were made. */
  readonly invocations: number
  readonly invocationsSeal: Buffer
}

export const TransparentKeyTable = new EntitySchema<KeyRow>({
  name: 'TransparentKey',
  tableName: 'transparent_keys',
  columns: {
    id,
    identity: nullable(bytes),
    vaultId: named('vault_id', integer),
    name: text,
    type: text,
    info: text,
    residency: text,
    allowExport: named('allow_export', integer),
    allowPlaintextExport: named('allow_plaintext_export', integer),
    allowBackup: named('allow_backup', integer),
    allowDelete: named('allow_delete', integer),
    autoRotatePeriodMs: named('auto_rotate_period_ms', integer),
    oldestVersion: named('oldest_version', integer),
    latestVersion: named('latest_version', integer),
    minEncryptionVersion: named('min_encryption_version', integer),
    minDecryptionVersion: named('min_decryption_version', integer),
    createdAt: named('created_at', time),
    deletedAt: named('deleted_at', nullable(time)),
    generation: integer,
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
    publicKey: named('public_key', nullable(bytes)),
    backupKek: named('backup_kek', nullable(text)),
    backupBlob: named('backup_blob', nullable(bytes)),
    disabled: integer,
    createdAt: named('created_at', time),
    generation: integer,
    seal: bytes,
    invocations: integer,
    invocationsSeal: named('invocations_seal', bytes),
  },
})

/** A key with its latest version, as one statement finds them. */
export interface StoredKey {
  readonly key: TransparentKey
  readonly latest: KeyVersion
}

const keyColumns = `${selectList(TransparentKeyTable, 'k', { prefix: 'key.' })}, kw.identity AS "key.vault"`
const columns = `${keyColumns}, ${selectList(KeyVersionTable, 'kv', { prefix: 'latest.' })}`
// Joined by the row's own vault id, so that a row moved to another vault no longer matches its seal.
const vaultOfKey = 'LEFT JOIN vaults kw ON kw.id = k.vault_id'
const latestVersion = `LEFT JOIN key_versions kv ON kv.key_id = k.id AND kv.version = k.latest_version ${vaultOfKey}`

/** The key that a path names, deleted or not. */
export const keyQuery: ResourceQuery<StoredKey> = {
  parameter: 'name',
  columns,
  join: (vault, name) => `LEFT JOIN transparent_keys k ON k.vault_id = ${vault} AND k.name = ${name} ${latestVersion}`,
  read: oncePerRow(readStoredKey),
}

/** Stands for a latest version that is missing. No seal ever fits version 0. */
const missingVersion: Omit<KeyVersion, 'keyId'> = {
  version: 0,
  kek: '',
  blob: Buffer.alloc(0),
  publicKey: null,
  backupKek: null,
  backupBlob: null,
  disabled: 0,
  createdAt: 0,
  generation: 0,
  seal: Buffer.alloc(0),
  invocations: 0,
  invocationsSeal: Buffer.alloc(0),
}

function readStoredKey(row: Readonly<Record<string, unknown>>): StoredKey | undefined {
  if (row['key.id'] === null) return undefined
  const key = readKey(row)
  const latest = row['latest.version'] === null ? undefined : readRow(KeyVersionTable, row, 'latest.')
  return { key, latest: latest ?? { ...missingVersion, keyId: key.id } }
}

function readKey(row: Readonly<Record<string, unknown>>): TransparentKey {
  const key = readRow(TransparentKeyTable, row, 'key.')
  const vault = row['key.vault']
  const identity = key.identity ?? Buffer.alloc(0)
  return Object.assign(key, { identity, vault: Buffer.from(typeof vault === 'string' ? vault : '', 'hex') })
}

async function selectKeys(reader: Reader, where: string, parameters: readonly unknown[]): Promise<TransparentKey[]> {
  const sql = `SELECT ${keyColumns} FROM transparent_keys k ${vaultOfKey} WHERE ${where}`
  return (await select<Readonly<Record<string, unknown>>>(reader, sql, parameters)).map(readKey)
}

export async function findKey(reader: Reader, vaultId: number, name: string): Promise<StoredKey | undefined> {
  const rows = await select<Readonly<Record<string, unknown>>>(
    reader,
    `SELECT ${columns} FROM transparent_keys k ${latestVersion} WHERE k.vault_id = $1 AND k.name = $2`,
    [vaultId, name],
  )
  return rows[0] && readStoredKey(rows[0])
}

/** Selects keys of a vault in the order of their names: those after a name, and either deleted ones or the others. */
export interface KeySelection {
  readonly after: string
  readonly isDeleted: boolean
  readonly most: number
}

export async function listKeys(
  reader: Reader,
  vaultId: number,
  { after, isDeleted, most }: KeySelection,
): Promise<StoredKey[]> {
  const rows = await select<Readonly<Record<string, unknown>>>(
    reader,
    `SELECT ${columns} FROM transparent_keys k ${latestVersion}
     WHERE k.vault_id = $1 AND k.deleted_at IS ${isDeleted ? 'NOT NULL' : 'NULL'} AND k.name > $2
     ORDER BY k.name LIMIT $3`,
    [vaultId, after, most],
  )
  return rows.map(readStoredKey).filter((stored) => stored !== undefined)
}

export async function findKeyById(reader: Reader, id: number): Promise<TransparentKey | null> {
  return (await selectKeys(reader, 'k.id = $1', [id]))[0] ?? null
}

export function findVersion(reader: Reader, keyId: number, version: number): Promise<KeyVersion | null> {
  return findRow(reader, KeyVersionTable, { keyId, version })
}

/** In the order of their ids, after this one. */
export function findKeysAfter(reader: Reader, id: number, limit: number): Promise<TransparentKey[]> {
  return selectKeys(reader, 'k.id > $1 ORDER BY k.id LIMIT $2', [id, limit])
}

export async function disabledVersions(reader: Reader, keyId: number): Promise<number[]> {
  const sql = 'SELECT version FROM key_versions WHERE key_id = $1 AND disabled = 1 ORDER BY version'
  const rows = await select<{ readonly version: number | string }>(reader, sql, [keyId])
  return rows.map(({ version }) => Number(version))
}

/** @param upTo the latest version of the key's row as it was read: a rotation may have added others since */
export async function findVersions(reader: Reader, keyId: number, upTo = Infinity): Promise<KeyVersion[]> {
  const found = await reader.find(KeyVersionTable, { where: { keyId }, order: { version: 'ASC' } })
  return found.filter(({ version }) => version <= upTo)
}

/** Whether any version refers to this object of the token. */
export function isMaterialInUse(reader: Reader, blob: Buffer): Promise<boolean> {
  return reader.existsBy(KeyVersionTable, { blob })
}

export async function insertKey(tx: Tx, key: Omit<TransparentKey, 'id'>): Promise<TransparentKey> {
  const { vault: _, ...row } = key
  return Object.assign({}, key, { id: await insertRow(tx, TransparentKeyTable, row) })
}

export async function insertVersion(tx: Tx, version: KeyVersion): Promise<void> {
  await insertRow(tx, KeyVersionTable, version, 'version')
}

/** Replaces the row if it still has the seal of `from`: of parallel changes of one key exactly one succeeds. */
export async function replaceKey(tx: Tx, from: TransparentKey, to: TransparentKey): Promise<boolean> {
  const { vault: _, ...row } = to
  return changeRow(tx, TransparentKeyTable, { id: from.id, seal: from.seal }, row)
}

export type CountlessVersion = Omit<KeyVersion, 'invocations' | 'invocationsSeal'>

/** Replaces the row if it still has the seal of `from`: of parallel changes of one version exactly one succeeds. */
export async function replaceVersion(tx: Tx, from: KeyVersion, to: CountlessVersion): Promise<boolean> {
  return changeRow(tx, KeyVersionTable, { keyId: from.keyId, version: from.version, seal: from.seal }, to)
}

/** Versions whose key or backup is wrapped by one of these KEKs: a bounded number of those after one. */
export function findVersionsUnder(
  reader: Reader,
  keks: readonly string[],
  { keyId, version }: Pick<KeyVersion, 'keyId' | 'version'>,
  take: number,
): Promise<KeyVersion[]> {
  const under = [{ kek: In([...keks]) }, { backupKek: In([...keks]) }]
  const later = [{ keyId: MoreThan(keyId) }, { keyId, version: MoreThan(version) }]
  const where = later.flatMap((place) => under.map((wrapping) => ({ ...place, ...wrapping })))
  return reader.find(KeyVersionTable, { where, order: { keyId: 'ASC', version: 'ASC' }, take })
}

/** Counts versions that are objects of the token, by an index that holds only those. */
export async function countInToken(reader: Reader): Promise<number> {
  const [counted] = await select<{ readonly versions: number }>(reader, inTokenQuery, [])
  return counted?.versions ?? 0
}

export const inTokenQuery = "SELECT count(*) AS versions FROM key_versions WHERE kek = 'token'"

const advance = `UPDATE key_versions SET invocations = $1, invocations_seal = $2
  WHERE key_id = $3 AND version = $4 AND invocations = $5`

/** Advances the count if it still is that of `from`: of parallel reservations exactly one succeeds. */
export async function advanceInvocations(
  tx: Tx,
  { keyId, version, invocations: from }: Pick<KeyVersion, 'keyId' | 'version' | 'invocations'>,
  { invocations, seal }: { readonly invocations: number; readonly seal: Buffer },
): Promise<boolean> {
  return (await change(tx, advance, [invocations, seal.toString('base64'), keyId, version, from])) === 1
}

export async function deleteVersionsBelow(tx: Tx, keyId: number, version: number): Promise<void> {
  await tx.delete(KeyVersionTable, { keyId, version: LessThan(version) })
}

/** False, with nothing deleted, where the key has changed since it was read. */
export async function deleteKey(tx: Tx, { id, seal }: TransparentKey): Promise<boolean> {
  // An update that changes nothing, to lock the row until the transaction ends.
  if ((await tx.update(TransparentKeyTable, { id, seal }, { seal })).affected !== 1) return false
  await tx.delete(KeyVersionTable, { keyId: id })
  await tx.delete(TransparentKeyTable, { id })
  return true
}

/** Keys that were deleted before `time`, a bounded number. */
export function findDeletedBefore(reader: Reader, time: number, limit: number): Promise<TransparentKey[]> {
  return selectKeys(reader, 'k.deleted_at < $1 ORDER BY k.deleted_at LIMIT $2', [time, limit])
}
