import { expect } from 'vitest'
import { findVault } from '../../../src/features/vaults/records.ts'
import { describeUpgrade } from '../../support/earlier-database.ts'

const vaultIds = [3, 4]
const statements = vaultIds.map(
  (id) =>
    `INSERT INTO vaults (id, name, policy_id, description, key_id, key_kek, key_blob, key_seal, key_uses, created_at)
     VALUES (${id}, 'Ledgers', 16, '', 'key-${id}', 'vault', '', '', 0, 5)`,
)

describeUpgrade(
  'vaults of the release before get an identity each',
  { before: 'BackupOrigins1700000000016', statements },
  async (store) => {
    const vaults = await Promise.all(vaultIds.map((id) => findVault(store.read, id)))
    const identities = vaults.map((vault) => vault?.identity)
    for (const identity of identities) expect(identity).toMatch(/^[0-9a-f]{32}$/)
    expect(new Set(identities).size).toBe(vaultIds.length)
    expect(vaults).toMatchObject(vaultIds.map((id) => ({ id, name: 'Ledgers' })))
  },
)
