import Database from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { Client } from 'pg'
import { errorMessageOf, Fault, isFault } from '../fault.ts'
import { asOwnerOf } from '../folder-owner.ts'
import { migrations } from './migrations.ts'

/** The result of inspecting a database without creating, migrating or writing anything. */
export interface StoreInspection {
  readonly exists: boolean
  /** Whether it has users, whose rows have seals of a token. */
  readonly isUsed: boolean
  readonly applied: readonly string[]
  /** Migrations of this release that it lacks; a start of the daemon or `strongroom init` applies them. */
  readonly pending: readonly string[]
  /** Migrations that this release does not know: the database belongs to a newer one. */
  readonly unknown: readonly string[]
}

/** Rejects with `store.unavailable` when the database is there and cannot be read. */
export async function inspectStore(location: { sqlite: string } | { postgresUrl: string }): Promise<StoreInspection> {
  try {
    if ('postgresUrl' in location) return await inspectPostgres(location.postgresUrl)
    const { sqlite } = location
    return existsSync(sqlite) ? readSqlite(sqlite, inspectSqlite) : inspection({ exists: false })
  } catch (cause) {
    throw unreadable(location, cause)
  }
}

/**
 * What SQLite's integrity check finds; empty when sound, and for PostgreSQL, which has no such check. It reads the whole
 * database, which takes seconds for a large one.
 * @throws Fault `store.unavailable` when the database cannot be read
 */
export function damageIn(location: { sqlite: string } | { postgresUrl: string }): readonly string[] {
  if ('postgresUrl' in location) return []
  try {
    const lines = readSqlite(location.sqlite, (database) => database.prepare('PRAGMA integrity_check').pluck().all())
    return lines.map(String).filter((line) => line !== 'ok')
  } catch (cause) {
    throw unreadable(location, cause)
  }
}

function unreadable(location: { sqlite: string } | { postgresUrl: string }, cause: unknown): unknown {
  if (isFault(cause, 'store.unavailable')) return cause
  const setting =
    'sqlite' in location ? `The database ${location.sqlite} (store.sqlite)` : 'The database in store.postgresUrlFile'
  return new Fault('store.unavailable', `${setting} cannot be read: ${errorMessageOf(cause)}.`, { cause })
}

const readSqlite = <T>(file: string, read: (database: Database.Database) => T): T =>
  asOwnerOf(file, () => {
    const database = new Database(file, { readonly: true, fileMustExist: true })
    try {
      return read(database)
    } finally {
      database.close()
    }
  })

function inspectSqlite(database: Database.Database): StoreInspection {
  const hasTable = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'").get() !== undefined
  const names = hasTable ? database.prepare('SELECT name FROM migrations ORDER BY id').pluck().all() : []
  return inspection({
    exists: true,
    isUsed: names.length > 0 && database.prepare(anyUser).get() !== undefined,
    applied: names.map(String),
  })
}

async function inspectPostgres(connectionString: string): Promise<StoreInspection> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 5_000, statement_timeout: 10_000 })
  await client.connect()
  try {
    const found = await client.query<{ present: boolean }>("SELECT to_regclass('migrations') IS NOT NULL AS present")
    if (found.rows[0]?.present !== true) return inspection({ exists: false })
    const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY id')
    return inspection({
      exists: true,
      isUsed: rows.some(isFirst) && (await client.query(anyUser)).rows.length > 0,
      applied: rows.map(({ name }) => name),
    })
  } finally {
    await client.end()
  }
}

/** The migration that creates the table of users; other programs have no migration of this name. */
const isFirst = ({ name }: { readonly name: string }): boolean => name === migrations[0]?.name

const anyUser = 'SELECT 1 FROM users LIMIT 1'

/**
 * What exists where an empty database is expected: the file, or relations in the schema that no release of Strongroom
 * made. Rejects with `store.unavailable`.
 */
export async function occupantsOf(location: { sqlite: string } | { postgresUrl: string }): Promise<readonly string[]> {
  if ('sqlite' in location) return existsSync(location.sqlite) ? [location.sqlite] : []
  if ((await inspectStore(location)).exists) return []
  const client = new Client({ connectionString: location.postgresUrl, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    const { rows } = await client.query<{ relname: string }>(
      `SELECT relname FROM pg_class c
       WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
       AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') ORDER BY relname`,
    )
    return rows.map(({ relname }) => relname)
  } finally {
    await client.end()
  }
}

function inspection({
  exists,
  isUsed = false,
  applied = [],
}: Pick<StoreInspection, 'exists'> & Partial<StoreInspection>): StoreInspection {
  const known = migrations.map((migration) => migration.name)
  return {
    exists,
    isUsed,
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  }
}
