import type { EntitySchema } from 'typeorm'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import type { Store } from './store.ts'

/**
 * Opens the configured database and migrates it to this release. `tables` are those of all features. With
 * `refusalOfEmpty`, a database without tables is not filled: rejects with `store.unavailable` and this sentence.
 */
export function openStore(
  location: { sqlite: string } | { postgresUrl: string },
  tables: readonly EntitySchema[],
  options: { readonly refusalOfEmpty?: string } = {},
): Promise<Store> {
  return 'sqlite' in location
    ? openSqlite(location.sqlite, tables, options)
    : openPostgres(location.postgresUrl, tables, options)
}
