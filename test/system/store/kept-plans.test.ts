import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tables } from '../../../src/daemon/tables.ts'
import { openPostgres } from '../../../src/store/postgres.ts'
import { change, select } from '../../../src/store/statement.ts'
import type { Store } from '../../../src/store/store.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'

describe.runIf(hasPostgres)('a statement on PostgreSQL', () => {
  let store: Store
  let client: Client
  let cleanup: () => void
  beforeAll(async () => {
    const server = startPostgres()
    ;({ cleanup } = server)
    store = await openPostgres(server.url, tables)
    client = new Client({ connectionString: server.url })
    await client.connect()
    await client.query('CREATE TABLE things (number integer, name text)')
    await client.query(`INSERT INTO things VALUES (1, 'one'), (2, 'two')`)
    await client.query('CREATE SEQUENCE runs')
  })
  afterAll(async () => {
    await client.end()
    await store.close()
    cleanup()
  })

  /** How often the connection that is asked has run its plan of this statement. */
  const uses = 'SELECT (generic_plans + custom_plans)::integer AS uses FROM pg_prepared_statements WHERE statement = $1'

  it('is planned once for a connection, and gives the rows of each of its parameters', async () => {
    const byNumber = 'SELECT name FROM things WHERE number = $1'
    for (const [number, name] of [
      [1, 'one'],
      [2, 'two'],
      [1, 'one'],
    ] as const)
      expect(await store.query(byNumber, [number])).toEqual([{ name }])
    expect(await store.query(uses, [byNumber])).toEqual([{ uses: 3 }])
  })

  it('is planned once in transactions, too', async () => {
    const byName = 'SELECT number FROM things WHERE name = $1'
    const rename = 'UPDATE things SET name = $1 WHERE number = $2'
    await store.transaction(async (tx) => {
      for (const name of ['deux', 'two']) {
        expect(await change(tx, rename, [name, 2])).toBe(1)
        expect(await select(tx, byName, [name])).toEqual([{ number: 2 }])
      }
      for (const statement of [byName, rename]) expect(await select(tx, uses, [statement])).toEqual([{ uses: 2 }])
    })
  })

  it('that searches or reads a page is planned anew for its values', async () => {
    const page = 'SELECT name FROM things WHERE number > $1 ORDER BY number LIMIT 9'
    const search = 'SELECT name FROM things WHERE name LIKE $1'
    const some = 'SELECT name FROM things ORDER BY number LIMIT $1'
    await store.transaction(async (tx) => {
      expect(await select(tx, page, [1])).toEqual([{ name: 'two' }])
      expect(await select(tx, search, ['o%'])).toEqual([{ name: 'one' }])
      expect(await select(tx, some, [1])).toEqual([{ name: 'one' }])
      for (const statement of [page, search, some]) expect(await select(tx, uses, [statement])).toEqual([])
    })
  })

  it('is run once for all who asked the same while it was under way', async () => {
    const asked = Array.from({ length: 10 }, () => store.query<{ run: number }>(`SELECT nextval('runs') AS run`, []))
    const runs = (await Promise.all(asked)).map(([row]) => row?.run)
    // The second run may be the quicker one, where the first waits for a connection for long.
    expect(new Set(runs)).toEqual(new Set([1, 2]))
    expect(new Set(runs.slice(1)).size).toBe(1)
  })

  it('whose plan a migration outdated is refused once, as a fault of the database, and then planned anew', async () => {
    const all = 'SELECT number FROM things ORDER BY number'
    expect(await store.query(all, [])).toEqual([{ number: 1 }, { number: 2 }])
    await client.query('ALTER TABLE things ALTER COLUMN number TYPE text')
    await expect(store.query(all, [])).rejects.toMatchObject({ code: 'store.unavailable' })
    expect(await store.query(all, [])).toEqual([{ number: '1' }, { number: '2' }])
  })
})
