import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createDestruction } from '../../../src/features/destruction/pending-destruction.ts'
import { findExpired, sweepSessions } from '../../../src/features/auth/session-records.ts'
import { createThrottle } from '../../../src/features/auth/throttle.ts'
import { abandonedUploads } from '../../../src/features/objects/file-records.ts'
import { deletedBefore } from '../../../src/features/objects/records.ts'
import { deleteJobsBefore } from '../../../src/features/transparent/import-job-records.ts'
import { sweepLinks } from '../../../src/features/links/records.ts'
import { findDeletedBefore } from '../../../src/features/transparent/records.ts'
import { findByUsername, listServices, selectUsers } from '../../../src/features/users/records.ts'
import { checkTakenOver } from '../../../src/daemon/row-takeover.ts'
import { tables } from '../../../src/daemon/tables.ts'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/store.ts'

/** Small for good, or read no further than to the first row. */
const mayScan = /pending_destructions|LIMIT 1$/

/** Those steps of the plans of `work` that read a whole table. */
async function scansOf(work: (store: Store) => Promise<unknown>): Promise<string[]> {
  const steps = await stepsOf(work)
  return steps.filter((step) => step.startsWith('SCAN') && !mayScan.test(step))
}

/** The statements on SQLite that `work` prepares, each behind a step of its plan. */
async function stepsOf(work: (store: Store) => Promise<unknown>): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-plans-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const sqlite = join(directory, 'test.sqlite')
  const store = await openStore({ sqlite }, tables)
  const prepare = vi.spyOn(Database.prototype, 'prepare')
  try {
    await work(store)
    const statements = [...new Set(prepare.mock.calls.map(([sql]) => sql))].filter((sql) =>
      /^(SELECT|DELETE|UPDATE)/.test(sql),
    )
    expect(statements.length).toBeGreaterThan(0)
    const database = new Database(sqlite)
    const steps = statements.flatMap((sql) => planOf(database, sql).map((step) => `${step}: ${sql}`))
    database.close()
    return steps
  } finally {
    prepare.mockRestore()
    await store.close()
  }
}

function planOf(database: Database.Database, sql: string): string[] {
  const parameters = sql.match(/\?/g) ?? []
  const plan = database.prepare<unknown[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
  return plan.all(...parameters.map(() => 0)).map(({ detail }) => detail)
}

const hsm = {} as Parameters<typeof createDestruction>[0]['hsm']
const clock = { now: () => 1 }
const rules = { freeAttempts: 3, firstDelayMs: 1_000, longestDelayMs: 60_000 }

it('a chore finds what it looks for without reading a whole table', async () => {
  const scans = await scansOf(async (store) => {
    const { showTombstones, destroyPending } = createDestruction({ store, hsm })
    await findDeletedBefore(store.read, 1, 100)
    await store.transaction((tx) => deleteJobsBefore(tx, 1))
    await store.transaction((tx) => sweepLinks(tx, 2, 1))
    await showTombstones()
    await destroyPending()
    await deletedBefore(store.read, 1, 100)
    await abandonedUploads(store.read, 1, 100)
    await findExpired(store.read, 1, 1, 1)
    await store.transaction((tx) => sweepSessions(tx, 1, 1))
    await createThrottle({ transaction: (work) => store.transaction(work), clock, rules }).sweep()
  })
  expect(scans).toEqual([])
})

it('a start looks at no more than the first rows of a table', async () => {
  expect(await scansOf((store) => checkTakenOver(store.read))).toEqual([])
})

it('a user is found by the name without reading all users', async () => {
  expect(await scansOf((store) => findByUsername(store.read, 'alice'))).toEqual([])
})

it('users are searched for in the index of their texts, without their rows', async () => {
  const steps = await stepsOf((store) => selectUsers(store.read, { pattern: '%alice%' }))
  expect(steps).toContainEqual(expect.stringMatching(/^SEARCH t USING COVERING INDEX users_texts/))
})

it('service accounts are listed without reading all users', async () => {
  const [step, ...others] = await stepsOf((store) => listServices(store.read))
  expect(step).toMatch(/USING INDEX users_service/)
  expect(others).toEqual([])
})
