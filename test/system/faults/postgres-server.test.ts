import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort, startDaemon, TestAppliance, twoWorkers } from '../../support/appliance.ts'
import type { Answer } from '../../support/client.ts'
import { attempt, eventually, under, vaultIdOf, verdict } from '../../support/fault-kit.ts'
import { createObject } from '../../support/object-kit.ts'
import { commonPki } from '../../support/pki.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../../support/postgres.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'

const refusal = '503 1905'

describe.skipIf(!hasPostgres)('a PostgreSQL server that fails', () => {
  let database: TestPostgres
  let appliance: TestAppliance
  let vault: TestVault

  beforeAll(async () => {
    database = startPostgres()
    appliance = await TestAppliance.own({ ...twoWorkers, store: { postgresUrlFile: database.urlFile } })
    vault = await makeVault(appliance)
  })
  afterAll(async () => {
    await appliance.close()
    database.cleanup()
  })

  const listed = async (): Promise<string[]> =>
    ((await vault.admin.must('GET', '/vault'))['VAULTS'] as { id: string }[]).map(({ id }) => id)

  /** Statements of the operator of the database. */
  async function operating(url: string, work: (operator: Client) => Promise<unknown>): Promise<void> {
    const operator = new Client({ connectionString: url })
    operator.on('error', () => undefined)
    await operator.connect()
    try {
      await work(operator)
    } finally {
      await operator.end()
    }
  }

  const endOthers = (operator: Client) =>
    operator.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IS NOT NULL AND pid <> pg_backend_pid()',
    )

  it('while it waits for a standby that has gone: what it says nothing of may be made later, and works then', async () => {
    const { admin, id } = vault
    const resident = { residency: 'token', allow_backup: false }
    await admin.must('POST', `/transparent/${id}/keys/resident`, resident)
    const standby = (change: string) =>
      operating(database.url, async (operator) => {
        await operator.query(`ALTER SYSTEM ${change}`)
        await operator.query('SELECT pg_reload_conf(), pg_sleep(1)')
      })
    await standby("SET synchronous_standby_names = 'gone'")
    let undecided: Answer[] = []
    try {
      undecided = await Promise.all([
        admin.post('/vault', { vaultname: 'Undecided' }),
        admin.post(`/transparent/${id}/keys/resident/rotate`),
        admin.post(`/transparent/${id}/keys/another`, resident),
      ])
    } finally {
      await standby('RESET synchronous_standby_names')
    }
    expect(undecided.map(verdict)).toEqual([refusal, refusal, refusal])
    await eventually(async () => (await listed()).length === 2)
    for (const one of await listed()) await createObject(admin, one)
    for (const [name, version] of [
      ['resident', '2'],
      ['another', '1'],
    ] as const) {
      const { CALLINFO } = await admin.must('POST', `/transparent/${id}/encrypt/${name}`, { plaintext: 'AAAA' })
      expect(CALLINFO['key_version']).toBe(version)
    }
    for (const { json } of undecided) expect(json.ERRORS?.[0]).toContain('look whether it is there')
  })

  it('restarted while commits are under way: what was acknowledged is there, and what is there works', async () => {
    const made: string[] = []
    const verdicts = new Set<string>()
    const make = async (loop: number, round: number): Promise<void> => {
      const outcome = await attempt(vault.admin, 'POST', '/vault', { vaultname: `Storm ${loop}.${round}` })
      verdicts.add(verdict(outcome))
      if (!('lost' in outcome) && verdict(outcome) === 'done') made.push(vaultIdOf(outcome))
    }
    await under(6, make, async () => {
      for (const mode of ['fast', 'immediate', 'fast'] as const) {
        const enough = made.length + 10
        while (made.length < enough) await sleep(20)
        database.restart(mode)
      }
    })
    expect([...verdicts].toSorted()).toEqual([refusal, 'done'])
    const there = await listed()
    expect(there).toEqual(expect.arrayContaining(made))
    for (const one of there) await createObject(vault.admin, one)
  })

  it('that takes no changes answers questions, also of a session whose use is to be noted, and is left for the next one', async () => {
    const { admin } = vault
    await operating(database.url, async (operator) => {
      await operator.query('UPDATE sessions SET last_seen_at = last_seen_at - 300000')
      await operator.query('ALTER DATABASE strongroom SET default_transaction_read_only = on')
      await endOthers(operator)
    })
    await eventually(async () => verdict(await admin.post('/vault', { vaultname: 'Refused' })) === refusal)
    expect(await Promise.all([1, 2, 3, 4].map(async () => verdict(await admin.get('/vault'))))).toEqual(
      Array.from({ length: 4 }, () => 'done'),
    )
    expect(verdict(await admin.post('/vault', { vaultname: 'Refused' }))).toBe(refusal)
    // Connections that are there stay as they are, like those to a server that another one has replaced.
    await operating(database.url, async (operator) => {
      await operator.query('SET default_transaction_read_only = off')
      await operator.query('ALTER DATABASE strongroom RESET default_transaction_read_only')
    })
    await eventually(async () => verdict(await admin.post('/vault', { vaultname: 'After' })) === 'done')
  })

  it('that refuses the login of the daemon: calls are refused as without a database, until it is let in', async () => {
    await operating(database.url, async (operator) => {
      await operator.query('ALTER ROLE strongroom NOLOGIN')
      await endOthers(operator)
      const refused = [await vault.admin.get('/vault'), await vault.admin.post('/vault', { vaultname: 'Refused' })]
      await operator.query('ALTER ROLE strongroom LOGIN')
      expect(refused.map(verdict)).toEqual([refusal, refusal])
    })
    await eventually(async () => verdict(await vault.admin.get('/vault')) === 'done')
    expect(appliance.journal).not.toContain('"code":"internal"')
  })

  it('over TLS: its certificate is checked at each connection, and one that is not accepted is named', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'strongroom-postgres-tls-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const { ca, certificate, key } = commonPki()
    const port = await freePort()
    const server = startPostgres({ port, certificate, key })
    onTestFinished(() => server.cleanup())
    const postgresUrlFile = join(directory, 'url')
    const url = `postgres://strongroom@localhost:${port}/strongroom?sslmode=verify-full&sslrootcert=${ca}`
    writeFileSync(postgresUrlFile, url, { mode: 0o600 })
    const secured = await TestAppliance.own({ store: { postgresUrlFile } })
    onTestFinished(() => secured.close())
    const { admin } = await makeVault(secured)
    await operating(server.url, async (operator) => {
      const { rows } = await operator.query(
        'SELECT DISTINCT ssl FROM pg_stat_ssl NATURAL JOIN pg_stat_activity WHERE client_addr IS NOT NULL',
      )
      expect(rows).toEqual([{ ssl: true }])
    })

    const other = { certificate: join(directory, 'other.pem'), key: join(directory, 'other.key') }
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    execFileSync('openssl', [...request, ...names, '-keyout', other.key, '-out', other.certificate], { stdio: 'pipe' })
    const present = async (files: typeof other): Promise<void> => {
      server.certify(files)
      await operating(server.url, async (operator) => {
        await operator.query('SELECT pg_reload_conf(), pg_sleep(1)')
        await endOthers(operator)
      })
    }
    await present(other)
    await eventually(async () => verdict(await admin.get('/vault')) === refusal)
    expect(verdict(await admin.get('/vault'))).toBe(refusal)
    expect(secured.journal).not.toContain('"code":"internal"')
    await present({ certificate, key })
    await eventually(async () => verdict(await admin.get('/vault')) === 'done')

    await present(other)
    await secured.stop()
    await expect(startDaemon(secured.configFile, [])).rejects.toThrow(
      /ended with 4:\n[^]*strongroomd: The certificate of PostgreSQL is not accepted: check sslrootcert/,
    )
  })
})
