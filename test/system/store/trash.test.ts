import { expect } from 'vitest'
import {
  beginVersion,
  holdDeleted,
  markDeleted,
  removeObject,
  removeObjects,
  switchAlarm,
  VaultObjectTable,
} from '../../../src/features/objects/records.ts'
import { trashedWith, trashOf } from '../../../src/features/objects/trash-records.ts'
import { describeUpgrade } from '../../support/earlier-database.ts'

/** Rows of the previous release: a folder, an object in it, and two deleted objects, one of them from the folder. */
const statements = [
  `INSERT INTO vaults (id, name, policy_id, description, key_id, created_at) VALUES (3, 'Ledgers', 16, '', 'aa', 5)`,
  ...[
    [1, 0, 'Folder', 1, 'NULL'],
    [2, 1, 'Present', 0, 'NULL'],
    [3, 1, 'Earlier', 0, '7'],
    [4, 0, 'Later', 0, '8'],
  ].map(
    ([id, parent, name, children, deletedAt]) =>
      `INSERT INTO vault_objects (id, vault_id, parent_id, template_id, name, name_given, public_fields, search_text, weak_fields,
         status, children, version, created_at, created_by, changed_at, changed_by, deleted_at)
       VALUES (${id}, 3, ${parent}, 2, '${name}', 1, '{}', '', '[]', 0, ${children}, 2, 5, 1, 5, 1, ${deletedAt})`,
  ),
  `INSERT INTO object_secrets (object_id, field, version, sealed_text) VALUES (3, 'password', 1, 'AAAA')`,
]

describeUpgrade(
  'what the release before deleted is in the trash, each by itself',
  { before: 'Trash1700000000039', statements },
  async (store) => {
    expect(await trashOf(store.read, 3, 0, 10)).toMatchObject([
      { id: 4, name: 'Later', objects: 1, deletedAt: 8 },
      { id: 3, name: 'Earlier', objects: 1, deletedAt: 7 },
    ])
    expect(await trashOf(store.read, 3, 7, 10)).toMatchObject([{ id: 4 }])
    expect(await trashedWith(store.read, { id: 3, vaultId: 3 }, 0)).toMatchObject([{ id: 3, trashedWith: 3 }])
    const rows = await store.read.find(VaultObjectTable, { order: { id: 'ASC' } })
    expect(rows.map(({ id, trashedWith: deletion }) => [id, deletion])).toEqual([
      [1, null],
      [2, null],
      [3, 3],
      [4, 4],
    ])
    // It was restored or deleted again since it was listed, and is not destroyed.
    expect(await store.transaction((tx) => holdDeleted(tx, 3, 7))).toBe(false)
    expect(await store.transaction((tx) => holdDeleted(tx, 2, 100))).toBe(false)
    expect(await store.transaction((tx) => holdDeleted(tx, 3, 8))).toBe(true)
    expect(await store.transaction((tx) => removeObject(tx, 3))).toBe(true)
    // A parallel call destroyed all that were listed.
    await store.transaction((tx) => removeObjects(tx, []))
    // It was moved to another vault since the rights of the call were checked.
    const moved = { id: 2, vaultId: 9 }
    expect(await store.transaction((tx) => beginVersion(tx, moved, undefined, { changedAt: 9, changedBy: 1 }))).toBe(
      false,
    )
    expect(await store.transaction((tx) => switchAlarm(tx, moved, true, { changedAt: 9, changedBy: 1 }))).toBe(false)
    expect(await store.transaction((tx) => markDeleted(tx, moved, 9, 1))).toBe(false)
    expect(await store.transaction((tx) => markDeleted(tx, { id: 2, vaultId: 3 }, 9, 1))).toBe(true)
    expect(await trashOf(store.read, 3, 0, 10)).toMatchObject([{ id: 2 }, { id: 4 }])
  },
)
