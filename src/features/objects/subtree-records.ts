import { In, IsNull } from 'typeorm'
import { pagesOf } from '../../store/pages.ts'
import { select } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { readRow, selectList } from '../../store/statement.ts'
import { SecretFieldTable, VaultObjectTable, type SecretField, type VaultObject } from './records.ts'

/**
 * An object with all below it, parents before children; at most `most` objects. UNION, unlike UNION ALL, also ends on a
 * cycle.
 */
export async function subtreeOf(
  reader: Reader,
  { id, vaultId }: Pick<VaultObject, 'id' | 'vaultId'>,
  most: number,
): Promise<VaultObject[]> {
  const rows = (await select<object>(reader, subtree, [id, vaultId, most])).map((row) => readRow(VaultObjectTable, row))
  const below = new Map<number, VaultObject[]>()
  for (const row of rows) if (row.id !== id) below.set(row.parentId, [...(below.get(row.parentId) ?? []), row])
  const ordered = rows.filter((row) => row.id === id)
  for (const row of ordered) ordered.push(...(below.get(row.id) ?? []))
  return ordered
}

const subtreeSelecting = (columns: string) => `WITH RECURSIVE below (id) AS (
    SELECT id FROM vault_objects WHERE id = $1 AND vault_id = $2 AND deleted_at IS NULL
    UNION SELECT c.id FROM below b JOIN vault_objects c ON c.parent_id = b.id AND c.vault_id = $2 AND c.deleted_at IS NULL)
  SELECT ${columns} FROM vault_objects o WHERE o.id IN (SELECT id FROM below LIMIT $3)`
const subtree = subtreeSelecting(selectList(VaultObjectTable, 'o'))

const sizedMembers = ['id', 'vaultId', 'parentId', 'status', 'version', 'children'] as const

/** An object of a subtree, without its texts. */
export interface SizedObject extends Pick<VaultObject, (typeof sizedMembers)[number]> {
  readonly openBytes: number
  readonly searchBytes: number
}

/** The same objects in any order. Both databases know the lengths without reading the texts. */
export async function sizesOf(
  reader: Reader,
  { id, vaultId }: Pick<VaultObject, 'id' | 'vaultId'>,
  most: number,
): Promise<SizedObject[]> {
  const rows = await select<SizedObject>(reader, sizes, [id, vaultId, most])
  return rows.map((row) => ({ ...row, ...readRow(VaultObjectTable, row) }))
}

const sizes = subtreeSelecting(`${selectList(VaultObjectTable, 'o', { members: sizedMembers })},
  octet_length(o.public_fields) AS "openBytes", octet_length(o.search_text) AS "searchBytes"`)

const placeMembers = ['id', 'vaultId', 'templateId'] as const
const places = `SELECT ${selectList(VaultObjectTable, 'o', { members: placeMembers })} FROM vault_objects o
  WHERE o.id > $1 ORDER BY o.id LIMIT $2`

/** All objects, also those in the trash, with their vaults and templates. */
export async function* placedObjects(reader: Reader): AsyncGenerator<Pick<VaultObject, (typeof placeMembers)[number]>> {
  const pages = pagesOf(async (after, most) => {
    const rows = await select<object>(reader, places, [after, most])
    return rows.map((row) => readRow(VaultObjectTable, row))
  })
  for await (const page of pages) yield* page
}

/** The encrypted fields of these objects. */
export function secretsOfAll(reader: Reader, objectIds: readonly number[]): Promise<SecretField[]> {
  return reader.find(SecretFieldTable, {
    where: { objectId: In([...objectIds]) },
    order: { objectId: 'ASC', field: 'ASC' },
  })
}

/** Changes a row whose version and number of children are unchanged; false where a parallel call has changed them. */
export async function changeUnchanged(
  tx: Tx,
  { id, vaultId, version, children }: Pick<VaultObject, 'id' | 'vaultId' | 'version' | 'children'>,
  fields: Partial<VaultObject>,
): Promise<boolean> {
  const asRead = { id, vaultId, version, children, deletedAt: IsNull() }
  return (await tx.update(VaultObjectTable, asRead, fields)).affected === 1
}

/** Locks these rows until the transaction ends. */
export async function lockObjects(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.update(VaultObjectTable, { id: In([...ids]) }, { version: () => 'version' })
}

/** Moves an object within its vault; false where it does not exist any more. */
export async function moveWithin(
  tx: Tx,
  { id, vaultId }: Pick<VaultObject, 'id' | 'vaultId'>,
  to: Pick<VaultObject, 'parentId' | 'changedAt' | 'changedBy'>,
): Promise<boolean> {
  const change = tx
    .createQueryBuilder()
    .update(VaultObjectTable)
    .set({ ...to, version: () => 'version + 1' })
  return (await change.where({ id, vaultId, deletedAt: IsNull() }).execute()).affected === 1
}
