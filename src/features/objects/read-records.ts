import type { Granted } from '../../access/caller.ts'
import type { ResourceQuery } from '../../access/resource.ts'
import { Fault } from '../../fault.ts'
import { readRow, select, selectList } from '../../store/statement.ts'
import type { Reader } from '../../store/store.ts'
import { awake } from '../vaults/membership-records.ts'
import { VaultTable, type Vault } from '../vaults/records.ts'
import type { SealedVaultKey } from '../vaults/vault-key.ts'
import { VaultObjectTable, type VaultObject } from './records.ts'

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
export type KeyedVault = Pick<Vault, 'id' | 'policyId'> & SealedVaultKey

/** An object and its vault, as one statement finds them. */
export interface ObjectInVault {
  readonly object: StoredObject
  readonly vault: KeyedVault
}

/** The same for a caller who may use the key of the vault. */
export type GrantedVault = KeyedVault & Granted

export interface GrantedObject extends ObjectInVault {
  readonly vault: GrantedVault
}

/** @throws Fault `object.not_found` */
export function grantedTo({ grant }: Granted, found: ObjectInVault | undefined): GrantedObject {
  const { object, vault } = existing(found)
  return { object, vault: { ...vault, grant } }
}

/** @throws Fault `object.not_found` */
export function existing(found: ObjectInVault | undefined): ObjectInVault {
  if (found === undefined) throw new Fault('object.not_found')
  return found
}

type Row = Readonly<Record<string, unknown>>

const objectColumns = selectList(VaultObjectTable, 'o', {
  prefix: 'object.',
  members: [
    'id',
    'vaultId',
    'parentId',
    'templateId',
    'name',
    'nameGiven',
    'publicFields',
    'weakFields',
    'status',
    'fileInfo',
    'children',
  ],
})
const vaultColumns = selectList(VaultTable, 'v', {
  prefix: 'vault.',
  members: ['id', 'identity', 'policyId', 'keyKek', 'keyBlob', 'keySeal'],
})

/** The object that a path names; a deleted one is not there. */
export const objectQuery: ResourceQuery<ObjectInVault> = {
  parameter: 'objectid',
  columns: `${objectColumns}, ${vaultColumns}`,
  join: (_vault, name) =>
    `LEFT JOIN vault_objects o ON o.id = ${name} AND o.deleted_at IS NULL LEFT JOIN vaults v ON v.id = o.vault_id`,
  read: (row) => (row['object.id'] === null ? undefined : { object: readObjectRow(row), vault: readVaultRow(row) }),
  vaultOf: { noun: 'object', vault: 'o.vault_id', missing: 'object.not_found' },
}

const readObjectRow = (row: Row): StoredObject => readObject(readRow(VaultObjectTable, row, 'object.'))
const readVaultRow = (row: Row): KeyedVault => readRow(VaultTable, row, 'vault.')

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

// oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-parameters -- our own JSON
const parse = <T>(json: string): T => JSON.parse(json) as T

export async function findKeyedVault(reader: Reader, vaultId: number): Promise<KeyedVault | undefined> {
  const [row] = await select<Row>(reader, `SELECT ${vaultColumns} FROM vaults v WHERE v.id = $1`, [vaultId])
  return row && readVaultRow(row)
}

/** Every object of a vault, in the order of their ids. */
export async function objectsOfVault(reader: Reader, vaultId: number): Promise<StoredObject[]> {
  const rows = await select<Row>(
    reader,
    `SELECT ${objectColumns} FROM vault_objects o WHERE o.vault_id = $1 AND o.deleted_at IS NULL ORDER BY o.id`,
    [vaultId],
  )
  return rows.map(readObjectRow)
}

export async function childrenOf(reader: Reader, { id, vaultId }: StoredObject): Promise<StoredObject[]> {
  const rows = await select<Row>(
    reader,
    `SELECT ${objectColumns} FROM vault_objects o
     WHERE o.vault_id = $1 AND o.parent_id = $2 AND o.deleted_at IS NULL ORDER BY o.id`,
    [vaultId, id],
  )
  return rows.map(readObjectRow)
}

/** What an object lies in, from the root of the vault downwards. UNION and not UNION ALL: it ends even on a circle. */
export async function ancestorsOf(reader: Reader, { parentId, vaultId }: StoredObject): Promise<StoredObject[]> {
  if (parentId === 0) return []
  const rows = await select<Row>(
    reader,
    `WITH RECURSIVE above (id, parent_id) AS (
       SELECT id, parent_id FROM vault_objects WHERE id = $1
       UNION SELECT p.id, p.parent_id FROM above a JOIN vault_objects p ON p.id = a.parent_id)
     SELECT ${objectColumns} FROM above a JOIN vault_objects o ON o.id = a.id WHERE o.vault_id = $2`,
    [parentId, vaultId],
  )
  const found = new Map(rows.map(readObjectRow).map((object) => [object.id, object]))
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
  return (await select<Row>(reader, sql, [userId, pattern, most])).map(readObjectRow)
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

/** The membership does not rest. */
const isAwake = awake('m')
const hasMore = `SELECT 1 FROM vault_members m CROSS JOIN vault_objects o ON o.vault_id = m.vault_id
  WHERE m.user_id = $1 AND ${isAwake} LIMIT 1 OFFSET $2`
/** A deleted object has no search text: so the index of these alone has the answer. */
const byReading = `SELECT ${objectColumns} FROM vault_objects o WHERE o.id IN (
  SELECT t.id FROM vault_members m CROSS JOIN vault_objects t ON t.vault_id = m.vault_id
  WHERE m.user_id = $1 AND ${isAwake} AND instr(t.search_text, $2) > 0 LIMIT $3)`
const byTrigrams = `SELECT ${objectColumns} FROM object_trigrams t CROSS JOIN vault_objects o ON o.id = t.rowid
  CROSS JOIN vault_members m ON m.vault_id = o.vault_id
  WHERE object_trigrams MATCH $2 AND o.deleted_at IS NULL AND m.user_id = $1 AND ${isAwake} LIMIT $3`
const byPattern = `SELECT ${objectColumns} FROM vault_objects o
  WHERE o.vault_id = ANY (ARRAY(SELECT m.vault_id FROM vault_members m WHERE m.user_id = $1 AND ${isAwake}))
    AND o.search_text LIKE $2 AND o.deleted_at IS NULL LIMIT $3`
