import { readFileSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrations } from '../../../src/store/migrations.ts'
import { openStore } from '../../../src/store/open.ts'
import { tables } from '../../../src/daemon/tables.ts'
import { TestAppliance } from '../../support/appliance.ts'
import { recorded, strongroom } from '../../support/console-kit.ts'
import { besides, fillAppliance, type FullAppliance, goesOn, serves } from '../../support/full-appliance.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../../support/postgres.ts'

describe.skipIf(!hasPostgres)('strongroom migrate store', () => {
  let appliance: TestAppliance
  let full: FullAppliance
  let server: TestPostgres

  beforeAll(async () => {
    server = startPostgres()
    appliance = await TestAppliance.own()
    full = await fillAppliance(appliance)
  })
  afterAll(async () => {
    await appliance.close()
    server.cleanup()
  })

  const sqlite = () => String(appliance.config.store.sqlite)
  const run = (file: string) => strongroom(appliance.configFile, ['migrate', 'store', '--to', file])
  const use = (store: object) => {
    const config = JSON.parse(readFileSync(appliance.configFile, 'utf8'))
    writeFileSync(appliance.configFile, JSON.stringify({ ...config, store }))
  }
  /** Runs `work` as the owner of the tables, by his own client. */
  async function postgres<T>(work: (client: Client) => Promise<T>, url = server.url): Promise<T> {
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }
  async function countsOf(count: (table: string) => Promise<number> | number): Promise<Record<string, number>> {
    const counts: Record<string, number> = {}
    for (const { options } of tables) counts[String(options.tableName)] = await count(String(options.tableName))
    return counts
  }
  const countsInPostgres = (url?: string) =>
    postgres(
      (client) =>
        countsOf(async (table) =>
          Number((await client.query<{ n: string }>(`SELECT count(*) AS n FROM ${table}`)).rows[0]?.n),
        ),
      url,
    )
  function countsInSqlite(file: string): Promise<Record<string, number>> {
    const database = new Database(file, { readonly: true })
    return countsOf((table) => Number(database.prepare(`SELECT count(*) FROM ${table}`).pluck().get())).finally(() =>
      database.close(),
    )
  }
  const urlOf = (database: string) => {
    const file = besides(appliance, `${database}-url`)
    writeFileSync(file, server.url.replace('/strongroom?', `/${database}?`), { mode: 0o600 })
    return { file, url: readFileSync(file, 'utf8') }
  }

  it('refuses while the daemon runs', async () => {
    expect(await run(server.urlFile)).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('The daemon is running'),
    })
    await appliance.stop()
  })

  it('refuses a file that is neither, and a database that another program uses', async () => {
    const nothing = besides(appliance, 'nothing')
    writeFileSync(nothing, 'mysql://nowhere', { mode: 0o600 })
    expect(await run(nothing)).toMatchObject({ status: 2, stderr: expect.stringContaining('postgres://') })
    await postgres((client) => client.query('CREATE DATABASE foreigners'))
    const { file, url } = urlOf('foreigners')
    await postgres((client) => client.query('CREATE TABLE invoices (id bigint)'), url)
    expect(await run(file)).toMatchObject({ status: 4, stderr: expect.stringContaining('not empty: it has invoices') })
    await postgres(async (client) => {
      await client.query('DROP TABLE invoices')
      await client.query('CREATE TABLE migrations (id bigint, name text)')
      await client.query("INSERT INTO migrations VALUES (1, 'Invoices1')")
    }, url)
    expect(await run(file)).toMatchObject({ status: 4, stderr: expect.stringContaining('not empty: it has Invoices1') })
  })

  it('finds a row that reads otherwise, and keeps nothing', async () => {
    await postgres((client) => client.query('CREATE DATABASE edited'))
    const { file, url } = urlOf('edited')
    await (await openStore({ postgresUrl: url }, tables)).close()
    const edits = [
      ['users', `NEW.fullname = NEW.fullname || '!'; RETURN NEW;`, /users 1, fullname, reads otherwise/],
      [
        'key_versions',
        'IF NEW.version = 2 THEN RETURN NULL; END IF; RETURN NEW;',
        /key_versions 1 2, keyId, reads otherwise/,
      ],
    ] as const
    for (const [table, change, found] of edits) {
      await postgres(async (client) => {
        await client.query(
          `CREATE FUNCTION edit_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${change} END $$`,
        )
        await client.query(
          `CREATE TRIGGER edit BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION edit_${table}()`,
        )
      }, url)
      expect(await run(file)).toMatchObject({ status: 4, stderr: expect.stringMatching(found) })
      expect(Object.values(await countsInPostgres(url)).every((count) => count === 0)).toBe(true)
      await postgres((client) => client.query(`DROP FUNCTION edit_${table} CASCADE`), url)
    }
  })

  it('copies everything, says which setting to change, and leaves the old database as it was', async () => {
    const before = await countsInSqlite(sqlite())
    const untouched = { ...before, audit_heads: expect.any(Number) }
    const { status, stdout, stderr } = await run(server.urlFile)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^copied +\d+ rows of \d+ tables to PostgreSQL, each compared$/m)
    expect(stdout).toMatch(/^seals +good$/m)
    expect(stdout).toContain(`"store": { "postgresUrlFile": "${server.urlFile}" }`)
    const empty = Object.entries(before).filter(([, count]) => count === 0)
    // Rows of these tables are copied in the same way.
    expect(empty.map(([table]) => table).toSorted()).toEqual([
      'accepted_backups',
      'floor_news',
      'passkeys',
      'pending_destructions',
      'service_uses',
      'used_assertions',
      'user_certificates',
      'user_recoveries',
      'validated_otps',
    ])
    expect(await countsInPostgres()).toEqual(untouched)
    expect(await countsInSqlite(sqlite())).toEqual(untouched)
    const applied = await postgres((client) =>
      client.query<{ name: string }>('SELECT name FROM migrations ORDER BY id'),
    )
    expect(applied.rows.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name))
    const told = recorded({ auditDirectory: appliance.config.audit.directory }).filter(([operation]) =>
      operation.includes('migrate'),
    )
    expect(told.slice(-2)).toEqual([
      ['console.migrate.store.begin', 'allowed', 'PostgreSQL'],
      ['console.migrate.store', 'allowed', 'PostgreSQL'],
    ])
    expect(await run(server.urlFile)).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('it has rows in users'),
    })
  })

  it('goes on there: sessions, keys, objects, files, logins and new rows', async () => {
    use({ postgresUrlFile: server.urlFile })
    await appliance.restart()
    await serves(full)
    await goesOn(appliance, full)
  })

  it('names rows that were edited before, and goes back to SQLite by a configuration', async () => {
    await appliance.stop()
    await postgres((client) => client.query(`UPDATE otp_devices SET kek = 'strict.v9' WHERE id = 1`))
    const file = besides(appliance, 'back.json')
    const back = { sqlite: besides(appliance, 'data/back.db') }
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(appliance.configFile, 'utf8')), store: back }))
    const { status, stdout, stderr } = await run(file)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^seals +1 row without a good one, as before:$/m)
    expect(stdout).toMatch(/^ {2}otp_devices 1: altered outside Strongroom/m)
    expect(await countsInSqlite(back.sqlite)).toEqual({
      ...(await countsInPostgres()),
      audit_heads: expect.any(Number),
    })
    await postgres((client) => client.query(`UPDATE otp_devices SET kek = 'strict.v1' WHERE id = 1`))
    expect(await run(file)).toMatchObject({ status: 4, stderr: expect.stringContaining('not empty') })
    use(back)
    await appliance.restart()
    await serves(full)
  })
})
