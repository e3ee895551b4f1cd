import type { EntitySchema } from 'typeorm'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import type { Store } from './store.ts'

/** The database that the configuration names, migrated to this release. `tables` are all EntitySchemas of all features. */
export function openStore(
  place: { sqlite: string } | { postgresUrl: string },
  tables: readonly EntitySchema[],
): Promise<Store> {
  return 'sqlite' in place ? openSqlite(place.sqlite, tables) : openPostgres(place.postgresUrl, tables)
}
