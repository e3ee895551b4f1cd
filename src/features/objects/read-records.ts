import type { Granted } from '../../access/caller.ts'
import type { ResourceQuery } from '../../access/resource.ts'
import { Fault } from '../../fault.ts'
import { readRow, select, selectList } from '../../store/statement.ts'
import type { Reader } from '../../store/store.ts'
import { VaultTable, type Vault } from '../vaults/records.ts'
import type { SealedVaultKey } from '../vaults/vault-key.ts'
import { VaultObjectTable, type VaultObject } from './records.ts'

/** The data of a file that are not encrypted. */
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
  'id' | 'vaultId' | 'parentId' | 'templateId' | 'name' | 'status' | 'children' | 'version'
> {
  readonly nameGiven: boolean
  readonly fields: Readonly<Record<string, string>>
  readonly weakFields: readonly string[]
  readonly file: FileInfo | undefined
}

/** The data of a vault that the encryption of its objects needs. */
export type KeyedVault = Pick<Vault, 'id' | 'policyId' | 'history'> & SealedVaultKey

/** An object with its vault, read by one statement. */
export interface ObjectInVault {
  readonly object: StoredObject
  readonly vault: KeyedVault
}

/** The same with the caller's grant to use the vault's key. */
export type GrantedVault = KeyedVault & Granted

export interface GrantedObject extends ObjectInVault {
  readonly vault: GrantedVault
}

/** @throws Fault `object.not_found` */
export function grantedTo({ grant }: Granted, found: ObjectInVault | undefined): GrantedObject {
  const { object, vault } = existing(found)
  return { object, vault: { grant, ...vault } }
}

/** @throws Fault `object.not_found` */
export function existing(found: ObjectInVault | undefined): ObjectInVault {
  if (found === undefined) throw new Fault('object.not_found')
  return found
}

export type Row = Readonly<Record<string, unknown>>

/** The members of an object that are read together with its row; lists read the fields separately. */
export const objectMembers = [
  'id',
  'vaultId',
  'parentId',
  'templateId',
  'name',
  'nameGiven',
  'weakFields',
  'status',
  'fileInfo',
  'children',
  'version',
] as const satisfies readonly (keyof VaultObject)[]
const objectColumns = selectList(VaultObjectTable, 'o', {
  prefix: 'object.',
  members: [...objectMembers, 'publicFields'],
})
const vaultColumns = selectList(VaultTable, 'v', {
  prefix: 'vault.',
  members: ['id', 'identity', 'policyId', 'history', 'keyKek', 'keyBlob', 'keySeal'],
})

/** The object that a path names; objects in the trash are not found. */
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

type Read = Pick<VaultObject, (typeof objectMembers)[number] | 'publicFields'>

export function readObject(row: Read): StoredObject {
  const { id, vaultId, parentId, templateId, name, status, children, version } = row
  return {
    id,
    vaultId,
    parentId,
    templateId,
    name,
    status,
    children,
    version,
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

/** The data of a parent that a breadcrumb shows. */
export type Ancestor = Pick<StoredObject, 'id' | 'parentId' | 'templateId' | 'name'>

const ancestorColumns = selectList(VaultObjectTable, 'o', { members: ['id', 'parentId', 'templateId', 'name'] })

/** The parents of an object, from the root of the vault downwards. UNION, unlike UNION ALL, also ends on a cycle. */
export async function ancestorsOf(
  reader: Reader,
  { parentId, vaultId }: Pick<StoredObject, 'parentId' | 'vaultId'>,
): Promise<Ancestor[]> {
  if (parentId === 0) return []
  const rows = await select<Ancestor>(
    reader,
    `WITH RECURSIVE above (id, parent_id) AS (
       SELECT id, parent_id FROM vault_objects WHERE id = $1
       UNION SELECT p.id, p.parent_id FROM above a JOIN vault_objects p ON p.id = a.parent_id)
     SELECT ${ancestorColumns} FROM above a JOIN vault_objects o ON o.id = a.id WHERE o.vault_id = $2`,
    [parentId, vaultId],
  )
  const found = new Map(rows.map((row) => readRow(VaultObjectTable, row)).map((object) => [object.id, object]))
  const path: Ancestor[] = []
  for (let next = found.get(parentId); next !== undefined; next = found.get(next.parentId)) {
    found.delete(next.id)
    path.unshift(next)
  }
  return path
}
