import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
import { countRows, createRowCounts, mostSessions } from '../../../src/daemon/monitor/row-counts.ts'
import { tables } from '../../../src/daemon/tables.ts'
import { openStore } from '../../../src/store/open.ts'

async function givenStore() {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-counts-'))
  const sqlite = join(directory, 'test.sqlite')
  const store = await openStore({ sqlite }, tables)
  onTestFinished(async () => {
    await store.close()
    rmSync(directory, { recursive: true })
  })
  return { store, database: new Database(sqlite) }
}

it('each count reads an index of the rows that it counts, and no more of them than it tells of', async () => {
  const { store, database } = await givenStore()
  const prepare = vi.spyOn(Database.prototype, 'prepare')
  await countRows(store.read)
  const statements = prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.startsWith('SELECT COUNT'))
  prepare.mockRestore()
  expect(statements).toHaveLength(3)
  const plans = statements.map((sql) =>
    database
      .prepare<unknown[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...(sql.match(/\?/g) ?? []).map(() => 0))
      .map(({ detail }) => detail)
      .join('; '),
  )
  expect(plans[0]).toContain('USING INDEX sessions_open_seen')
  expect(plans[1]).toContain('USING INDEX otp_devices_worn')
  expect(plans[2]).toContain('USING INDEX key_versions_used_up')
  expect(statements.every((sql) => / LIMIT \d+\) AS some_rows$/.test(sql))).toBe(true)
})

it('counts sessions up to a bound', async () => {
  const { store, database } = await givenStore()
  database.pragma('foreign_keys = OFF')
  database.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ${mostSessions})
    INSERT INTO sessions (user_id, application_key_id, address, created_at, last_seen_at)
    SELECT 1, 1, '192.0.2.1', 1, ${Date.now()} FROM n`)
  expect((await countRows(store.read)).openSessions).toBe(mostSessions)
})

it('asks the database once in a while, however often it is asked', async () => {
  const { store } = await givenStore()
  const counts = createRowCounts()
  const first = counts(store.read)
  expect(counts(store.read)).toBe(first)
  await first
})
