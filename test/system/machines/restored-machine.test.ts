import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { AuditReport } from '../../../src/audit/audit-report.ts'
import { keyMakerSocketOf } from '../../../src/config/key-maker-socket.ts'
import { keeperOf } from '../../../src/config/keeper-section.ts'
import { loadConfig } from '../../../src/config/loader.ts'
import { createHsmClient } from '../../../src/hsm/client/hsm-client.ts'
import type { Hsm } from '../../../src/hsm/hsm.ts'
import { endDaemon, startDaemon, type TestAppliance } from '../../support/appliance.ts'
import { givenAgePair, givenFolder } from '../../support/backup-kit.ts'
import type { TestClient } from '../../support/client.ts'
import { strongroom } from '../../support/console-kit.ts'
import { verdict } from '../../support/fault-kit.ts'
import { hasBalancer, type Machine, type Machines, startMachines } from '../../support/machines.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../../support/postgres.ts'
import { makeVault } from '../../support/vault.ts'

const patience = { timeout: 60_000, interval: 500 }

interface TwoMachines extends Machines {
  readonly first: Machine
  readonly second: Machine
}

async function givenTwoMachines(): Promise<TwoMachines> {
  const machines = await startMachines(2)
  onTestFinished(() => machines.close())
  const [first, second] = machines.all
  if (first === undefined || second === undefined) throw new Error('there are two machines')
  return { ...machines, first, second }
}

/** Makes a backup on the first machine. Resolves to a function that restores it. */
async function backUp({ first, appliance }: TwoMachines) {
  const folder = givenFolder()
  const [file, into] = [join(folder, 'b.age'), join(folder, 'r')]
  const pair = givenAgePair(folder)
  const made = await strongroom(first.configFile, ['backup', 'create', file, '--recipient', pair.recipient])
  expect(made).toMatchObject({ status: 0, stderr: '' })
  const given = ['--pin-file', appliance.token.pinFile, '--tls-key', appliance.config.tls.key]
  const keys = ['--identity', pair.identity, '--public-key', join(first.trail, 'audit-public.pem')]
  const args = ['backup', 'restore', file, ...keys, ...given]
  return {
    into,
    configFile: join(into, first.configFile),
    restore: (database: TestPostgres) =>
      strongroom('/nonexistent', [...args, '--postgres-url-file', database.urlFile, '--into', into]),
  }
}

function givenDatabase(): TestPostgres {
  const database = startPostgres()
  onTestFinished(() => database.cleanup())
  return database
}

async function startRestored(configFile: string): Promise<void> {
  const daemon = await startDaemon(configFile, [])
  onTestFinished(async () => void (await endDaemon(daemon, 'SIGTERM')))
}

/**
 * Changes a machine's configuration like its operator: the URL of the restored database and, in these tests, the
 * restored token, which a common HSM would not need.
 */
function moveOver({ configFile }: Machine, database: TestPostgres, into: string): void {
  const settings = JSON.parse(readFileSync(configFile, 'utf8'))
  settings.store = { postgresUrlFile: database.urlFile }
  settings.hsm.softhsmConf = join(into, settings.hsm.softhsmConf)
  writeFileSync(configFile, JSON.stringify(settings))
}

function keeperAt(configFile: string): Hsm {
  const { hsm: settings } = loadConfig(configFile)
  const hsm = createHsmClient({
    sockets: settings.sockets,
    keyMakerSocket: keyMakerSocketOf(settings),
    keeper: keeperOf({ hsm: settings }).operatorSocket,
    deadlineMs: 10_000,
    queue: 100,
  })
  onTestFinished(() => hsm.close())
  return hsm
}

/** The findings of `doctor` about the machines on the database. */
async function machinesSeenBy(configFile: string): Promise<{ state: string; detail: string }[]> {
  const { stdout } = await strongroom(configFile, ['--json', 'doctor', '--only', 'machines'])
  return JSON.parse(stdout).findings.filter(({ subject }: { subject: string }) => subject === 'machines')
}

/** Waits until `there` has read what `here` has told by now. */
async function told(here: Hsm, there: Hsm, appliance: TestAppliance): Promise<void> {
  const { machine } = await here.floorNews()
  for (let round = 0; round < 2; round++) {
    const before = (await there.floorNews()).known[machine] ?? 0
    await appliance.addUser()
    await vi.waitFor(
      async () => expect((await there.floorNews()).known[machine] ?? 0).toBeGreaterThan(before),
      patience,
    )
  }
}

describe.skipIf(!hasPostgres || !hasBalancer)('one of two machines is restored, with the database of both', () => {
  it('into an empty place, and serves alone', async () => {
    const machines = await givenTwoMachines()
    const { appliance, first, second } = machines
    const vault = await makeVault(appliance)
    // The second machine has a lease of counts of the key.
    const plaintext = Buffer.from('of the second').toString('base64')
    await second.client(vault.admin.token).must('POST', `/transparent/${vault.id}/encrypt/shared`, { plaintext })
    // At its end its trail is sealed, also in the registry.
    await second.stop()
    await second.start()
    const { restore, into, configFile } = await backUp(machines)
    await second.stop()
    await first.stop()

    const restored = await restore(givenDatabase())
    expect(restored.stderr).toBe('')
    expect(restored.stdout).toMatch(/[1-9]\d* versions? of keys closed/)
    expect(JSON.parse(readFileSync(configFile, 'utf8')).audit.machine).toBe('machine1')

    // The registry contains the chains of the other machine, whose trail is elsewhere.
    const alone = await strongroom(configFile, ['audit', 'verify'])
    expect(alone.status, alone.stdout).toBe(0)
    expect(alone.stdout).toContain('machine2')
    const trails = ['--directory', join(into, first.trail), '--directory', second.trail]
    const both = await strongroom(configFile, ['audit', 'verify', '--all-machines', ...trails])
    expect(both.status, both.stdout).toBe(0)

    await startRestored(configFile)
    expect(verdict(await vault.admin.get('/vault'))).toBe('403 1200')
  }, 240_000)

  it('and the other comes back under its name, with its files or without those of its keeper', async () => {
    const machines = await givenTwoMachines()
    const { appliance, first, second } = machines
    const vault = await givenSharedVault(machines)
    const before = await vault.encrypt(second.client(vault.admin.token))
    await told(appliance.hsm, keeperAt(second.configFile), appliance)
    const { restore, into, configFile } = await backUp(machines)

    // After the backup: rows that only the second machine changes, and an OTP whose use it was told.
    for (const status of [2, 1]) await vault.change(second.client(vault.admin.token), status)
    await vault.encrypt(second.client(vault.admin.token))
    vault.owner.hardwareToken.replug()
    const spent = appliance.credentials(vault.owner)
    expect(verdict(await first.client().post('/auth', spent))).toBe('done')
    await told(appliance.hsm, keeperAt(second.configFile), appliance)
    await second.stop()
    await first.stop()
    const database = givenDatabase()
    expect((await restore(database)).stderr).toBe('')
    await startRestored(configFile)
    moveOver(second, database, into)

    const comesBack = async (status: number) => {
      await second.start()
      await vi.waitFor(async () => expect(await machinesSeenBy(second.configFile)).toMatchObject([together]), patience)
      vault.owner.hardwareToken.replug()
      const { CALLINFO } = await second.client().must('POST', '/auth', appliance.credentials(vault.owner))
      const [here, there] = [second, first].map((machine) => machine.client(String(CALLINFO.token)))
      if (here === undefined || there === undefined) throw new Error('there are two machines')
      await vault.change(here, status)
      for (const ciphertext of [before, await vault.encrypt(here)]) await vault.expectDecrypted(there, ciphertext)
      expect(await machinesSeenBy(configFile)).toMatchObject([together])
      await expectSound(configFile, [into, first.trail], second)
    }
    await comesBack(2)
    expect(verdict(await first.client().post('/auth', spent))).toBe('403 1201')

    await second.stop()
    const folder = dirname(keeperOf(loadConfig(second.configFile)).state)
    for (const name of readdirSync(folder).filter((file) => /^(?:keeper|floors)\.sqlite/.test(file)))
      rmSync(join(folder, name))
    await comesBack(1)
  }, 400_000)
})

/** The finding of `doctor` where nothing is wrong. */
const together = { state: 'ok', detail: '1 other machine on this database' }

/** A vault with a member and an owner who can log in, and a key that both machines use. */
async function givenSharedVault({ appliance }: TwoMachines) {
  const { admin, id, share } = await makeVault(appliance)
  const [owner, member] = [await appliance.addUser(), await appliance.addUser()]
  await share(String(owner.id), 'Admin')
  await share(String(member.id), 'Read')
  const plaintext = Buffer.from('of the second').toString('base64')
  return {
    admin,
    owner,
    async change(client: TestClient, status: number): Promise<void> {
      expect(verdict(await client.call('PUT', `/vault/${id}/member/${member.id}`, { body: { status } }))).toBe('done')
    },
    async encrypt(client: TestClient): Promise<unknown> {
      return (await client.must('POST', `/transparent/${id}/encrypt/shared`, { plaintext })).CALLINFO['ciphertext']
    },
    async expectDecrypted(client: TestClient, ciphertext: unknown): Promise<void> {
      const { CALLINFO } = await client.must('POST', `/transparent/${id}/decrypt/shared`, { ciphertext })
      expect(CALLINFO).toMatchObject({ plaintext })
    },
  }
}

/**
 * Expects that the trail of each machine is valid. Together they name only what the restored machine wrote after the
 * backup.
 */
async function expectSound(restored: string, [into, trail]: readonly [string, string], second: Machine): Promise<void> {
  for (const file of [restored, second.configFile]) {
    const verified = await strongroom(file, ['audit', 'verify'])
    expect(verified.status, verified.stdout).toBe(0)
  }
  const trails = ['--directory', join(into, trail), '--directory', second.trail]
  const { stdout } = await strongroom(restored, ['--json', 'audit', 'verify', '--all-machines', ...trails])
  const { chains }: AuditReport = JSON.parse(stdout)
  expect(chains.map(({ chain }) => chain)).toEqual(['machine1-console', 'machine1-worker-1', 'machine2-worker-1'])
  for (const { chain, findings } of chains)
    for (const { detail } of findings) {
      expect(chain).toMatch(/^machine1-/)
      expect(detail).toMatch(
        /^Record \d+ is missing, or not the one that was sealed: see line \d+ of machine2-worker-1/,
      )
    }
}
