import { EntitySchema, In, IsNull, LessThan, Not, type FindOptionsWhere } from 'typeorm'
import { bytes, id, integer, named, nullable, primary, text, time } from '../../store/columns.ts'
import {
  change as changeRows,
  findRow,
  insertRow,
  placeholdersOf,
  readRow,
  select,
  selectList,
} from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** Bits of an object's status, as published for this interface. */
export const statusBits = { alarm: 32, active: 128, badPolicy: 1024 } as const

export interface VaultObject {
  readonly id: number
  readonly vaultId: number
  /** 0 for the root of the vault. */
  readonly parentId: number
  readonly templateId: number
  readonly name: string
  /** 0 or 1: whether a user chose the name. Otherwise each change derives it again. */
  readonly nameGiven: number
  /** The unencrypted fields: a JSON object of texts. */
  readonly publicFields: string
  /** The text that searches match, in lower case; empty once the object is deleted. */
  readonly searchText: string
  /** Names of the fields that break the vault's password policy: a JSON list. */
  readonly weakFields: string
  /** A sum of `statusBits`. */
  readonly status: number
  /** A FileInfo as JSON; null for what holds no file. */
  readonly fileInfo: string | null
  /** Number of its children that are not deleted. */
  readonly children: number
  /** Incremented by each change. */
  readonly version: number
  readonly createdAt: number
  readonly createdBy: number
  readonly changedAt: number
  readonly changedBy: number
  readonly deletedAt: number | null
  /**
   * The object whose deletion put this one into the trash: itself or one of its parents. Null while it is not deleted.
   */
  readonly trashedWith: number | null
}

export const VaultObjectTable = new EntitySchema<VaultObject>({
  name: 'VaultObject',
  tableName: 'vault_objects',
  columns: {
    id,
    vaultId: named('vault_id', integer),
    parentId: named('parent_id', integer),
    templateId: named('template_id', integer),
    name: text,
    nameGiven: named('name_given', integer),
    publicFields: named('public_fields', text),
    searchText: named('search_text', text),
    weakFields: named('weak_fields', text),
    status: integer,
    fileInfo: named('file_info', nullable(text)),
    children: integer,
    version: integer,
    createdAt: named('created_at', time),
    createdBy: named('created_by', integer),
    changedAt: named('changed_at', time),
    changedBy: named('changed_by', integer),
    deletedAt: named('deleted_at', nullable(time)),
    trashedWith: named('trashed_with', nullable(integer)),
  },
})

/** One encrypted field of an object. */
export interface SecretField {
  readonly objectId: number
  readonly field: string
  /** The version of the object when the field was written. */
  readonly version: number
  /** IV ‖ ciphertext ‖ tag, encrypted with the vault's data key. */
  readonly ciphertext: Buffer
}

export const SecretFieldTable = new EntitySchema<SecretField>({
  name: 'SecretField',
  tableName: 'object_secrets',
  columns: {
    objectId: named('object_id', primary(integer)),
    field: primary(text),
    version: integer,
    ciphertext: named('sealed_text', bytes),
  },
})

/** Name of the secret with the manifest of the file. No field of a template can have this name. */
export const manifestField = 'file content'

/** @returns the number of the row: the given one (`reserveRowNumber`), or a new one */
export function insertObject(
  tx: Tx,
  object: Omit<VaultObject, 'id'> & Partial<Pick<VaultObject, 'id'>>,
): Promise<number> {
  return insertRow(tx, VaultObjectTable, object)
}

/** Counts one more child of a parent in this vault; false where there is no such parent. */
export function adoptChild(tx: Tx, parentId: number, vaultId: number): Promise<boolean> {
  return change(tx, { id: parentId, vaultId, deletedAt: IsNull() }, { children: () => 'children + 1' })
}

export function releaseChild(tx: Tx, parentId: number): Promise<boolean> {
  return change(tx, { id: parentId }, { children: () => 'children - 1' })
}

/** An object in the vault in which the caller's rights were checked. It may have been moved since. */
export type ObjectInVault = Pick<VaultObject, 'id' | 'vaultId'>

/**
 * Begins the next version of an object and locks it until the transaction ends. False where it was deleted, moved to
 * another vault, or does not have the expected last version.
 */
export function beginVersion(
  tx: Tx,
  { id, vaultId }: ObjectInVault,
  ifVersion: number | undefined,
  { changedAt, changedBy }: Pick<VaultObject, 'changedAt' | 'changedBy'>,
): Promise<boolean> {
  const where = { id, vaultId, deletedAt: IsNull(), ...(ifVersion !== undefined && { version: ifVersion }) }
  return change(tx, where, { version: () => 'version + 1', changedAt, changedBy })
}

/**
 * Marks an object as deleted. False where it cannot be: the database decides between a deletion, an edit and a new
 * child at the same time.
 */
export function markDeleted(tx: Tx, { id, vaultId }: ObjectInVault, now: number, userId: number): Promise<boolean> {
  return change(
    tx,
    { id, vaultId, deletedAt: IsNull(), children: 0 },
    {
      deletedAt: now,
      trashedWith: id,
      changedAt: now,
      changedBy: userId,
      searchText: '',
      status: () => `status - ${statusBits.active}`,
      version: () => 'version + 1',
    },
  )
}

/** False where the object was deleted or moved to another vault. */
export function switchAlarm(
  tx: Tx,
  { id, vaultId }: ObjectInVault,
  isOn: boolean,
  changed: Pick<VaultObject, 'changedAt' | 'changedBy'>,
): Promise<boolean> {
  const { alarm } = statusBits
  return change(
    tx,
    { id, vaultId, deletedAt: IsNull() },
    { ...changed, status: () => (isOn ? `status | ${alarm}` : `status & ~${alarm}`), version: () => 'version + 1' },
  )
}

export function findObject(reader: Reader, objectId: number): Promise<VaultObject | null> {
  return findRow(reader, VaultObjectTable, { id: objectId })
}

/** Whether the object is in this vault and not in the trash. */
export function isThere(reader: Reader, objectId: number): Promise<boolean> {
  return reader.existsBy(VaultObjectTable, { id: objectId, deletedAt: IsNull() })
}

export type ObjectChange = Pick<
  VaultObject,
  'name' | 'nameGiven' | 'publicFields' | 'searchText' | 'weakFields' | 'status' | 'fileInfo'
>

export async function changeObject(tx: Tx, objectId: number, fields: ObjectChange): Promise<void> {
  await tx.update(VaultObjectTable, { id: objectId }, fields)
}

export async function putSecrets(tx: Tx, secrets: readonly SecretField[]): Promise<void> {
  for (const { objectId, field, version, ciphertext } of secrets)
    await changeRows(tx, putStatement, [objectId, field, version, ciphertext.toString('base64')])
}

const putStatement = `INSERT INTO object_secrets (object_id, field, version, sealed_text) VALUES ($1, $2, $3, $4)
  ON CONFLICT (object_id, field) DO UPDATE SET version = excluded.version, sealed_text = excluded.sealed_text`

export async function dropSecrets(tx: Tx, objectId: number, fields: readonly string[]): Promise<void> {
  if (fields.length > 0) await tx.delete(SecretFieldTable, { objectId, field: In([...fields]) })
}

export async function secretsOf(reader: Reader, objectId: number): Promise<SecretField[]> {
  return (await select<object>(reader, selectSecrets, [objectId])).map((row) => readRow(SecretFieldTable, row))
}

const selectSecrets = `SELECT ${selectList(SecretFieldTable, 's')} FROM object_secrets s WHERE s.object_id = $1 ORDER BY s.field`

/** Objects that were deleted before `before`, oldest first. */
export function deletedBefore(reader: Reader, before: number, most: number): Promise<VaultObject[]> {
  return reader.find(VaultObjectTable, {
    where: { deletedAt: LessThan(before) },
    order: { deletedAt: 'ASC' },
    take: most,
  })
}

/** Locks an object until the transaction ends, if it was deleted before that time and not restored since. */
export function holdDeleted(tx: Tx, objectId: number, before: number): Promise<boolean> {
  return change(tx, { id: objectId, deletedAt: LessThan(before) }, { searchText: '' })
}

/** Deletes an object of the trash for good, with its encrypted fields; false where a parallel call did. */
export async function removeObject(tx: Tx, objectId: number): Promise<boolean> {
  for (const table of tablesOfObjects) await changeRows(tx, `DELETE FROM ${table} WHERE object_id = $1`, [objectId])
  return (await tx.delete(VaultObjectTable, { id: objectId, deletedAt: Not(IsNull()) })).affected === 1
}

/** Counts the encrypted fields of an object that have a value, without the manifest of a file. */
export function countSecrets(reader: Reader, objectId: number): Promise<number> {
  return reader.countBy(SecretFieldTable, { objectId, field: Not(manifestField) })
}

export function countObjects(reader: Reader, vaultId: number): Promise<number> {
  return reader.countBy(VaultObjectTable, { vaultId, deletedAt: IsNull() })
}

/** Deletes all objects in the trash of a vault for good, with their encrypted fields. */
export async function removeDeletedOf(tx: Tx, vaultId: number): Promise<void> {
  for (const table of tablesOfObjects)
    await changeRows(tx, `DELETE FROM ${table} WHERE object_id ${inTrash}`, [vaultId])
  await tx.delete(VaultObjectTable, { vaultId, deletedAt: Not(IsNull()) })
}

/** Ids of a bounded number of objects in the trash of a vault, those deleted first at the beginning. */
export async function findTrashed(reader: Reader, vaultId: number, most: number): Promise<number[]> {
  const where = { vaultId, deletedAt: Not(IsNull()) }
  const found = await reader.find(VaultObjectTable, {
    where,
    order: { deletedAt: 'ASC' },
    take: most,
    select: { id: true },
  })
  return found.map((object) => object.id)
}

/** Locks those of the objects that are in the trash until the transaction ends; resolves to their ids. */
export async function holdTrashed(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const deleted = { id: In([...ids]), deletedAt: Not(IsNull()) }
  await tx.update(VaultObjectTable, deleted, { searchText: '' })
  const held = await tx.find(VaultObjectTable, { where: deleted, select: { id: true } })
  return held.map((object) => object.id)
}

/** Deletes locked objects for good: none where a parallel call did. */
export async function removeObjects(tx: Tx, ids: readonly number[]): Promise<void> {
  // PostgreSQL refuses an empty list.
  if (ids.length === 0) return
  for (const table of tablesOfObjects)
    await changeRows(tx, `DELETE FROM ${table} WHERE object_id IN (${placeholdersOf(ids)})`, ids)
  await tx.delete(VaultObjectTable, { id: In([...ids]) })
}

/** Tables whose rows are deleted with their object, those that refer to another of them first. */
const tablesOfObjects = ['object_secrets', 'earlier_secrets', 'earlier_versions', 'object_favourites', 'object_tags']
const inTrash = 'IN (SELECT id FROM vault_objects WHERE vault_id = $1 AND deleted_at IS NOT NULL)'

type Change = { readonly [column in keyof VaultObject]?: VaultObject[column] | (() => string) }

async function change(tx: Tx, where: FindOptionsWhere<VaultObject>, fields: Change): Promise<boolean> {
  const changed = await tx.createQueryBuilder().update(VaultObjectTable).set(fields).where(where).execute()
  return changed.affected === 1
}
