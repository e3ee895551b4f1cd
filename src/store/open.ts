import type { EntitySchema } from 'typeorm'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import type { Store } from './store.ts'

/** Opens the configured database and migrates it to this release. `tables` are those of all features. */
export function openStore(
  location: { sqlite: string } | { postgresUrl: string },
  tables: readonly EntitySchema[],
): Promise<Store> {
  return 'sqlite' in location ? openSqlite(location.sqlite, tables) : openPostgres(location.postgresUrl, tables)
}
