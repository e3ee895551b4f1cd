import { IsNull, MoreThan, Not } from 'typeorm'
import type { ResourceQuery } from '../../access/resource.ts'
import { select } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { VaultObjectTable, type VaultObject } from './records.ts'

/** One deletion, as the trash of its vault shows it. */
export interface TrashedObject extends Pick<VaultObject, 'id' | 'templateId' | 'name'> {
  readonly deletedAt: number
  readonly deletedBy: string
  /** Number of objects deleted together, the shown object included. */
  readonly objects: number
}

/** The deleted object that a path names. An object that was deleted with a parent is found through that parent only. */
export const trashedQuery: ResourceQuery<Pick<VaultObject, 'id' | 'vaultId'>> = {
  parameter: 'objectid',
  columns: 'o.id AS "trashed.id", o.vault_id AS "trashed.vaultId"',
  join: (_vault, name) =>
    `LEFT JOIN vault_objects o ON o.id = ${name} AND o.deleted_at IS NOT NULL AND o.trashed_with = o.id`,
  read: ({ 'trashed.id': id, 'trashed.vaultId': vaultId }) =>
    id === null ? undefined : { id: Number(id), vaultId: Number(vaultId) },
  vaultOf: { noun: 'object', vault: 'o.vault_id', missing: 'object.not_found' },
}

/** Deletions in a vault since a time, newest first. */
export function trashOf(reader: Reader, vaultId: number, since: number, most: number): Promise<TrashedObject[]> {
  return select<TrashedObject>(reader, trash, [vaultId, since, most])
}

const trash = `SELECT o.id, o.template_id AS "templateId", o.name, o.deleted_at AS "deletedAt",
    coalesce(u.username, '') AS "deletedBy",
    (SELECT count(*) FROM vault_objects w WHERE w.trashed_with = o.id AND w.vault_id = o.vault_id) AS "objects"
  FROM vault_objects o LEFT JOIN users u ON u.id = o.changed_by
  WHERE o.vault_id = $1 AND o.trashed_with = o.id AND o.deleted_at > $2 ORDER BY o.deleted_at DESC, o.id DESC LIMIT $3`

/** The objects of one deletion, if it is recent enough: the deleted object itself first. */
export async function trashedWith(
  reader: Reader,
  { id, vaultId }: Pick<VaultObject, 'id' | 'vaultId'>,
  since: number,
): Promise<VaultObject[]> {
  const rows = await reader.find(VaultObjectTable, {
    where: { trashedWith: id, vaultId, deletedAt: MoreThan(since) },
    order: { id: 'ASC' },
  })
  return [...rows.filter((row) => row.id === id), ...rows.filter((row) => row.id !== id)]
}

/** False where a parallel call has restored it. */
export async function takeOutOfTrash(
  tx: Tx,
  { id, version }: VaultObject,
  fields: Partial<VaultObject>,
): Promise<boolean> {
  const inTrash = { id, version, deletedAt: Not(IsNull()) }
  return (await tx.update(VaultObjectTable, inTrash, { ...fields, deletedAt: null, trashedWith: null })).affected === 1
}
