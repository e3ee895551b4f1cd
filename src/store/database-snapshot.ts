import Database from 'better-sqlite3'
import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { Client } from 'pg'
import { environmentWith } from '../config/environment.ts'
import { Fault, isFault } from '../fault.ts'
import { asOwnerOf } from '../folder-owner.ts'

/** The state of a database at one moment, while others write to it. */
export interface DatabaseSnapshot {
  /** Milliseconds since 1970. */
  readonly takenAt: number
  /** Row counts of some tables. */
  readonly counts: Readonly<Record<string, number>>
  /**
   * SQLite: copies the database to this new file, which must be in a folder that no other user can write to. The caller
   * removes it.
   */
  readonly copyTo?: (file: string, progress: (done: number, total: number) => void) => Promise<void>
  /** PostgreSQL: the archive for pg_restore. */
  readonly dump?: () => AsyncIterable<Buffer>
  close(): Promise<void>
}

const counted = ['users', 'vaults', 'transparent_keys', 'vault_objects'] as const
const pagesAtOnce = 1_000

export async function takeSnapshot(location: { sqlite: string } | { postgresUrl: string }): Promise<DatabaseSnapshot> {
  try {
    return 'sqlite' in location ? snapshotSqlite(location.sqlite) : await snapshotPostgres(location.postgresUrl)
  } catch (cause) {
    if (isFault(cause, 'store.unavailable')) throw cause
    throw new Fault('store.unavailable', undefined, { cause })
  }
}

/** A read transaction keeps its moment, and SQLite's online backup copies what the transaction sees. */
function snapshotSqlite(file: string): DatabaseSnapshot {
  const database = asOwnerOf(file, () => {
    const opened = new Database(file, { fileMustExist: true })
    opened.exec('PRAGMA query_only = ON')
    opened.exec('BEGIN')
    // The transaction's moment is that of its first read.
    opened.exec('SELECT 1 FROM sqlite_schema')
    return opened
  })
  const counts = Object.fromEntries(
    counted.map((table) => [table, Number(database.prepare(`SELECT count(*) FROM ${table}`).pluck().get())]),
  )
  return {
    takenAt: Date.now(),
    counts,
    async copyTo(copy, progress) {
      closeSync(openSync(copy, 'wx', 0o600))
      await database.backup(copy, {
        progress({ totalPages, remainingPages }) {
          progress(totalPages - remainingPages, totalPages)
          return pagesAtOnce
        },
      })
    },
    close: () => Promise.resolve(void database.close()),
  }
}

async function snapshotPostgres(connectionString: string): Promise<DatabaseSnapshot> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 5_000 })
  await client.connect()
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const { rows } = await client.query<{ id: string }>('SELECT pg_export_snapshot() AS id')
  const takenAt = Date.now()
  const counts: Record<string, number> = {}
  for (const table of counted)
    counts[table] = Number((await client.query<{ n: string }>(`SELECT count(*) AS n FROM ${table}`)).rows[0]?.n)
  return {
    takenAt,
    counts,
    dump: () =>
      runPostgres(connectionString, 'pg_dump', [
        '--format=custom',
        '--compress=0',
        '--no-owner',
        '--no-privileges',
        `--snapshot=${rows[0]?.id ?? ''}`,
      ]),
    close: () => client.end(),
  }
}

/** Restores an archive of `dump` into an empty database, completely or not at all. */
export async function restoreDump(postgresUrl: string, archive: string): Promise<void> {
  const options = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges', '--clean', '--if-exists']
  for await (const _ of runPostgres(postgresUrl, 'pg_restore', [...options, archive]));
}

/**
 * The output of a PostgreSQL program. The pass phrase is passed in its environment, because other users see the command
 * line.
 */
async function* runPostgres(postgresUrl: string, program: string, options: readonly string[]): AsyncGenerator<Buffer> {
  const url = new URL(postgresUrl)
  const password = decodeURIComponent(url.password)
  url.password = ''
  const child = spawn(programPath(program), [`--dbname=${url.href}`, ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environmentWith(password === '' ? {} : { PGPASSWORD: password }),
  })
  const ended = once(child, 'close')
  let said = ''
  child.stderr.on('data', (text: Buffer) => (said = `${said}${text.toString()}`.slice(-2_000)))
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a pipe gives bytes
    yield* child.stdout as AsyncIterable<Buffer>
    const [code] = await ended
    if (code !== 0) throw new Fault('store.unavailable', `${program} failed: ${said.trim().split('\n').at(-1) ?? ''}`)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')
      throw new Fault('store.unavailable', `There is no ${program}: apt-get install postgresql-client.`, { cause })
    throw cause
  } finally {
    child.kill()
  }
}

const packages = '/usr/lib/postgresql'

/**
 * Debian's `pg_dump` in the path chooses the version of the server. Without it, the newest installed version is used.
 */
function programPath(program: string): string {
  if (existsSync(`/usr/bin/${program}`) || !existsSync(packages)) return program
  const newest =
    readdirSync(packages)
      .toSorted((a, b) => Number(a) - Number(b))
      .at(-1) ?? ''
  return join(packages, newest, 'bin', program)
}
