import { EntitySchema } from 'typeorm'
import { integer, named, primary, text, time } from '../../store/columns.ts'
import { readInPages } from '../../store/pages.ts'
import { change, readRow, select, selectList } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { AdmitLongList } from './bounded-list.ts'
import { foundColumns, readFoundObject, withLongFields, type ListedObject } from './listed-object-records.ts'
import type { Row } from './read-records.ts'
import { mayList } from './search-records.ts'

/** The tags that a user keeps for an object. */
interface TagsRow {
  readonly userId: number
  readonly objectId: number
  /** A JSON list. */
  readonly tags: string
  readonly changedAt: number
}

export const ObjectTagsTable = new EntitySchema<TagsRow>({
  name: 'ObjectTags',
  tableName: 'object_tags',
  columns: {
    userId: named('user_id', primary(integer)),
    objectId: named('object_id', primary(integer)),
    tags: text,
    changedAt: named('changed_at', time),
  },
})

/** An object with the user's tags for it. */
export interface TaggedObject {
  readonly id: number
  readonly object: ListedObject
  readonly tags: readonly string[]
  readonly changedAt: number
}

/** The tagged objects that the user may see now, by id. */
export async function taggedBy(reader: Reader, userId: number, admitLongList: AdmitLongList): Promise<TaggedObject[]> {
  const found = await readInPages(reader, async (after, most) =>
    (await select<Row>(reader, tagged, [after, most, userId])).map((row) => {
      const object = readFoundObject(row)
      const { tags, changedAt } = readRow(ObjectTagsTable, row, 'kept.')
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own JSON
      return { id: object.id, object, tags: JSON.parse(tags) as string[], changedAt }
    }),
  )
  const objects = await withLongFields(
    reader,
    found.map(({ object }) => object),
    admitLongList,
  )
  return objects.flatMap((object, at) => {
    const kept = found[at]
    return kept === undefined ? [] : [{ ...kept, object }]
  })
}

const keptColumns = selectList(ObjectTagsTable, 't', { prefix: 'kept.', members: ['tags', 'changedAt'] })
const tagged = `SELECT ${foundColumns}, ${keptColumns} FROM object_tags t
  JOIN vault_objects o ON o.id = t.object_id AND o.deleted_at IS NULL
  JOIN vault_members m ON m.vault_id = o.vault_id AND m.user_id = t.user_id
  WHERE t.user_id = $3 AND ${mayList} AND o.id > $1 ORDER BY o.id LIMIT $2`

interface KeptTags extends Pick<TagsRow, 'userId' | 'objectId' | 'changedAt'> {
  readonly tags: readonly string[]
}

/**
 * Replaces the user's tags for the object. False where the user already has tags for the maximum number of other
 * objects.
 */
export async function keepTags(
  tx: Tx,
  { userId, objectId, tags, changedAt }: KeptTags,
  most: number,
): Promise<boolean> {
  return (await change(tx, upsert, [userId, objectId, JSON.stringify(tags), changedAt, most])) === 1
}

const upsert = `INSERT INTO object_tags (user_id, object_id, tags, changed_at)
  SELECT u.id, o.id, CAST($3 AS text), CAST($4 AS bigint)
  FROM users u JOIN vault_objects o ON o.id = $2 AND o.deleted_at IS NULL
  WHERE u.id = $1 AND (SELECT count(*) FROM object_tags t
      JOIN vault_objects p ON p.id = t.object_id AND p.deleted_at IS NULL
      JOIN vault_members m ON m.vault_id = p.vault_id AND m.user_id = t.user_id
      WHERE t.user_id = $1 AND t.object_id <> $2) < $5
  ON CONFLICT (user_id, object_id) DO UPDATE SET tags = excluded.tags, changed_at = excluded.changed_at`

/** False where there are none. */
export async function removeTags(tx: Tx, userId: number, objectId: number): Promise<boolean> {
  return (await tx.delete(ObjectTagsTable, { userId, objectId })).affected === 1
}
