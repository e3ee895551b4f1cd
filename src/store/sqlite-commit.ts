import type { DataSource, QueryRunner } from 'typeorm'
import { runBeforeCommit } from './commit-work.ts'
import type { TransactionOptions, Tx } from './store.ts'

/** The change of one caller. */
export interface Change extends TransactionOptions {
  readonly work: (tx: Tx) => Promise<void>
  /** Called when it is committed. */
  readonly resolve: (tx: Tx) => void
  readonly reject: (error: unknown) => void
}

export interface CommitRules {
  /** Begins the transaction, once no other process has one. */
  readonly begin: (attempt: () => Promise<unknown>) => Promise<void>
  /** The error to throw for an error of the driver. */
  readonly translated: (error: unknown) => unknown
}

/** Makes a change; resolves when it is committed. */
export function committed<T>(
  change: (one: Change) => void,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions,
): Promise<{ readonly result: T; readonly tx: Tx }> {
  return new Promise((resolve, reject) => {
    let made: { readonly result: T } | undefined
    change({
      ...options,
      work: async (tx) => void (made = { result: await work(tx) }),
      resolve: (tx) => made && resolve({ result: made.result, tx }),
      reject,
    })
  })
}

/** After this time no further change of one commit is begun. */
const longestMs = 100

/**
 * Commits the changes of several callers together. First what they do `beforehand` runs in parallel. Then their work
 * runs one after another, so that each sees those before it. Then the work before the commit (writing their audit records
 * with one write) runs in parallel, and there is one commit with one sync. A change that fails is undone alone. If a
 * record or the commit fails, none of the changes is made.
 * @returns the changes that were not begun, because the ones before took long and other processes wait for the lock
 */
export async function commitTogether(
  writer: DataSource,
  changes: readonly Change[],
  on: CommitRules,
): Promise<readonly Change[]> {
  const runner = writer.createQueryRunner()
  const settle: (() => void)[] = []
  try {
    // With `NORMAL`, the write-ahead log is synced separately, or by the next `FULL` commit.
    await runner.query(`PRAGMA synchronous = ${changes.every(({ syncAside }) => syncAside) ? 'NORMAL' : 'FULL'}`)
    await on.begin(() => runner.query('BEGIN IMMEDIATE'))
    const prepared = await prepare(writer, runner, changes)
    const made: Tx[] = []
    const endMs = performance.now() + longestMs
    for (const { change, tx, failure: unprepared } of prepared) {
      if (settle.length > 0 && performance.now() > endMs) break
      const { work, resolve, reject } = change
      const failure = unprepared ?? (await failureOf(runner, () => work(tx)))
      if (failure === undefined) made.push(tx)
      // A failed change is settled after the commit too, since its caller may look for the row that it conflicted with.
      settle.push(() => (failure === undefined ? resolve(tx) : reject(on.translated(failure.error))))
    }
    await runBeforeCommit(...made)
    await runner.query(made.length > 0 ? 'COMMIT' : 'ROLLBACK')
  } catch (error) {
    // After some errors (a full disk) SQLite has rolled back already, and a second rollback may fail.
    await runner.query('ROLLBACK').catch(() => undefined)
    for (const { reject } of changes) reject(on.translated(error))
    return []
  }
  for (const handOut of settle) handOut()
  return changes.slice(settle.length)
}

interface Failure {
  readonly error: unknown
}

interface PreparedChange {
  readonly change: Change
  readonly tx: Tx
  readonly failure: Failure | undefined
}

/** Runs what the changes do `beforehand`. Rejects where the whole transaction is lost. */
async function prepare(
  writer: DataSource,
  runner: QueryRunner,
  changes: readonly Change[],
): Promise<readonly PreparedChange[]> {
  // A manager per change, because `setTransactionGrant` and `afterCommit` attach to it.
  const begun = changes.map((change) => ({ change, tx: writer.createQueryRunner().manager, failure: undefined }))
  if (changes.every(({ beforehand }) => beforehand === undefined)) return begun
  await runner.query('SAVEPOINT beforehand')
  const prepared = await Promise.all(
    begun.map(async ({ change, tx }) => ({
      change,
      tx,
      failure: await change.beforehand?.(tx).then(
        () => undefined,
        (error: unknown) => ({ error }),
      ),
    })),
  )
  // Throws if SQLite has rolled back the whole transaction after an error, for example because the disk is full.
  await runner.query('RELEASE beforehand')
  return prepared
}

/** Why a change was undone. Rejects where the whole transaction is lost. */
async function failureOf(runner: QueryRunner, work: () => Promise<void>): Promise<Failure | undefined> {
  await runner.query('SAVEPOINT change')
  try {
    await work()
    await runner.query('RELEASE change')
    return undefined
  } catch (error) {
    await runner.query('ROLLBACK TO change').catch(() => {
      throw error
    })
    await runner.query('RELEASE change')
    return { error }
  }
}
