import type { ResourceQuery } from '../../access/resource.ts'
import { Fault } from '../../fault.ts'
import { select } from '../../store/statement.ts'
import type { Reader } from '../../store/store.ts'
import type { Vault } from '../vaults/records.ts'
import type { VaultObject } from './records.ts'

/** What is told of a file without decrypting anything. */
export interface FileInfo {
  readonly name: string
  /** In bytes. */
  readonly size: number
  readonly type: string
  /** Milliseconds since the Unix epoch. */
  readonly uploadedAt: number
}

/** An object as it is read. */
export interface StoredObject extends Pick<
  VaultObject,
  'id' | 'vaultId' | 'parentId' | 'templateId' | 'name' | 'status' | 'children'
> {
  readonly nameGiven: boolean
  readonly fields: Readonly<Record<string, string>>
  readonly weakFields: readonly string[]
  readonly file: FileInfo | undefined
}

/** What a vault gives to the encryption of its objects. */
export type KeyedVault = Pick<Vault, 'id' | 'policyId' | 'keyKek' | 'keyBlob' | 'keySeal'>

/** An object and its vault, as one statement finds them. */
export interface ObjectInVault {
  readonly object: StoredObject
  readonly vault: KeyedVault
}

/** @throws Fault `object.not_found` */
export function existing(found: ObjectInVault | undefined): ObjectInVault {
  if (found === undefined) throw new Fault('object.not_found')
  return found
}

interface ObjectRow {
  readonly object_id: number
  readonly object_vault_id: number
  readonly parent_id: number
  readonly template_id: number
  readonly object_name: string
  readonly name_given: number
  readonly public_fields: string
  readonly weak_fields: string
  readonly object_status: number
  readonly file_info: string | null
  readonly children: number
}

interface VaultRow {
  readonly keyed_vault_id: number
  readonly policy_id: number
  readonly key_kek: string
  readonly key_blob: string
  readonly key_seal: string
}

const objectColumns = `o.id AS object_id, o.vault_id AS object_vault_id, o.parent_id, o.template_id, o.name AS object_name,
  o.name_given, o.public_fields, o.weak_fields, o.status AS object_status, o.file_info, o.children`
const vaultColumns = 'v.id AS keyed_vault_id, v.policy_id, v.key_kek, v.key_blob, v.key_seal'

/** The object that a path names; a deleted one is not there. */
export const objectSubject: ResourceQuery<ObjectInVault> = {
  parameter: 'objectid',
  columns: `${objectColumns}, ${vaultColumns}`,
  join: (_vault, name) =>
    `LEFT JOIN vault_objects o ON o.id = ${name} AND o.deleted_at IS NULL LEFT JOIN vaults v ON v.id = o.vault_id`,
  read(row) {
    if (row['object_id'] === null) return undefined
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns are those of the statement above
    const found = row as unknown as ObjectRow & VaultRow
    return { object: readRow(found), vault: readVault(found) }
  },
  vaultOf: { noun: 'object', vault: 'o.vault_id', missing: 'object.not_found' },
}

function readRow(row: ObjectRow): StoredObject {
  return readObject({
    id: row.object_id,
    vaultId: row.object_vault_id,
    parentId: row.parent_id,
    templateId: row.template_id,
    name: row.object_name,
    nameGiven: row.name_given,
    publicFields: row.public_fields,
    weakFields: row.weak_fields,
    status: row.object_status,
    fileInfo: row.file_info,
    children: row.children,
  })
}

type Read = Pick<
  VaultObject,
  | 'id'
  | 'vaultId'
  | 'parentId'
  | 'templateId'
  | 'name'
  | 'nameGiven'
  | 'publicFields'
  | 'weakFields'
  | 'status'
  | 'fileInfo'
  | 'children'
>

export function readObject(row: Read): StoredObject {
  const { id, vaultId, parentId, templateId, name, status, children } = row
  return {
    id,
    vaultId,
    parentId,
    templateId,
    name,
    status,
    children,
    nameGiven: row.nameGiven === 1,
    fields: parse(row.publicFields),
    weakFields: parse(row.weakFields),
    file: row.fileInfo === null ? undefined : parse(row.fileInfo),
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-parameters -- written by ourselves
const parse = <T>(json: string): T => JSON.parse(json) as T

function readVault(row: VaultRow): KeyedVault {
  return {
    id: row.keyed_vault_id,
    policyId: row.policy_id,
    keyKek: row.key_kek,
    keyBlob: Buffer.from(row.key_blob, 'base64'),
    keySeal: Buffer.from(row.key_seal, 'base64'),
  }
}

export async function findKeyedVault(reader: Reader, vaultId: number): Promise<KeyedVault | undefined> {
  const [row] = await select<VaultRow>(reader, `SELECT ${vaultColumns} FROM vaults v WHERE v.id = $1`, [vaultId])
  return row && readVault(row)
}

/** Every object of a vault, in the order of their ids. */
export async function objectsOfVault(reader: Reader, vaultId: number): Promise<StoredObject[]> {
  const rows = await select<ObjectRow>(
    reader,
    `SELECT ${objectColumns} FROM vault_objects o WHERE o.vault_id = $1 AND o.deleted_at IS NULL ORDER BY o.id`,
    [vaultId],
  )
  return rows.map(readRow)
}

export async function childrenOf(reader: Reader, { id, vaultId }: StoredObject): Promise<StoredObject[]> {
  const rows = await select<ObjectRow>(
    reader,
    `SELECT ${objectColumns} FROM vault_objects o
     WHERE o.vault_id = $1 AND o.parent_id = $2 AND o.deleted_at IS NULL ORDER BY o.id`,
    [vaultId, id],
  )
  return rows.map(readRow)
}

/** What an object lies in, from the root of the vault downwards. UNION and not UNION ALL: it ends even on a circle. */
export async function ancestorsOf(reader: Reader, { parentId, vaultId }: StoredObject): Promise<StoredObject[]> {
  if (parentId === 0) return []
  const rows = await select<ObjectRow>(
    reader,
    `WITH RECURSIVE above (id, parent_id) AS (
       SELECT id, parent_id FROM vault_objects WHERE id = $1
       UNION SELECT p.id, p.parent_id FROM above a JOIN vault_objects p ON p.id = a.parent_id)
     SELECT ${objectColumns} FROM above a JOIN vault_objects o ON o.id = a.id WHERE o.vault_id = $2`,
    [parentId, vaultId],
  )
  const found = new Map(rows.map((row) => [row.object_id, readRow(row)]))
  const path: StoredObject[] = []
  for (let next = found.get(parentId); next !== undefined; next = found.get(next.parentId)) {
    found.delete(next.id)
    path.unshift(next)
  }
  return path
}

/** Objects whose search text holds `needle` (lower case), in the vaults that a user is a member of: `most` of them. */
export async function searchObjects(
  reader: Reader,
  userId: number,
  needle: string,
  most: number,
): Promise<StoredObject[]> {
  const { sql, pattern } = await searchOf(reader, userId, needle)
  return (await select<ObjectRow>(reader, sql, [userId, pattern, most])).map(readRow)
}

/** How many objects are read as fast as the trigrams of those of others are passed over. */
const soonRead = 10_000

/** The needle is text and nothing else: neither a query of FTS5 nor a pattern of LIKE. */
async function searchOf(reader: Reader, userId: number, needle: string): Promise<{ sql: string; pattern: string }> {
  if (reader.connection.options.type === 'postgres')
    return { sql: byPattern, pattern: `%${needle.replaceAll(/[\\%_]/g, String.raw`\$&`)}%` }
  const isShort = /^.{0,2}$/su.test(needle)
  const readsSoon = isShort || (await select(reader, hasMore, [userId, soonRead])).length === 0
  return readsSoon
    ? { sql: byReading, pattern: needle }
    : { sql: byTrigrams, pattern: `"${needle.replaceAll('"', '""')}"` }
}

const hasMore = `SELECT 1 FROM vault_members m CROSS JOIN vault_objects o ON o.vault_id = m.vault_id
  WHERE m.user_id = $1 LIMIT 1 OFFSET $2`
/** A deleted object has no search text: so the index of these alone has the answer. */
const byReading = `SELECT ${objectColumns} FROM vault_objects o WHERE o.id IN (
  SELECT t.id FROM vault_members m CROSS JOIN vault_objects t ON t.vault_id = m.vault_id
  WHERE m.user_id = $1 AND instr(t.search_text, $2) > 0 LIMIT $3)`
const byTrigrams = `SELECT ${objectColumns} FROM object_trigrams t CROSS JOIN vault_objects o ON o.id = t.rowid
  CROSS JOIN vault_members m ON m.vault_id = o.vault_id
  WHERE object_trigrams MATCH $2 AND o.deleted_at IS NULL AND m.user_id = $1 LIMIT $3`
const byPattern = `SELECT ${objectColumns} FROM vault_objects o
  WHERE o.vault_id = ANY (ARRAY(SELECT m.vault_id FROM vault_members m WHERE m.user_id = $1))
    AND o.search_text LIKE $2 AND o.deleted_at IS NULL LIMIT $3`
