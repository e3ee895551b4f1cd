import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DataSource } from 'typeorm'
import { describe, it, onTestFinished } from 'vitest'
import { tables } from '../../src/daemon/tables.ts'
import { migrations } from '../../src/store/migrations.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { hasPostgres, startPostgres } from './postgres.ts'

type Place = { readonly sqlite: string } | { readonly postgresUrl: string }

/** A database in the state before a migration, with the rows of `statements`, opened by the present release. */
async function upgradedStore(place: Place, migration: string, statements: readonly string[]): Promise<Store> {
  const source = new DataSource({
    ...('sqlite' in place
      ? { type: 'better-sqlite3' as const, database: place.sqlite }
      : { type: 'postgres' as const, url: place.postgresUrl }),
    migrations: migrations.slice(
      0,
      migrations.findIndex(({ name }) => name === migration),
    ),
  })
  await source.initialize()
  await source.runMigrations()
  for (const statement of statements) await source.query(statement)
  await source.destroy()
  return openStore(place, tables)
}

/** A user, of releases whose rows of users have a text to search. */
export const alice = `INSERT INTO users (id, username, fullname, email, capabilities, passphrase_salt, passphrase_check,
    passphrase_cost, passphrase_changed_at, failed_logins, key_kek, key_blob, public_key, fingerprint, created_at, search_text)
  VALUES (1, 'alice', 'Alice', 'alice@example.test', 131, '', '', 'm=8192,t=1', 5, 0, '', '', '', '', 5, 'alice')`

export interface EarlierDatabase {
  /** Class name of the first migration that it lacks. */
  readonly before: string
  /** SQL statements that fill it. */
  readonly statements: readonly string[]
}

/** Tests the upgrade of an earlier database on SQLite and, where it is installed, on PostgreSQL. */
export function describeUpgrade(
  name: string,
  { before, statements }: EarlierDatabase,
  check: (store: Store) => Promise<void>,
): void {
  async function upgrades(place: Place): Promise<void> {
    const store = await upgradedStore(place, before, statements)
    try {
      await check(store)
    } finally {
      await store.close()
    }
  }

  describe(name, () => {
    it('on SQLite', async () => {
      const directory = mkdtempSync(join(tmpdir(), 'strongroom-store-'))
      onTestFinished(() => rmSync(directory, { recursive: true }))
      await upgrades({ sqlite: join(directory, 'test.sqlite') })
    })

    it.skipIf(!hasPostgres)('on PostgreSQL', async () => {
      const server = startPostgres()
      onTestFinished(() => server.cleanup())
      await upgrades({ postgresUrl: server.url })
    })
  })
}
