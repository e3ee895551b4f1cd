import { DataSource, type EntitySchema } from 'typeorm'
import { Fault } from '../fault.ts'
import { migrations } from './migrations.ts'
import { createReader } from './reader.ts'
import type { Reader, Store, Tx } from './store.ts'

/**
 * PostgreSQL, for several daemons side by side. One-statement updates decide every race, so READ COMMITTED suffices.
 * @throws Fault `store.unavailable` when the server does not answer; the detail names `store.postgresUrlFile`.
 */
export async function openPostgres(url: string, tables: readonly EntitySchema[]): Promise<Store> {
  try {
    const source = await new DataSource({
      type: 'postgres',
      url,
      entities: [...tables],
      migrations,
      migrationsTableName: 'migrations',
      synchronize: false,
      parseInt8: true,
      extra: { max: 8, statement_timeout: 10_000, connectionTimeoutMillis: 5_000 },
    }).initialize()
    await migrate(source)
    return new PostgresStore(source)
  } catch (cause) {
    throw new Fault(
      'store.unavailable',
      'PostgreSQL does not answer: check the address in store.postgresUrlFile and that the server runs.',
      { cause },
    )
  }
}

/** Daemons that start at the same moment migrate one after another. */
async function migrate(source: DataSource): Promise<void> {
  const runner = source.createQueryRunner()
  try {
    await runner.query('SELECT pg_advisory_lock(7830412)')
    await source.runMigrations({ transaction: 'each' })
  } finally {
    await runner.query('SELECT pg_advisory_unlock(7830412)')
    await runner.release()
  }
}

class PostgresStore implements Store {
  readonly dialect = 'postgres'
  readonly read: Reader
  readonly #source: DataSource

  constructor(source: DataSource) {
    this.#source = source
    this.read = createReader(source.manager, translated)
  }

  async query<Row>(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    try {
      return await this.#source.query<Row[]>(sql, [...parameters])
    } catch (cause) {
      throw translated(cause)
    }
  }

  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await this.#source.transaction(work)
    } catch (error) {
      throw translated(error)
    }
  }

  async close(): Promise<void> {
    await this.#source.destroy()
  }
}

/** SQLSTATE classes that speak of the server's state and not of the statement: connection, resources, operator, system. */
const stateClasses = ['08', '25', '40', '53', '55', '57', '58']

/** Somebody was quicker: with the same name, or by deleting what this belongs to (unique and foreign-key violation). */
const conflicts = ['23505', '23503']

/** The error to throw for what the server said; a broken statement of our own passes on as it is. */
function translated(error: unknown): unknown {
  if (error instanceof Fault) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (conflicts.includes(code)) return new Fault('store.conflict', undefined, { cause: error })
  const concernsServer = stateClasses.some((prefix) => code.startsWith(prefix)) || /^E[A-Z]+$/.test(code)
  return concernsServer
    ? new Fault('store.unavailable', 'PostgreSQL does not answer as it should: try again.', { cause: error })
    : error
}
