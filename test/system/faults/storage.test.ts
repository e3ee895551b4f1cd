import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { startDaemon, TestAppliance, type TestUser, twoWorkers } from '../../support/appliance.ts'
import { type TestClient, expectFault } from '../../support/client.ts'
import { type TestVault, makeVault } from '../../support/vault.ts'
import { strongroom } from '../../support/console-kit.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'
import { occupantsOf } from '../../../src/store/inspection.ts'
import { FailingDisk, FullDisk, mayMount } from '../../support/disk.ts'
import {
  attempt,
  countOf,
  doneOf,
  eventually,
  expectSoundTrail,
  objectsIn,
  type Outcome,
  outcomesIn,
  requestIdOf,
  vaultIdOf,
  verdict,
} from '../../support/fault-kit.ts'

const storeRefusal = '503 1905'
const auditRefusal = '503 1907'

type Place = 'store' | 'audit'

async function givenAppliance(place?: Place, disk?: { readonly path: string }): Promise<TestAppliance> {
  const where = disk?.path ?? ''
  const overrides = {
    ...(place === 'store' && { store: { sqlite: join(where, 'strongroom.sqlite') } }),
    ...(place === 'audit' && { audit: { directory: join(where, 'audit') } }),
  }
  const appliance = await TestAppliance.own({ ...twoWorkers, ...overrides }, { onDisk: true })
  onTestFinished(() => appliance.close())
  return appliance
}

let stopped: TestAppliance | undefined
/** A stopped appliance, for tests in which a daemon does not start. They take copies and leave its files as they are. */
async function givenStopped(): Promise<TestAppliance> {
  if (stopped !== undefined) return stopped
  stopped = await TestAppliance.own(twoWorkers, { onDisk: true })
  await stopped.stop()
  return stopped
}
afterAll(() => stopped?.close())

function givenDisk<Disk extends { remove(): void }>(disk: Disk): Disk {
  // Runs after the appliance's own cleanup: what is registered first runs last.
  onTestFinished(() => disk.remove())
  return disk
}

/** Numbers of vaults and of objects in the token: a refused vault leaves neither. */
async function vaultsAndObjects(appliance: TestAppliance): Promise<{ vaults: number; objects: number }> {
  return { vaults: await countOf(appliance, 'vaults'), objects: objectsIn(appliance.token) }
}

const newVault = (client: TestClient, name: string) => attempt(client, 'POST', '/vault', { vaultname: name })

interface Before {
  readonly vault: TestVault
  readonly sealedText: string
  readonly user: TestUser
}

async function givenWork(appliance: TestAppliance): Promise<Before> {
  const vault = await makeVault(appliance)
  return { vault, sealedText: await vault.encrypt('kept', 'a2VwdA=='), user: await appliance.addUser() }
}

/**
 * Whether no worker accepts even the smallest record. The calls are made one after another on new connections, because
 * several records in one write may fail where a single one still fits.
 */
async function isRefusing(appliance: TestAppliance, { token }: TestClient): Promise<boolean> {
  for (let call = 0; call < 8; call++) {
    // With a session, because the last room is reserved for callers with one.
    const caller = Object.assign(appliance.client(), { token })
    if ((await caller.get('/vault')).status !== 503) return false
  }
  return true
}

/** Whether every worker accepts records again: each opens its own chain of the trail, and retries at its own times. */
async function isServing(appliance: TestAppliance): Promise<boolean> {
  for (let call = 0; call < 8; call++) {
    if ((await appliance.client().get('/authinfo/logintypes')).status !== 200) return false
  }
  return true
}

/** Expects that every kind of change is refused with `refusal` and without a trace. */
async function expectAllRefused(appliance: TestAppliance, vault: TestVault, refusal: string): Promise<void> {
  const { admin, id } = vault
  const before = await vaultsAndObjects(appliance)
  const [keys, versions] = [await countOf(appliance, 'transparent_keys'), await countOf(appliance, 'key_versions')]
  const refused: Outcome[] = [
    await newVault(admin, 'Refused'),
    await attempt(admin, 'POST', `/transparent/${id}/keys/refused`),
    await attempt(admin, 'POST', `/transparent/${id}/keys/kept/rotate`),
    await attempt(admin, 'POST', `/transparent/${id}/encrypt/refused`, { plaintext: 'AAAA' }),
    await attempt(admin, 'POST', `/transparent/${id}/keys/resident`, { residency: 'token' }),
    await attempt(admin, 'GET', '/auth/logout'),
  ]
  expect(refused.map(verdict)).toEqual(refused.map(() => refusal))
  expect(await vaultsAndObjects(appliance)).toEqual(before)
  expect([await countOf(appliance, 'transparent_keys'), await countOf(appliance, 'key_versions')]).toEqual([
    keys,
    versions,
  ])
}

/** Expects that earlier and new things work. */
async function expectAllWorks(appliance: TestAppliance, { vault, sealedText, user }: Before): Promise<void> {
  const { admin, id } = vault
  expect(await vault.decrypt('kept', sealedText)).toBe('a2VwdA==')
  await admin.must('POST', `/transparent/${id}/keys/kept/rotate`)
  expect(await vault.decrypt('kept', sealedText)).toBe('a2VwdA==')
  expect(await vault.encrypt('kept', 'bmV3')).toMatch(/^service:v2:/)
  await admin.must('POST', `/transparent/${id}/keys/refused`)
  await admin.must('POST', `/transparent/${id}/keys/resident`, { residency: 'token', allow_backup: false })
  await appliance.login(user)
}

describe.skipIf(!mayMount)('a full disk (needs the right to mount)', () => {
  it.each([
    ['store', storeRefusal],
    ['audit', auditRefusal],
  ] as const)(
    'under the %s: changes are refused whole with %s, and taken again when there is room',
    async (place, refusal) => {
      const disk = givenDisk(new FullDisk())
      const appliance = await givenAppliance(place, disk)
      const before = await givenWork(appliance)
      const { vault } = before
      const credentials = appliance.credentials(before.user)
      const sessions = await countOf(appliance, 'sessions')
      disk.fill(0)
      // The last page of an audit file has room for a few more records.
      if (place === 'audit') while (!(await isRefusing(appliance, vault.admin))) {}

      await expectAllRefused(appliance, vault, refusal)
      const login = await appliance.client().post('/auth', credentials)
      expect(verdict(login)).toBe(refusal)
      expect(login.json.CALLINFO).not.toHaveProperty('token')
      expect(await countOf(appliance, 'sessions')).toBe(sessions)
      // A database that cannot be written still answers reads. A call that cannot be recorded is never answered.
      const question = await vault.admin.get(`/transparent/${vault.id}/keys/kept`)
      expect(verdict(question)).toBe(place === 'store' ? 'done' : refusal)

      disk.free()
      // The OTP that was refused before its use is valid once. A used one stays used.
      const replays = [
        await appliance.client().post('/auth', credentials),
        await appliance.client().post('/auth', credentials),
      ]
      expect(replays.map(verdict)).toEqual([place === 'store' ? 'done' : '403 1201', '403 1201'])
      await expectAllWorks(appliance, before)
      await appliance.stop()
      await expectSoundTrail(appliance)
    },
  )

  it.each([
    ['store', storeRefusal],
    ['audit', auditRefusal],
  ] as const)(
    'under the %s that fills up amid calls: what was answered with success is there, and nothing else',
    async (place, refusal) => {
      const disk = givenDisk(new FullDisk())
      const appliance = await givenAppliance(place, disk)
      const vault = await makeVault(appliance)
      const before = await vaultsAndObjects(appliance)
      disk.fill(place === 'store' ? 384 : 8)
      const outcomes: Outcome[] = []
      await Promise.all(
        Array.from({ length: 8 }, async (_, loop) => {
          for (let round = 0; round < 8; round++) outcomes.push(await newVault(vault.admin, `vault ${loop}.${round}`))
        }),
      )
      const done = doneOf(outcomes)
      expect(done.length).toBeGreaterThan(0)
      expect(new Set(outcomes.map(verdict))).toEqual(new Set(['done', refusal]))
      expect(await vaultsAndObjects(appliance)).toEqual({
        vaults: before.vaults + done.length,
        objects: before.objects + done.length,
      })

      disk.free()
      const recorded = outcomesIn(appliance.config.audit.directory)
      for (const answer of done) {
        expect(recorded.get(requestIdOf(answer))).toEqual(['allowed'])
        const path = `/transparent/${vaultIdOf(answer)}/encrypt/first`
        await vault.admin.must('POST', path, { plaintext: 'AAAA' })
      }
      await appliance.stop()
      await expectSoundTrail(appliance)
    },
  )
})

describe.skipIf(!mayMount)(
  'a file system that becomes read-only under the running appliance (needs the right to mount)',
  () => {
    it.each([
      ['store', storeRefusal],
      ['audit', auditRefusal],
    ] as const)(
      'with the %s on it: changes are refused whole with %s; a mended disk holds what was answered',
      async (place, refusal) => {
        const disk = givenDisk(new FailingDisk())
        const appliance = await givenAppliance(place, disk)
        const before = await givenWork(appliance)
        disk.fail()
        await expectAllRefused(appliance, before.vault, refusal)
        expect(verdict(await appliance.client().post('/auth', appliance.credentials(before.user)))).toBe(refusal)
        const { stdout } = await strongroom(appliance.configFile, ['doctor', '--only', 'disk space'])
        expect(stdout).toContain(`0 MiB free for ${disk.path}`)

        await appliance.stop()
        disk.replace()
        await appliance.restart()
        await expectAllWorks(appliance, before)
      },
    )
  },
)

describe.skipIf(!mayMount)('a file system that is read-only at the start (needs the right to mount)', () => {
  it('with the audit folder on it: every call is refused until it can be written, without a new start', async () => {
    const disk = givenDisk(new FullDisk())
    const appliance = await givenAppliance('audit', disk)
    const before = await givenWork(appliance)
    await appliance.stop()
    disk.setReadOnly(true)
    await appliance.restart()
    expectFault(await appliance.client().get('/authinfo/logintypes'), 503, 1907)
    expectFault(await before.vault.admin.get('/vault'), 503, 1907)
    await expectAllRefused(appliance, before.vault, auditRefusal)
    expect(appliance.journal).toMatch(/audit\.directory is on a read-only file system; mount it for writing/)

    disk.setReadOnly(false)
    await eventually(() => isServing(appliance))
    await expectAllWorks(appliance, before)
    await appliance.stop()
    await expectSoundTrail(appliance)
  })

  it('with the database on it: the daemon does not start, and says why', async () => {
    const disk = givenDisk(new FullDisk())
    const appliance = await givenStopped()
    const sqlite = join(disk.path, 'strongroom.sqlite')
    copyFileSync(String(appliance.config.store.sqlite), sqlite)
    disk.setReadOnly(true)
    const journal: string[] = []
    const configuration = { ...appliance.config, store: { sqlite } }
    const configFile = join(appliance.directory, 'read-only.json')
    writeFileSync(configFile, JSON.stringify(configuration))
    await expect(startDaemon(configFile, journal)).rejects.toThrow(
      /ended with 4:\n[^]*strongroomd: The database .* cannot be opened: check store\.sqlite, .*read-only/,
    )
  })
})

describe('a database that is not there', () => {
  it('is not made by the daemon, which says what to do', async () => {
    const appliance = await givenStopped()
    const sqlite = join(appliance.directory, 'not-mounted', 'strongroom.sqlite')
    mkdirSync(dirname(sqlite))
    const configFile = join(appliance.directory, 'not-mounted.json')
    writeFileSync(configFile, JSON.stringify({ ...appliance.config, store: { sqlite } }))
    await expect(startDaemon(configFile, [])).rejects.toThrow(
      /ended with 4:\n[^]*strongroomd: The database .* does not exist: mount its disk, restore it, or correct store\.sqlite\./,
    )
    expect(existsSync(sqlite)).toBe(false)
  })

  it('nor are tables, in an empty file or an empty PostgreSQL database', async () => {
    const appliance = await givenStopped()
    const configFile = join(appliance.directory, 'empty.json')
    const use = (store: object) => writeFileSync(configFile, JSON.stringify({ ...appliance.config, store }))
    const sqlite = join(appliance.directory, 'empty.sqlite')
    writeFileSync(sqlite, '', { mode: 0o600 })
    use({ sqlite })
    await expect(startDaemon(configFile, [])).rejects.toThrow(
      /ended with 4:\n[^]*strongroomd: The database \S+empty\.sqlite is empty: restore it, or correct store\.sqlite\./,
    )
    if (!hasPostgres) return
    const server = startPostgres()
    onTestFinished(() => server.cleanup())
    use({ postgresUrlFile: server.urlFile })
    await expect(startDaemon(configFile, [])).rejects.toThrow(
      /ended with 4:\n[^]*strongroomd: The PostgreSQL database in store\.postgresUrlFile is empty: restore it, or correct the URL\./,
    )
    expect(await occupantsOf({ postgresUrl: server.url })).toEqual([])
  })
})

describe('a database that another process holds', () => {
  it('refuses changes and answers questions, and works when it is let go', async () => {
    const appliance = await givenAppliance()
    const before = await givenWork(appliance)
    const holder = spawn('sqlite3', [String(appliance.config.store.sqlite)], { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void holder.kill())
    holder.stdin.write("BEGIN IMMEDIATE; SELECT 'held';\n")
    await once(holder.stdout, 'data')
    const { vaults, objects } = await vaultsAndObjects(appliance)
    const [change, question] = await Promise.all([
      newVault(before.vault.admin, 'Refused'),
      before.vault.admin.get(`/transparent/${before.vault.id}/keys/kept`),
    ])
    expect([verdict(change), verdict(question)]).toEqual([storeRefusal, 'done'])
    expect(await vaultsAndObjects(appliance)).toEqual({ vaults, objects })

    holder.stdin.end('ROLLBACK;\n')
    await once(holder, 'close')
    await expectAllWorks(appliance, before)
  })
})
