import { expect } from 'vitest'
import { removeObject } from '../../../src/features/objects/records.ts'
import { keepTags, removeTags, taggedBy } from '../../../src/features/objects/tag-records.ts'
import { describeUpgrade } from '../../support/earlier-database.ts'

/** Rows of the previous release: a member of a vault with two objects, one a favourite and one in the trash. */
const statements = [
  `INSERT INTO users (id, username, fullname, email, capabilities, passphrase_salt, passphrase_check, passphrase_cost, key_kek, key_blob, public_key, fingerprint, created_at)
   VALUES (1, 'bob', 'Bob', 'bob@example.test', 0, '', '', '', '', '', '', '', 5)`,
  `INSERT INTO vaults (id, name, policy_id, description, key_id, created_at) VALUES (3, 'Ledgers', 16, '', 'aa', 5)`,
  'INSERT INTO vault_members (vault_id, user_id, permission, added_at) VALUES (3, 1, 1, 5)',
  ...[
    [1, 'Present', 'NULL'],
    [2, 'Deleted', '7'],
  ].map(
    ([id, name, deletedAt]) =>
      `INSERT INTO vault_objects (id, vault_id, parent_id, template_id, name, name_given, public_fields, search_text, weak_fields,
         status, children, version, created_at, created_by, changed_at, changed_by, deleted_at)
       VALUES (${id}, 3, 0, 2, '${name}', 1, '{}', '', '[]', 0, 0, 2, 5, 1, 5, 1, ${deletedAt})`,
  ),
  'INSERT INTO object_favourites (user_id, object_id, added_at) VALUES (1, 1, 5), (1, 2, 5)',
]

describeUpgrade(
  'objects of the release before take tags',
  { before: 'Tags1700000000041', statements },
  async (store) => {
    const keep = (objectId: number, tags: string[], changedAt = 9, most = 5) =>
      store.transaction((tx) => keepTags(tx, { userId: 1, objectId, tags, changedAt }, most))
    const kept = async () =>
      (await taggedBy(store.read, 1, () => undefined)).map(({ id, tags, changedAt }) => [id, tags, changedAt])
    expect(await kept()).toEqual([])
    expect(await keep(1, ['ä', '"b"'])).toBe(true)
    expect(await keep(1, ['c', 'd'], 10, 1)).toBe(true)
    expect(await kept()).toEqual([[1, ['c', 'd'], 10]])
    expect(await keep(2, ['of the trash'])).toBe(false)
    expect(await keep(1, ['over'], 11, 0)).toBe(false)
    await store.transaction((tx) => tx.query('UPDATE vault_objects SET deleted_at = NULL WHERE id = 2'))
    expect(await keep(2, ['one too many'], 11, 1)).toBe(false)
    expect(await keep(2, ['e'])).toBe(true)
    await store.transaction((tx) => tx.query('UPDATE vault_objects SET deleted_at = 8 WHERE id = 2'))
    expect(await kept()).toEqual([[1, ['c', 'd'], 10]])
    expect(await store.transaction((tx) => removeObject(tx, 2))).toBe(true)
    await store.transaction((tx) => removeTags(tx, 1, 1))
    expect(await store.query('SELECT 1 FROM object_tags', [])).toEqual([])
    expect(await store.query('SELECT object_id FROM object_favourites', [])).toHaveLength(1)
  },
)
