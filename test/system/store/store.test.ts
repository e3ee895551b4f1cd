import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Fault } from '../../../src/fault.ts'
import { damageIn, inspectStore } from '../../../src/store/inspection.ts'
import { openStore } from '../../../src/store/open.ts'
import { openPostgres } from '../../../src/store/postgres.ts'
import { reserveRowNumber } from '../../../src/store/row-numbers.ts'
import { change, changeRow, findRow, insertRow, readRow, selectList } from '../../../src/store/statement.ts'
import type { Store } from '../../../src/store/store.ts'
import { tables } from '../../../src/daemon/tables.ts'
import { ValidationClientTable } from '../../../src/features/otp-validation/records.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'

interface Place {
  readonly place: { sqlite: string } | { postgresUrl: string }
  cleanup(): void
}

function sqlitePlace(): Place & { readonly place: { sqlite: string } } {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-store-'))
  return { place: { sqlite: join(directory, 'test.sqlite') }, cleanup: () => rmSync(directory, { recursive: true }) }
}

function postgresPlace(): Place {
  const server = startPostgres()
  return { place: { postgresUrl: server.url }, cleanup: () => server.cleanup() }
}

const failedMigration = {
  code: 'store.unavailable',
  detail: expect.stringContaining('the migration Foundation1700000000001 failed') as unknown,
  cause: expect.objectContaining({ message: expect.stringContaining('users') }) as unknown,
}

const insert = (chain: string) => `INSERT INTO audit_heads (chain, seq, hash, line) VALUES ('${chain}', 0, '', '')`
/** Of this process, since its start. */
const bytesRead = (): number => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

const advance = "UPDATE audit_heads SET seq = seq + 1 WHERE chain = 'counter'"

/** The behaviour of both kinds of store. Two Stores on one database represent two processes. */
function behavesAsStore(makePlace: () => Place): void {
  let at: Place
  let one: Store
  let other: Store

  beforeAll(async () => {
    at = makePlace()
    ;[one, other] = await Promise.all([openStore(at.place, tables), openStore(at.place, tables)])
  })
  afterAll(async () => {
    await one.close()
    await other.close()
    at.cleanup()
  })

  const count = async (store: Store, chain: string) =>
    Number((await store.query<{ n: number }>('SELECT count(*) AS n FROM audit_heads WHERE chain = $1', [chain]))[0]?.n)

  it('makes by its migrations exactly the tables that the code declares', async () => {
    const { connection } = one.read
    const runner = connection.createQueryRunner()
    const shape = (column: { name: string; isNullable: boolean }) => `${column.name}${column.isNullable ? '?' : ''}`
    for (const { tableName, columns } of connection.entityMetadatas) {
      const made = (await runner.getTable(tableName))?.columns ?? []
      const declared = columns.map(({ databaseName, isNullable }) => ({ name: databaseName, isNullable }))
      expect(made.map(shape).toSorted(), tableName).toEqual(declared.map(shape).toSorted())
    }
    if (one.dialect === 'postgres') await runner.release()
  })

  it('commits what work has done, and only then shows it', async () => {
    await one.transaction(async (tx) => {
      await tx.query(insert('committed'))
      expect(await count(one, 'committed')).toBe(0)
    })
    expect([await count(one, 'committed'), await count(other, 'committed')]).toEqual([1, 1])
  })

  it('reads the same by a statement of our own as by the table, and tells how many rows one has changed', async () => {
    const bytes = Buffer.from([0, 1, 255])
    const row = {
      name: 'by hand',
      allowUnsigned: 1,
      kek: '',
      blob: bytes,
      seal: bytes,
      createdAt: 2 ** 41,
      revokedAt: null,
    }
    await one.transaction((tx) => tx.insert(ValidationClientTable, { ...row }))
    const byName = `SELECT ${selectList(ValidationClientTable, 'c')} FROM validation_clients c WHERE c.name = $1`
    const [selected] = await one.query<object>(byName, ['by hand'])
    const read = readRow(ValidationClientTable, selected ?? {})
    const found = () => one.read.findOneByOrFail(ValidationClientTable, { name: 'by hand' })
    expect(read).toEqual({ ...(await found()) })
    expect(read).toMatchObject(row)

    const revoke = 'UPDATE validation_clients SET revoked_at = $2 WHERE created_at < $2 AND name = $1'
    const revoked = (at: number) => one.transaction((tx) => change(tx, revoke, ['by hand', at]))
    expect([await revoked(2 ** 41), await revoked(2 ** 42)]).toEqual([0, 1])
    expect((await found()).revokedAt).toBe(2 ** 42)
  })

  it('inserts, finds and changes the row with these values, and no other', async () => {
    const rest = { allowUnsigned: 0, kek: '', blob: Buffer.from([7]), createdAt: 2 ** 41, revokedAt: null }
    const table = ValidationClientTable
    const rows = ['first row', 'second row'].map((name) => ({ ...rest, name, seal: Buffer.from(name) }))
    const ids = await one.transaction((tx) => Promise.all(rows.map((row) => insertRow(tx, table, row))))
    const [first, second] = ids.map((id, at) => ({ ...rows[at], id }))
    const found = (where: object) => findRow(one.read, table, where)
    expect(await found({ id: second?.id })).toEqual(second)
    expect(await found({ name: 'first row', seal: Buffer.from('second row') })).toBeNull()
    expect(await found({ name: undefined })).toBeNull()

    const revoke = (seal: string) =>
      one.transaction((tx) =>
        changeRow(
          tx,
          table,
          { name: 'first row', seal: Buffer.from(seal) },
          { revokedAt: 5, seal: Buffer.from('new') },
        ),
      )
    expect([await revoke('second row'), await revoke('first row'), await revoke('first row')]).toEqual([
      false,
      true,
      false,
    ])
    expect(await found({ seal: Buffer.from('new') })).toEqual({ ...first, revokedAt: 5, seal: Buffer.from('new') })
    expect(await found({ name: 'second row' })).toEqual(second)
  })

  it('takes everything back when work fails, and hands the fault on', async () => {
    const failing = one.transaction(async (tx) => {
      await tx.query(insert('failed'))
      throw new Fault('key.exists')
    })
    await expect(failing).rejects.toMatchObject({ code: 'key.exists' })
    expect(await count(one, 'failed')).toBe(0)
    await one.transaction((tx) => tx.query(insert('after the failure')))
    expect(await count(other, 'after the failure')).toBe(1)
  })

  it('commits and takes back just the same when the disk is waited for aside', async () => {
    const aside = { syncAside: true }
    const steps = Array.from({ length: 20 }, (_, n) => one.transaction((tx) => tx.query(insert(`aside ${n}`)), aside))
    await Promise.all(steps)
    const failing = one.transaction(async (tx) => {
      await tx.query(insert('failed aside'))
      throw new Fault('key.exists')
    }, aside)
    await expect(failing).rejects.toMatchObject({ code: 'key.exists' })
    expect([await count(other, 'aside 0'), await count(other, 'aside 19')]).toEqual([1, 1])
    expect(await count(other, 'failed aside')).toBe(0)
  })

  it('does what changes want done beforehand at the same time, and undoes alone what fails in it', async () => {
    const begun: string[] = []
    let bothHaveBegun!: () => void
    const both = new Promise<void>((resolve) => (bothHaveBegun = resolve))
    const made = (chain: string, fails = false) =>
      one.transaction(
        async (tx) => {
          begun.push(`work ${chain}`)
          await tx.query(insert(chain))
        },
        {
          async beforehand() {
            begun.push(chain)
            if (begun.length === 3) bothHaveBegun()
            await both
            if (fails) throw new Fault('hsm.rejected')
          },
        },
      )
    const outcomes = await Promise.allSettled([made('before 1'), made('before 2', true), made('before 3')])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(outcomes[1]).toMatchObject({ reason: { code: 'hsm.rejected' } })
    expect(begun.slice(0, 3).toSorted()).toEqual(['before 1', 'before 2', 'before 3'])
    expect(begun.slice(3).toSorted()).toEqual(['work before 1', 'work before 3'])
    const counts = await Promise.all(['before 1', 'before 2', 'before 3'].map((chain) => count(one, chain)))
    expect(counts).toEqual([1, 0, 1])
  })

  it('reserves numbers of rows that no other row gets', async () => {
    const row = { allowUnsigned: 0, kek: '', blob: Buffer.from([7]), createdAt: 2 ** 41, revokedAt: null }
    const named = (name: string) => ({ ...row, name, seal: Buffer.from(name) })
    const next = (store: Store, name: string) =>
      store.transaction((tx) => insertRow(tx, ValidationClientTable, named(name)))
    const reserve = async (store: Store) => {
      const numbers: number[] = []
      await store.transaction(async () => undefined, {
        beforehand: async (tx) => void numbers.push(await reserveRowNumber(tx, ValidationClientTable)),
      })
      return numbers[0] ?? 0
    }
    const reserved = await Promise.all([reserve(one), reserve(one), reserve(other)])
    const inserted = await next(one, 'after reservations')
    expect(new Set([...reserved, inserted]).size).toBe(4)
    expect(inserted).toBeGreaterThan(Math.max(...reserved))
    const [number] = reserved
    await one.transaction((tx) => insertRow(tx, ValidationClientTable, { ...named('reserved'), id: number }))
    expect(await findRow(other.read, ValidationClientTable, { id: number })).toMatchObject({ name: 'reserved' })
    expect(await next(other, 'after the row')).toBeGreaterThan(inserted)
  })

  it('calls a name that somebody else took a conflict', async () => {
    await one.transaction((tx) => tx.query(insert('taken')))
    await expect(other.transaction((tx) => tx.query(insert('taken')))).rejects.toMatchObject({ code: 'store.conflict' })
  })

  it('lets transactions of two processes wait for each other', async () => {
    await one.transaction((tx) => tx.query(insert('counter')))
    const steps = Array.from({ length: 40 }, (_, index) =>
      (index % 2 === 0 ? one : other).transaction((tx) => tx.query(advance)),
    )
    await Promise.all(steps)
    expect(await one.query('SELECT seq FROM audit_heads WHERE chain = $1', ['counter'])).toMatchObject([{ seq: 40 }])
  })

  it('binds a parameter wherever its number stands', async () => {
    expect(
      await one.query('SELECT CAST($2 AS text) AS a, CAST($1 AS text) AS b, CAST($2 AS text) AS c', ['x', 'y']),
    ).toEqual([{ a: 'y', b: 'x', c: 'y' }])
  })

  it('opens again with everything in it', async () => {
    await one.close()
    one = await openStore(at.place, tables)
    expect(await count(one, 'committed')).toBe(1)
  })
}

describe('the store on SQLite', () => {
  behavesAsStore(sqlitePlace)

  it('keeps its files from others', async () => {
    const { place, cleanup } = sqlitePlace()
    const store = await openStore(place, tables)
    const { sqlite } = place
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(sqlite + suffix).mode & 0o077, suffix).toBe(0)
    await store.close()
    cleanup()
  })

  it('syncs each commit before it is seen, but those aside', async () => {
    const { place, cleanup } = sqlitePlace()
    const store = await openStore(place, tables)
    const level = async (options?: { syncAside: boolean }) =>
      store.transaction(async (tx): Promise<unknown> => tx.query('PRAGMA synchronous'), options)
    const [normal, full] = [[{ synchronous: 1 }], [{ synchronous: 2 }]]
    expect(await level()).toEqual(full)
    expect(await level({ syncAside: true })).toEqual(normal)
    expect(await level()).toEqual(full)
    const failed = store.transaction(() => Promise.reject(new Fault('key.exists')), { syncAside: true })
    await expect(failed).rejects.toThrow()
    expect(await level()).toEqual(full)
    await store.close()
    cleanup()
  })

  it('tells which migrations it has without a reading of all of it', async () => {
    const { place, cleanup } = sqlitePlace()
    try {
      await (await openStore(place, tables)).close()
      const file = new Database(place.sqlite)
      file.exec('CREATE TABLE padding (bytes BLOB); INSERT INTO padding VALUES (zeroblob(33554432))')
      file.close()
      const before = bytesRead()
      expect((await inspectStore(place)).pending).toEqual([])
      expect(bytesRead() - before).toBeLessThan(2 ** 24)
      expect(damageIn(place)).toEqual([])
    } finally {
      cleanup()
    }
  })

  it('says which migration failed, and not that the file cannot be opened', async () => {
    const { place, cleanup } = sqlitePlace()
    const { sqlite } = place
    new Database(sqlite).exec('CREATE TABLE users (id integer)').close()
    await expect(openStore(place, tables)).rejects.toMatchObject(failedMigration)
    new Database(sqlite).exec('DROP TABLE users').close()
    await (await openStore(place, tables)).close()
    cleanup()
  })

  it('says which setting is wrong when it cannot be opened', async () => {
    await expect(openStore({ sqlite: '/nowhere/at/all.sqlite' }, tables)).rejects.toMatchObject({
      code: 'store.unavailable',
      detail: expect.stringContaining('store.sqlite'),
    })
  })
})

describe.skipIf(!hasPostgres)('the store on PostgreSQL', () => {
  behavesAsStore(postgresPlace)

  describe('in the middle of its work', () => {
    let store: Store
    let cleanup: () => void
    let client: Client
    beforeAll(async () => {
      const server = startPostgres()
      ;({ cleanup } = server)
      store = await openStore({ postgresUrl: server.url }, tables)
      client = new Client({ connectionString: server.url })
      await client.connect()
      for (const chain of ['first', 'second']) await client.query(insert(chain))
    })
    afterAll(async () => {
      await client.end()
      await store.close()
      cleanup()
    })

    it('makes a change again that the server undid for a deadlock', async () => {
      const rise = (chain: string) => `UPDATE audit_heads SET seq = seq + 1 WHERE chain = '${chain}'`
      let tries = 0
      const held: string[] = []
      const both = (chains: readonly string[]) =>
        store.transaction(async (tx) => {
          tries += 1
          for (const chain of chains) {
            await tx.query(rise(chain))
            held.push(chain)
            // Each of the two goes on once both hold a row that the other needs.
            while (held.length < 2) await delay(5)
          }
        })
      await Promise.all([both(['first', 'second']), both(['second', 'first'])])
      // A busy server may undo both.
      expect(tries).toBeGreaterThan(2)
      const { rows } = await client.query('SELECT seq FROM audit_heads ORDER BY chain')
      expect(rows.map(({ seq }: { seq: string }) => Number(seq))).toEqual([2, 2])
    })

    it('says of a call for which the full pool had no connection that the database is at fault', async () => {
      const held: (() => void)[] = []
      const all = Array.from({ length: 8 }, () =>
        store.transaction(() => new Promise<void>((resolve) => held.push(resolve))),
      )
      while (held.length < all.length) await delay(5)
      const late = await Promise.allSettled([
        store.query('SELECT 1', []),
        store.transaction((tx) => tx.query('SELECT 1')),
      ])
      for (const end of held) end()
      await Promise.all(all)
      const refused = { status: 'rejected', reason: { code: 'store.unavailable' } }
      expect(late).toMatchObject([refused, refused])
    }, 30_000)

    it.each([
      ['a read', () => store.query('SELECT pg_sleep(9)', [])],
      ['a change', () => store.transaction((tx) => tx.query('SELECT pg_sleep(9)'))],
      [
        'a change after a lost statement',
        () =>
          store.transaction(async (tx) => {
            await tx.query('SELECT pg_sleep(9)').catch(() => undefined)
            await tx.query('SELECT 1')
          }),
      ],
      [
        'a commit after a lost statement',
        () => store.transaction((tx) => tx.query('SELECT pg_sleep(9)').catch(() => undefined)),
      ],
    ])('says of %s whose connection was lost that the database is at fault, and connects again', async (_, call) => {
      const lost = expect(call()).rejects.toMatchObject({ code: 'store.unavailable' })
      const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(9)%' AND pid <> pg_backend_pid()`
      while ((await client.query(end)).rowCount === 0) await delay(20)
      await lost
      // The pool may give out the lost connection once more before it learns of the loss.
      const again = () => store.query('SELECT 1 AS one', [])
      await expect(again().catch(again)).resolves.toEqual([{ one: 1 }])
    })
  })

  describe('at its start', () => {
    let url: string
    let cleanup: () => void
    let client: Client
    beforeAll(async () => {
      ;({ url, cleanup } = startPostgres())
      client = new Client({ connectionString: url })
      await client.connect()
    })
    afterAll(async () => {
      await client.end()
      cleanup()
    })

    const lock = 'SELECT pg_advisory_lock(7830412)'
    const unlock = 'SELECT pg_advisory_unlock(7830412)'

    it('waits for another daemon that migrates for longer than a call may take', async () => {
      await client.query(lock)
      const opening = openStore({ postgresUrl: `${url}&statement_timeout=200` }, tables)
      await delay(1_000)
      await client.query(unlock)
      const store = await opening
      // Calls have the time limit.
      await expect(store.query('SELECT pg_sleep(1)', [])).rejects.toMatchObject({ code: 'store.unavailable' })
      await store.close()
    })

    it('says so when another daemon migrates without end', async () => {
      await client.query(lock)
      await expect(openPostgres(url, tables, {}, 200)).rejects.toMatchObject({
        code: 'store.unavailable',
        detail: expect.stringContaining('Another daemon'),
      })
      await client.query(unlock)
    })

    it('says which migration failed, and not that the server does not answer', async () => {
      await client.query('CREATE DATABASE occupied')
      const postgresUrl = url.replace('/strongroom?', '/occupied?')
      const other = new Client({ connectionString: postgresUrl })
      await other.connect()
      await other.query('CREATE TABLE users (id bigint)')
      await expect(openStore({ postgresUrl }, tables)).rejects.toMatchObject(failedMigration)
      await other.query('DROP TABLE users')
      await other.end()
      await (await openStore({ postgresUrl }, tables)).close()
    })

    it.each([
      ['no server', () => 'postgres://strongroom@127.0.0.1:1/strongroom', /does not answer/],
      ['no such database', () => url.replace('/strongroom?', '/elsewhere?'), /refuses the connection/],
      ['no such user', () => url.replace('strongroom@', 'mallory@'), /refuses the connection/],
    ])('says what to correct where there is %s', async (_name, wrong, sentence) => {
      const detail: unknown = expect.stringMatching(sentence)
      await expect(openStore({ postgresUrl: wrong() }, tables)).rejects.toMatchObject({ detail })
    })
  })
})
