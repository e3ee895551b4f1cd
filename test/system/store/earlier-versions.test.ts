import { expect } from 'vitest'
import { findVault } from '../../../src/features/vaults/records.ts'
import {
  earlierSecretsOf,
  earlierVersionsOf,
  EarlierVersionTable,
  insertEarlier,
  trimEarlier,
} from '../../../src/features/objects/earlier-version-records.ts'
import { beginVersion, findObject, markDeleted, removeObject } from '../../../src/features/objects/records.ts'
import { describeUpgrade } from '../../support/earlier-database.ts'

/** Rows of the previous release: a vault, and an object with a secret that was edited twice. */
const statements = [
  `INSERT INTO vaults (id, name, policy_id, description, key_id, created_at) VALUES (3, 'Ledgers', 16, '', 'aa', 5)`,
  `INSERT INTO vault_objects (id, vault_id, parent_id, template_id, name, name_given, public_fields, search_text, weak_fields,
     status, children, version, created_at, created_by, changed_at, changed_by)
   VALUES (4, 3, 0, 1, 'Core', 1, '{"host":"core"}', 'core', '[]', 128, 0, 3, 5, 1, 6, 1)`,
  `INSERT INTO object_secrets (object_id, field, version, sealed_text) VALUES (4, 'password', 2, 'AAAA')`,
]

const history = { objectId: 4, vaultId: 3, most: 10 }
const secret = (version: number) => ({ objectId: 4, version, field: 'password', ciphertext: Buffer.from([version]) })

describeUpgrade(
  'objects of the release before have no earlier versions yet, and their vaults keep ten from now on',
  { before: 'EarlierVersions1700000000040', statements },
  async (store) => {
    expect(await findVault(store.read, 3)).toMatchObject({ name: 'Ledgers', history: 10 })
    expect(await findObject(store.read, 4)).toMatchObject({ name: 'Core', version: 3 })
    expect(await earlierVersionsOf(store.read, history, () => undefined)).toEqual([])
    await store.transaction(async (tx) => {
      expect(await beginVersion(tx, { id: 4, vaultId: 3 }, 3, { changedAt: 9, changedBy: 1 })).toBe(true)
      for (const version of [1, 2, 3])
        await insertEarlier(
          tx,
          {
            objectId: 4,
            version,
            name: `Core ${version}`,
            publicFields: '{"host":"core"}',
            replacedAt: 9,
            replacedBy: 1,
          },
          [secret(version)],
        )
      await trimEarlier(tx, 4, 2)
    })
    const listed = { objectId: 4, fields: { host: 'core' }, isAbridged: false, replacedAt: 9, replacedBy: '' }
    expect(await earlierVersionsOf(store.read, history, () => undefined)).toEqual([
      { ...listed, version: 3, name: 'Core 3' },
      { ...listed, version: 2, name: 'Core 2' },
    ])
    expect(await earlierSecretsOf(store.read, 4, 1)).toEqual([])
    expect(await earlierSecretsOf(store.read, 4, 2)).toEqual([secret(2)])
    await store.transaction(async (tx) => {
      expect(await markDeleted(tx, { id: 4, vaultId: 3 }, 10, 1)).toBe(true)
      expect(await removeObject(tx, 4)).toBe(true)
    })
    expect(await store.read.countBy(EarlierVersionTable, {})).toBe(0)
    expect(await earlierSecretsOf(store.read, 4, 3)).toEqual([])
  },
)
