import { EntitySchema } from 'typeorm'
import { integer, named, primary, time } from '../../store/columns.ts'
import { change, select } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { AdmitLongList } from './bounded-list.ts'
import { foundColumns, readFoundObject, withLongFields, type ListedObject } from './listed-object-records.ts'
import type { Row } from './read-records.ts'
import { mayList } from './search-records.ts'

/** An object that a user has marked as a favourite. */
export interface Favourite {
  readonly userId: number
  readonly objectId: number
  readonly addedAt: number
}

export const FavouriteTable = new EntitySchema<Favourite>({
  name: 'Favourite',
  tableName: 'object_favourites',
  columns: {
    userId: named('user_id', primary(integer)),
    objectId: named('object_id', primary(integer)),
    addedAt: named('added_at', time),
  },
})

/** The favourites that the user may see now, by name. */
export async function favouritesOf(
  reader: Reader,
  userId: number,
  admitLongList: AdmitLongList,
): Promise<ListedObject[]> {
  const found = (await select<Row>(reader, favourites, [userId])).map(readFoundObject)
  return withLongFields(reader, found, admitLongList)
}

const favourites = `SELECT ${foundColumns} FROM object_favourites f
  JOIN vault_objects o ON o.id = f.object_id AND o.deleted_at IS NULL
  JOIN vault_members m ON m.vault_id = o.vault_id AND m.user_id = f.user_id
  WHERE f.user_id = $1 AND ${mayList} ORDER BY o.name, o.id`

/** False where it is a favourite already, or the user has reached the limit. */
export async function addFavourite(tx: Tx, { userId, objectId, addedAt }: Favourite, most: number): Promise<boolean> {
  return (await change(tx, insertion, [userId, objectId, addedAt, most])) === 1
}

const insertion = `INSERT INTO object_favourites (user_id, object_id, added_at)
  SELECT u.id, o.id, CAST($3 AS bigint) FROM users u JOIN vault_objects o ON o.id = $2 AND o.deleted_at IS NULL
  WHERE u.id = $1 AND (SELECT count(*) FROM object_favourites f
      JOIN vault_objects p ON p.id = f.object_id AND p.deleted_at IS NULL
      JOIN vault_members m ON m.vault_id = p.vault_id AND m.user_id = f.user_id WHERE f.user_id = $1) < $4
  ON CONFLICT (user_id, object_id) DO NOTHING`

export function isFavourite(reader: Reader, userId: number, objectId: number): Promise<boolean> {
  return reader.existsBy(FavouriteTable, { userId, objectId })
}

/** False where it is not a favourite. */
export async function removeFavourite(tx: Tx, userId: number, objectId: number): Promise<boolean> {
  return (await tx.delete(FavouriteTable, { userId, objectId })).affected === 1
}
