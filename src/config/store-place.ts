import { readSecret } from './loader.ts'
import type { Config } from './schema.ts'

/** Where the database is. @throws Error where the file of PostgreSQL's address cannot be read */
export function storePlace({ store }: Config): { sqlite: string } | { postgresUrl: string } {
  if (store.postgresUrlFile !== undefined) return { postgresUrl: readSecret(store.postgresUrlFile) }
  if (store.sqlite !== undefined) return { sqlite: store.sqlite }
  throw new TypeError('the configuration names no store')
}
