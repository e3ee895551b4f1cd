import { readSecret } from './loader.ts'
import type { Config } from './schema.ts'

/** The location of the database. @throws ConfigError if the file with PostgreSQL's URL cannot be read */
export function storeLocation({ store }: Config): { sqlite: string } | { postgresUrl: string } {
  if (store.postgresUrlFile !== undefined) return { postgresUrl: readSecret(store.postgresUrlFile) }
  if (store.sqlite !== undefined) return { sqlite: store.sqlite }
  throw new TypeError('the configuration names no store')
}
