import type { PoolClient } from 'pg'
import { DataSource, type EntitySchema, type QueryRunner } from 'typeorm'
import { errorCodeOf, Fault, isFault } from '../fault.ts'
import { runAfterCommit, runBeforeCommit } from './commit-work.ts'
import { createSharedRuns } from './concurrency.ts'
import { keepPlans, planNameOf } from './kept-plans.ts'
import { migrate, type MigrateOptions, migrations, migrationsTable } from './migrations.ts'
import { createSilenceWatch, type SilenceWatch, statementMs } from './silent-server.ts'
import { UndecidedCommit } from './undecided-commit.ts'
import { createReader, type Store, type TransactionOptions, type Tx } from './store.ts'

/** How long to wait for another daemon that is migrating the database, in milliseconds. */
const migrationPatienceMs = 600_000

/**
 * PostgreSQL, for several daemons side by side. One-statement updates decide every race, so READ COMMITTED suffices.
 * @throws Fault `store.unavailable` when the server cannot be used (the detail names `store.postgresUrlFile`) or the
 *   database cannot be migrated
 */
export async function openPostgres(
  url: string,
  tables: readonly EntitySchema[],
  options: MigrateOptions = {},
  patienceMs = migrationPatienceMs,
): Promise<Store> {
  const silence = createSilenceWatch()
  const source = await connect(url, tables, silence)
  try {
    await migrateInTurn(source, options, patienceMs)
    silence.start()
    return createPostgresStore(source)
  } catch (error) {
    await source.destroy()
    throw error
  }
}

/**
 * How long the server leaves a transaction open whose process says nothing: its machine may be gone, and its locks would
 * hold up all other machines. Longer than the key maker may take for an answer.
 */
const idleTransactionMs = 60_000

async function connect(url: string, tables: readonly EntitySchema[], silence: SilenceWatch): Promise<DataSource> {
  const limits = {
    max: 8,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleTransactionMs,
    connectionTimeoutMillis: 5_000,
    onConnect(client: PoolClient) {
      keepPlans(client)
      silence.watch(client)
    },
  }
  try {
    return await new DataSource({
      type: 'postgres',
      url,
      entities: [...tables],
      migrations,
      migrationsTableName: migrationsTable,
      synchronize: false,
      parseInt8: true,
      extra: limits,
    }).initialize()
  } catch (cause) {
    throw new Fault('store.unavailable', adviceOn(errorCodeOf(cause) ?? ''), { cause })
  }
}

function adviceOn(code: string): string {
  // SQLSTATE class 28, invalid authorization, and 3D000, no such database.
  if (code.startsWith('28') || code === '3D000')
    return 'PostgreSQL refuses the connection: check user, password and database in store.postgresUrlFile.'
  return certificateCodes.test(code)
    ? 'The certificate of PostgreSQL is not accepted: check sslrootcert and the name of the host in store.postgresUrlFile.'
    : 'PostgreSQL does not answer: check the address in store.postgresUrlFile and that the server runs.'
}

/** Daemons that start at the same moment migrate one after another. A migration may take longer than a call may. */
async function migrateInTurn(source: DataSource, options: MigrateOptions, patienceMs: number): Promise<void> {
  const runner = source.createQueryRunner()
  try {
    await runner.query('SET statement_timeout = 0')
    await lock(runner, patienceMs)
    await migrate(source, options, runner)
    await runner.query('SELECT pg_advisory_unlock(7830412)')
    await runner.query('RESET statement_timeout')
  } finally {
    await runner.release()
  }
}

async function lock(runner: QueryRunner, patienceMs: number): Promise<void> {
  try {
    await runner.query(`SET lock_timeout = ${patienceMs}`)
    await runner.query('SELECT pg_advisory_lock(7830412)')
    await runner.query('RESET lock_timeout')
  } catch (cause) {
    throw new Fault(
      'store.unavailable',
      'Another daemon has been bringing the database up to date for too long: look at its journal, and start again.',
      { cause },
    )
  }
}

/** How long calls wait for the answer to one that asked the same before them: its connection may be lost. */
const sharedPatienceMs = 500

function createPostgresStore(source: DataSource): Store {
  const shared = createSharedRuns<readonly unknown[]>(sharedPatienceMs)
  return {
    dialect: 'postgres',
    read: createReader(source.manager, translated),
    async probe() {
      await source.query('SELECT 1')
    },
    async query<Row>(sql: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
      try {
        const name = `${planNameOf(sql) ?? sql} ${JSON.stringify(parameters)}`
        const rows = await shared(name, () => source.query(sql, [...parameters]))
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a statement gives is its author's word
        return rows as readonly Row[]
      } catch (cause) {
        throw translated(cause)
      }
    },
    async transaction(work, options) {
      for (let tried = 1; ; tried++) {
        try {
          return await transactionIn(source, work, options)
        } catch (error) {
          if (tried === mostTries || !isRolledBack(error)) throw translated(error)
        }
      }
    },
    close: () => source.destroy(),
  }
}

async function transactionIn<T>(
  source: DataSource,
  work: (tx: Tx) => Promise<T>,
  { beforehand }: TransactionOptions = {},
): Promise<T> {
  let tx: Tx | undefined
  let isCommitting = false
  try {
    const result = await source.transaction(async (manager) => {
      tx = manager
      await beforehand?.(manager)
      const made = await work(manager)
      await runBeforeCommit(manager)
      isCommitting = true
      return made
    })
    if (tx !== undefined) await runAfterCommit(tx)
    return result
  } catch (error) {
    const isUndecided = isCommitting && !isUndone(error) && isFault(translated(error), 'store.unavailable')
    throw isUndecided ? new UndecidedCommit(error) : error
  }
}

/**
 * The server undid the whole transaction in favour of another one: serialization failure, and deadlock. The other one
 * goes on, so that the next try finds the rows free.
 */
const isRolledBack = (error: unknown): boolean => ['40001', '40P01'].includes(errorCodeOf(error) ?? '')
const mostTries = 5

/**
 * SQLSTATE classes about the server and not about the statement: connection, login, database, resources, operator,
 * system.
 */
const stateClasses = ['08', '0A', '25', '28', '3D', '40', '53', '55', '57', '58']

/**
 * Another call was quicker: it took the same name, or deleted what this belongs to (unique and foreign-key violation).
 */
const conflicts = ['23505', '23503']

/**
 * What driver and TypeORM say, without a code, of a connection that was lost or never made, or that the full pool did
 * not give in time.
 */
const lostConnections =
  /AlreadyReleasedError: |: (Connection terminated|Client (has encountered a connection error|was closed)|timeout e(xceeded|xpired)|The server does not support SSL|There was an error establishing an SSL)/

/** Whether a commit has certainly not been made: the connection was lost before it, or the server says so. */
const isUndone = (error: unknown): boolean =>
  isRolledBack(error) || /AlreadyReleasedError: |not queryable/.test(String(error))

/** What OpenSSL and Node.js say of a certificate that is not accepted. */
const certificateCodes = /CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$/
/** What the system says of a connection, of a name that is not found for now, and of TLS. */
const networkCodes = /^(?:E[A-Z]+|EAI_[A-Z]+|ERR_(?:SSL|TLS)_[A-Z_]+)$/

/** The error to throw for what the server said; a broken statement of our own passes on as it is. */
function translated(error: unknown): unknown {
  if (error instanceof Fault) return error
  const code = errorCodeOf(error) ?? ''
  if (conflicts.includes(code)) return new Fault('store.conflict', undefined, { cause: error })
  const concernsServer =
    stateClasses.some((prefix) => code.startsWith(prefix)) ||
    networkCodes.test(code) ||
    certificateCodes.test(code) ||
    (code === '' && error instanceof Error && lostConnections.test(`${error.name}: ${error.message}`))
  return concernsServer
    ? new Fault('store.unavailable', 'PostgreSQL does not answer as it should: try again.', { cause: error })
    : error
}
