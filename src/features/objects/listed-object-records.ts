import { In } from 'typeorm'
import { readInPages } from '../../store/pages.ts'
import { readRow, select, selectList } from '../../store/statement.ts'
import type { Reader } from '../../store/store.ts'
import {
  createListAdmission,
  fieldColumns,
  readFound,
  withFields,
  type AdmitLongList,
  type Found,
  type Listed,
} from './bounded-list.ts'
import { objectMembers, readObject, type Row, type StoredObject } from './read-records.ts'
import { VaultObjectTable } from './records.ts'

/** An object as a list finds it. */
export type FoundObject = Omit<StoredObject, 'fields'> & Found

/** An object of a list. */
export type ListedObject = Listed<FoundObject>

const ownColumns = selectList(VaultObjectTable, 'o', { prefix: 'object.', members: objectMembers })
/** The columns that lists of objects select; `withLongFields` reads the rest. */
export const foundColumns = `${ownColumns}, ${fieldColumns('o', 'object.')}`

export function readFoundObject(row: Row): FoundObject {
  const { fields: _, ...object } = readObject({ ...readRow(VaultObjectTable, row, 'object.'), publicFields: '{}' })
  return { ...object, ...readFound(row, 'object.') }
}

/** Adds the long fields, within the limit of one list. */
export function withLongFields(
  reader: Reader,
  found: readonly FoundObject[],
  admitLongList: AdmitLongList,
): Promise<ListedObject[]> {
  const readTexts = async (some: readonly FoundObject[]) => {
    const rows = await reader.find(VaultObjectTable, {
      where: { id: In(some.map(({ id }) => id)) },
      select: { id: true, vaultId: true, version: true, publicFields: true },
    })
    const texts = new Map<FoundObject, string>()
    for (const object of some) {
      // Skips an object that a parallel call has moved or edited.
      const row = rows.find(({ id, version }) => id === object.id && version === object.version)
      if (row !== undefined) texts.set(object, row.publicFields)
    }
    return texts
  }
  return withFields(found, readTexts, admitLongList)
}

/** Every object of a vault, in the order of their ids. */
export function objectsOfVault(reader: Reader, vaultId: number, admitLongList: AdmitLongList): Promise<ListedObject[]> {
  return readObjects(reader, 'o.vault_id = $3', [vaultId], admitLongList)
}

export function childrenOf(
  reader: Reader,
  { id, vaultId }: StoredObject,
  admitLongList: AdmitLongList,
): Promise<ListedObject[]> {
  return readObjects(reader, 'o.vault_id = $3 AND o.parent_id = $4', [vaultId, id], admitLongList)
}

async function readObjects(
  reader: Reader,
  where: string,
  parameters: readonly unknown[],
  admitLongList: AdmitLongList,
): Promise<ListedObject[]> {
  const sql = `SELECT ${foundColumns} FROM vault_objects o
    WHERE ${where} AND o.deleted_at IS NULL AND o.id > $1 ORDER BY o.id LIMIT $2`
  const admission = createListAdmission(admitLongList)
  const found = await readInPages(reader, async (after, most) =>
    admission.counted((await select<Row>(reader, sql, [after, most, ...parameters])).map(readFoundObject)),
  )
  return withLongFields(reader, found, admission.admit)
}
