import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DataSource } from 'typeorm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tables } from '../../../src/daemon/tables.ts'
import { standingOf } from '../../../src/features/auth/session-records.ts'
import { findUserById } from '../../../src/features/users/records.ts'
import { membersOf } from '../../../src/features/vaults/membership-records.ts'
import { vaultsOf } from '../../../src/features/vaults/records.ts'
import { openRecoveries } from '../../../src/features/vaults/resting-records.ts'
import { migrations } from '../../../src/store/migrations.ts'
import { openStore } from '../../../src/store/open.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'

const before = migrations.slice(
  0,
  migrations.findIndex(({ name }) => name === 'Recoveries1700000000013'),
)

/** What the release before kept of a user who shares a vault and is logged in. */
const rows = [
  `INSERT INTO users (id, username, fullname, email, capabilities, passphrase_salt, passphrase_check, passphrase_cost,
     passphrase_changed_at, failed_logins, key_kek, key_blob, public_key, fingerprint, created_at, search_text)
   VALUES (7, 'alice', 'Alice Example', 'alice@example.test', 131, '', '', 'm=8192,t=1', 5, 0, '', '', '', '', 5, '')`,
  `INSERT INTO vaults (id, name, policy_id, description, key_id, key_kek, key_blob, key_seal, key_uses, created_at)
   VALUES (3, 'Ledgers', 16, '', 'aa', 'vault', '', '', 0, 5)`,
  'INSERT INTO vault_members (vault_id, user_id, permission, added_at) VALUES (3, 7, 4, 5)',
  `INSERT INTO application_keys (id, name, key_check, created_at) VALUES (1, 'app', '', 5)`,
  `INSERT INTO sessions (id, user_id, application_key_id, address, created_at, last_seen_at)
   VALUES (9, 7, 1, '192.0.2.1', 5, 5)`,
]

async function upgraded(place: { sqlite: string } | { postgresUrl: string }) {
  const source = new DataSource({
    ...('sqlite' in place
      ? { type: 'better-sqlite3' as const, database: place.sqlite }
      : { type: 'postgres' as const, url: place.postgresUrl }),
    migrations: [...before],
  })
  await source.initialize()
  await source.runMigrations()
  for (const row of rows) await source.query(row)
  await source.destroy()
  return openStore(place, tables)
}

async function restsNowhere(place: Parameters<typeof upgraded>[0]): Promise<void> {
  const store = await upgraded(place)
  try {
    // No session of before has a seal: all of them ended with the upgrade.
    expect(await standingOf(store.read, 9, 3)).toBeUndefined()
    await store.query('UPDATE sessions SET ended_at = NULL', [])
    expect(await standingOf(store.read, 9, 3)).toEqual({ capabilities: 131, permission: 4, rests: 0 })
    expect(await vaultsOf(store.read, 7)).toMatchObject([{ id: 3, permission: 'Admin' }])
    expect(await membersOf(store.read, 3)).toMatchObject([{ userId: 7, passphraseBy: null }])
    expect(await openRecoveries(store.read, 3)).toEqual([])
    // Not a new user, whom the maker could go on giving factors to.
    expect(await findUserById(store.read, 7)).toMatchObject({ recoveries: 0, madeBy: null, passphraseBy: null })
  } finally {
    await store.close()
  }
}

describe('a database of the release before', () => {
  it('has nobody who rests, and nobody who is new, on SQLite', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'strongroom-store-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    await restsNowhere({ sqlite: join(directory, 'test.sqlite') })
  })

  it.skipIf(!hasPostgres)('nor on PostgreSQL', async () => {
    const server = startPostgres()
    onTestFinished(() => server.cleanup())
    await restsNowhere({ postgresUrl: server.url })
  })
})
