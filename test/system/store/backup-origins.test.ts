import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DataSource } from 'typeorm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tables } from '../../../src/daemon/tables.ts'
import { findVault } from '../../../src/features/vaults/records.ts'
import { migrations } from '../../../src/store/migrations.ts'
import { openStore } from '../../../src/store/open.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'

const before = migrations.slice(
  0,
  migrations.findIndex(({ name }) => name === 'BackupOrigins1700000000016'),
)
const vaultIds = [3, 4]

async function getsIdentities(place: { sqlite: string } | { postgresUrl: string }): Promise<void> {
  const source = new DataSource({
    ...('sqlite' in place
      ? { type: 'better-sqlite3' as const, database: place.sqlite }
      : { type: 'postgres' as const, url: place.postgresUrl }),
    migrations: [...before],
  })
  await source.initialize()
  await source.runMigrations()
  for (const id of vaultIds)
    await source.query(
      `INSERT INTO vaults (id, name, policy_id, description, key_id, key_kek, key_blob, key_seal, key_uses, created_at)
       VALUES (${id}, 'Ledgers', 16, '', 'key-${id}', 'vault', '', '', 0, 5)`,
    )
  await source.destroy()
  const store = await openStore(place, tables)
  try {
    const vaults = await Promise.all(vaultIds.map((id) => findVault(store.read, id)))
    const identities = vaults.map((vault) => vault?.identity)
    for (const identity of identities) expect(identity).toMatch(/^[0-9a-f]{32}$/)
    expect(new Set(identities).size).toBe(vaultIds.length)
    expect(vaults).toMatchObject(vaultIds.map((id) => ({ id, name: 'Ledgers' })))
  } finally {
    await store.close()
  }
}

describe('vaults of the release before', () => {
  it('get an identity each, on SQLite', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'strongroom-store-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    await getsIdentities({ sqlite: join(directory, 'test.sqlite') })
  })

  it.skipIf(!hasPostgres)('and on PostgreSQL', async () => {
    const server = startPostgres()
    onTestFinished(() => server.cleanup())
    await getsIdentities({ postgresUrl: server.url })
  })
})
