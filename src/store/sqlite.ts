import { openSync, closeSync } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { DataSource, type EntitySchema } from 'typeorm'
import Database from 'better-sqlite3'
import { errorCodeOf, Fault, isFault } from '../fault.ts'
import { identityOf } from '../file-identity.ts'
import { asOwnerOf } from '../folder-owner.ts'
import { runAfterCommit } from './commit-work.ts'
import { bindNumbers } from './bound-numbers.ts'
import { migrate, type MigrateOptions, migrations, migrationsTable } from './migrations.ts'
import { createGathering, createMutex, createSharedRuns } from './concurrency.ts'
import { type Change, commitTogether, committed } from './sqlite-commit.ts'
import { createRememberingQuery } from './remembering-query.ts'
import { createReader, type Store } from './store.ts'

/**
 * More than there are texts of statements, so that none is given up: from 24.19 on Node.js ends a process in which a
 * statement of better-sqlite3 12 is collected while no JavaScript runs. For the same reason PRAGMAs go through `exec`,
 * which prepares none that lasts. Version 13, which mends it, does not run on Node.js 20.
 */
const statementCacheSize = 10_000

/** Changes per commit, which bounds how long other processes wait. */
const mostChanges = 32

/** How long a transaction waits for that of another process, in milliseconds. */
const patienceMs = 5_000

/**
 * SQLite in WAL mode with `synchronous=FULL`: a commit is on the disk when it returns, or with `syncAside` when the
 * transaction resolves. Two connections, one that reads and one that writes, so that no call reads half a transaction.
 * @throws Fault `store.unavailable` when the file cannot be opened (the detail names `store.sqlite`) or migrated
 */
export async function openSqlite(
  file: string,
  tables: readonly EntitySchema[],
  options: MigrateOptions = {},
): Promise<Store> {
  const { source: writer } = await connect(file, tables, () => {
    // SQLite gives its journal the mode of the database file. This comes before any connection: a process that closes
    // a descriptor of a file loses all its locks on it (POSIX, fcntl), and the next process to leave deletes the journal.
    closeSync(openSync(file, 'a', 0o600))
  })
  try {
    await migrate(writer, options)
    return createSqliteStore(file, writer, { ...(await connect(file, tables)), opened: identityOf(await stat(file)) })
  } catch (error) {
    await writer.destroy()
    throw error
  }
}

interface Connection {
  readonly source: DataSource
  /** The same connection for use without TypeORM. */
  readonly database: Database.Database
}

async function connect(file: string, tables: readonly EntitySchema[], prepare?: () => void): Promise<Connection> {
  let database: Database.Database | undefined
  try {
    database = openDatabase(file, prepare)
    const source = await sourceOf(file, tables, database).initialize()
    bindNumbers(source)
    return { source, database }
  } catch (cause) {
    database?.close()
    if (isFault(cause, 'store.unavailable')) throw cause
    throw new Fault(
      'store.unavailable',
      `The database ${file} cannot be opened: check store.sqlite, the permissions of its folder and the free space.`,
      { cause },
    )
  }
}

/**
 * Opens the database with the rights of its folder's owner until it is in WAL mode, in which SQLite follows no rollback
 * journal that would name another file.
 */
function openDatabase(file: string, prepare: (() => void) | undefined): Database.Database {
  return asOwnerOf(file, () => {
    prepare?.()
    // SQLite's own wait would block the event loop, and with it all calls of this worker; `begin` waits instead.
    const database = new Database(file, { timeout: 0 })
    try {
      setUp(database)
      return database
    } catch (cause) {
      database.close()
      throw cause
    }
  })
}

function setUp(database: Database.Database): void {
  database.exec('PRAGMA busy_timeout = 2000')
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  database.exec('PRAGMA foreign_keys = ON')
  database.exec('PRAGMA trusted_schema = OFF')
  // Deleted content is overwritten, because wrapped keys and seeds must not remain in free pages of the file.
  database.exec('PRAGMA secure_delete = FAST')
  database.exec('PRAGMA busy_timeout = 0')
}

function sourceOf(file: string, tables: readonly EntitySchema[], database: Database.Database): DataSource {
  return new DataSource({
    type: 'better-sqlite3',
    database: file,
    entities: [...tables],
    migrations,
    migrationsTableName: migrationsTable,
    synchronize: false,
    statementCacheSize,
    // TypeORM calls it with `new`, and uses what it returns.
    driver: function () {
      return database
    },
  })
}

function createSqliteStore(
  file: string,
  writer: DataSource,
  { source: reader, database, opened }: Connection & { readonly opened: string },
): Store {
  const query = createRememberingQuery(database)
  const commitMutex = createMutex()
  let log: FileHandle | undefined
  const shared = createSharedRuns<void>()

  const changes = createGathering<Change>(mostChanges, async (batch) => {
    for (let left = batch; left.length > 0;) {
      const startTick = performance.now()
      left = await commitMutex(() => commitTogether(writer, left, { begin, translated }))
      await letOthersWrite(performance.now() - startTick)
    }
  })

  async function syncLog(): Promise<void> {
    try {
      // It is the same file for as long as a connection is open.
      log ??= await open(`${file}-wal`, 'r')
      await log.datasync()
    } catch (cause) {
      throw new Fault('store.unavailable', 'The disk of the database does not take what is written.', { cause })
    }
  }

  return {
    dialect: 'sqlite',
    read: createReader(reader.manager, translated),
    async probe() {
      if (identityOf(await stat(file)) !== opened)
        throw new Fault('store.unavailable', 'Another file lies at store.sqlite than the one that is open.')
    },
    async query<Row>(sql: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
      try {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a statement gives is its author's word
        return query(sql, parameters) as readonly Row[]
      } catch (cause) {
        throw translated(cause)
      }
    },
    async transaction(work, options = {}) {
      const { result, tx } = await committed(changes.add, work, options)
      try {
        if (options.syncAside === true) await shared('sync', syncLog)
      } finally {
        // Every reader sees the change now, whether or not it is on the disk yet.
        await runAfterCommit(tx)
      }
      return result
    },
    close: () =>
      commitMutex(async () => {
        await log?.close()
        await reader.destroy()
        await writer.destroy()
      }),
  }
}

/** The longest pause between two tries to become the writer, in milliseconds. */
const pollMs = 5

/**
 * SQLite has no queue: other processes try again and again to become the writer. One that commits without a pause would
 * keep them waiting until they give up, and the longer its transactions are, the less often they find it between two.
 */
async function letOthersWrite(tookMs: number): Promise<void> {
  const pauseMs = Math.min(pollMs + 1, tookMs / 8)
  if (pauseMs >= 1) await sleep(pauseMs)
}

async function begin(attempt: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      await attempt()
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw translated(error)
      await sleep(1 + Math.random() * (pollMs - 1))
    }
  }
}

function driverCode(error: unknown): string {
  const driverError: unknown = error instanceof Error && 'driverError' in error ? error.driverError : error
  return errorCodeOf(driverError) ?? ''
}

const isBusy = (error: unknown): boolean => driverCode(error).startsWith('SQLITE_BUSY')

const advice: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'The disk of the database (store.sqlite) is full: free some space.',
  SQLITE_READONLY: 'The database cannot be written: check the permissions of the file and its folder (store.sqlite).',
  SQLITE_BUSY: 'The database is busy: try again.',
  SQLITE_CORRUPT: 'The database is damaged: restore a backup.',
}

/** Constraint violations: a parallel call has taken the same name, or deleted the row that this one refers to. */
const conflicts = ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_CONSTRAINT_FOREIGNKEY']

/** The error to throw for an error of the driver. An invalid statement, a defect of ours, is passed on unchanged. */
function translated(error: unknown): unknown {
  const code = driverCode(error)
  if (error instanceof Fault || code === '' || code === 'SQLITE_ERROR') return error
  if (conflicts.includes(code)) return new Fault('store.conflict', undefined, { cause: error })
  if (code.startsWith('SQLITE_CONSTRAINT')) return error
  const known = Object.keys(advice).find((prefix) => code.startsWith(prefix))
  return new Fault('store.unavailable', known === undefined ? 'The database does not answer.' : advice[known], {
    cause: error,
  })
}
