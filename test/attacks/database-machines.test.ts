import { type ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { operatorId } from '../../src/access/confirmation.ts'
import { systemClock } from '../../src/clock.ts'
import { keeperOf } from '../../src/config/keeper-section.ts'
import { createServices } from '../../src/daemon/services.ts'
import { keyMakerSocketOf } from '../../src/config/key-maker-socket.ts'
import { SessionTable, SessionTokenTable } from '../../src/features/auth/session-records.ts'
import { UsedAssertionTable } from '../../src/features/auth/used-assertion-records.ts'
import { OtpDeviceTable } from '../../src/features/otp/records.ts'
import { RecoveryTable } from '../../src/features/users/recovery-records.ts'
import { UserTable } from '../../src/features/users/records.ts'
import { FloorBatchTable } from '../../src/daemon/floor-courier.ts'
import { createHsmClient } from '../../src/hsm/client/hsm-client.ts'
import type { Hsm } from '../../src/hsm/hsm.ts'
import { sessionTokenHash } from '../../src/access/session-token-form.ts'
import { endDaemon, startDaemon, TestAppliance, type TestUser } from '../support/appliance.ts'
import { TestClient } from '../support/client.ts'
import { strongroom } from '../support/console-kit.ts'
import { verdict } from '../support/fault-kit.ts'
import { makePair, ownClaims, seconds, signed } from '../support/assertion-kit.ts'
import { configureBeside } from '../support/machine-beside.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { addCredential, addService, asked, byAssertion } from '../support/service-kit.ts'

/**
 * The attacker has the database that two machines share. He puts rows back for the machine that was not shown newer
 * ones, and alters and deletes the messages between the keepers.
 */
const patience = { timeout: 60_000, interval: 200 }

describe.skipIf(!hasPostgres)('two machines on one database', () => {
  let database: TestPostgres
  let appliance: TestAppliance
  let other: ChildProcess
  let otherConfig: string
  let otherUrl: string
  let otherHsm: Hsm
  let administrator: TestUser
  const journal: string[] = []
  const clients: TestClient[] = []

  beforeAll(async () => {
    database = startPostgres()
    appliance = await TestAppliance.own({ store: { postgresUrlFile: database.urlFile }, audit: { machine: 'one' } })
    const beside = await configureBeside(appliance, 'other', 'other')
    const { config } = beside
    otherConfig = beside.configFile
    otherUrl = beside.url
    other = await startDaemon(otherConfig, journal)
    otherHsm = createHsmClient({
      sockets: config.hsm.sockets,
      keyMakerSocket: keyMakerSocketOf(config.hsm),
      keeper: keeperOf(config).operatorSocket,
      deadlineMs: 10_000,
      queue: 100,
    })
    administrator = await appliance.addUser(['read', 'createVault', 'admin', 'active'])
  }, 120_000)
  afterAll(async () => {
    for (const client of clients) client.close()
    await otherHsm.close()
    await endDaemon(other, 'SIGTERM')
    await appliance.close()
    database.cleanup()
  })

  function elsewhere(token?: string): TestClient {
    const client = new TestClient(otherUrl, appliance.ca, token)
    clients.push(client)
    return client
  }

  /** Waits until the other machine has read what this one has told by now. */
  async function told(): Promise<void> {
    const { machine } = await appliance.hsm.floorNews()
    const head = async () => (await appliance.store.read.countBy(FloorBatchTable, { machine })) > 0
    await vi.waitFor(async () => expect(await head()).toBe(true), patience)
    // Floors that were raised before are in the second batch from now at the latest: the first may be under way.
    const before = await headOf(machine)
    for (const _ of [1, 2]) await makeNews()
    await vi.waitFor(async () => expect((await otherHsm.floorNews()).known[machine]).toBeGreaterThan(before), patience)
  }

  const headOf = async (machine: string): Promise<number> =>
    (await appliance.store.read.find(FloorBatchTable, { where: { machine }, order: { number: 'DESC' }, take: 1 }))[0]
      ?.number ?? 0

  /** Raises a floor, which this machine then tells the other. */
  async function makeNews(): Promise<void> {
    const { machine } = await appliance.hsm.floorNews()
    const before = await headOf(machine)
    await appliance.addUser()
    await vi.waitFor(async () => expect(await headOf(machine)).toBeGreaterThan(before), patience)
  }

  /** Puts back the row of before a reset. */
  async function putBack(user: { readonly id: number }): Promise<void> {
    await appliance.store.transaction(async (tx) => {
      await tx.update(UserTable, { id: user.id }, { ...user })
      await tx.delete(RecoveryTable, { userId: user.id })
    })
  }

  const reset = (client: TestClient, id: number) =>
    client.call('PUT', `/user/${id}/passphrase`, { body: { newpassphrase: 'eleven grey lanterns over snow' } })

  it('refuse a user of before a reset that the other machine was not shown', async () => {
    const here = await appliance.login(administrator)
    const user = await appliance.addUser()
    const { read } = appliance.store
    const before = await read.findOneByOrFail(UserTable, { id: user.id })
    expect(verdict(await reset(here, user.id))).toBe('done')
    await told()
    await putBack(before)
    expect(verdict(await reset(elsewhere(here.token), user.id))).toBe('503 1911')
  })

  it('refuse a session that was ended on the other, and is put back', async () => {
    const client = await appliance.login()
    const { read } = appliance.store
    const hash = sessionTokenHash(client.token ?? '')
    const token = await read.findOneByOrFail(SessionTokenTable, { hash })
    const session = await read.findOneByOrFail(SessionTable, { id: token.sessionId })
    await client.must('GET', '/auth/logout')
    await told()
    await appliance.store.transaction((tx) => tx.update(SessionTable, { id: session.id }, { ...session }))
    const made = await elsewhere(client.token).post('/vault', { vaultname: 'Of a session that ended' })
    expect(verdict(made)).toBe('403 1200')
  })

  it('take no one-time password that was used on the other, where its counter is put back', async () => {
    const user = await appliance.addUser()
    const { read } = appliance.store
    const devices = await read.find(OtpDeviceTable, { where: { userId: user.id } })
    const login = appliance.credentials(user)
    expect(verdict(await appliance.client().post('/auth', login))).toBe('done')
    await told()
    for (const device of devices)
      await appliance.store.transaction((tx) => tx.update(OtpDeviceTable, { id: device.id }, { ...device }))
    expect(verdict(await elsewhere().post('/auth', login))).toBe('403 1201')
  })

  it('begin one session by an assertion that is shown to both at once', async () => {
    const service = await addService(appliance, administrator)
    const pair = await makePair()
    await addCredential(appliance, service, { ...asked, kind: 'jwt', publicKey: pair.jwk, kid: null })
    for (let round = 0; round < 5; round++) {
      const body = byAssertion(await signed(pair, ownClaims(service.name)))
      const both = [appliance.client(), elsewhere()]
      const answers = await Promise.all([...both, ...both].map((client) => client.post('/auth', body)))
      expect(answers.map((answer) => verdict(answer)).toSorted()).toEqual(['403 1201', '403 1201', '403 1201', 'done'])
    }
  })

  it('keep no session of a service account that one of them disabled while it logged in on the other', async () => {
    const { config, store, services } = appliance
    const service = await addService(appliance, administrator)
    const pair = await makePair()
    await addCredential(appliance, service, { ...asked, kind: 'jwt', publicKey: pair.jwk, kid: null })
    const setActive = (isActive: boolean) =>
      services.serviceAccounts.change(service.id, { isActive }, operatorId, appliance.commit)
    const unrecorded = { append: () => Promise.resolve() }
    const there = createServices({ config, store, hsm: otherHsm, clock: systemClock, audit: unrecorded })
    const assertion = await signed(pair, ownClaims(service.name))
    const shown = { account: service.name, shown: { kind: 'jwt', assertion }, address: '127.0.0.1' } as const
    const { token } = await there.serviceLogin.logIn(
      shown,
      async (work) => {
        await setActive(false)
        return store.transaction(work)
      },
      () => undefined,
    )
    const thief = Object.assign(elsewhere(), { token })
    await setActive(true)
    expect(verdict(await thief.get('/auth/check'))).toBe('403 1200')
  })

  it('begin no session by an assertion that was used on the other, where its row is taken away', async () => {
    const service = await addService(appliance, administrator)
    const pair = await makePair()
    await addCredential(appliance, service, { ...asked, kind: 'jwt', publicKey: pair.jwk, kid: null })
    const claims = () => ({ ...ownClaims(service.name), exp: seconds() + 280 })
    const [read, fresh] = await Promise.all([signed(pair, claims()), signed(pair, claims())])
    await appliance.client().must('POST', '/auth', byAssertion(read))
    await told()
    await appliance.store.transaction((tx) => tx.clear(UsedAssertionTable))
    expect(verdict(await elsewhere().post('/auth', byAssertion(read)))).toBe('403 1201')
    expect(verdict(await elsewhere().post('/auth', byAssertion(fresh)))).toBe('done')
  })

  describe('where what they tell is edited or taken away', () => {
    const faults = async () => (await otherHsm.floorNews()).faults
    const findings = async (): Promise<{ state: string; detail: string }[]> =>
      JSON.parse((await strongroom(otherConfig, ['--json', 'doctor'])).stdout).findings.filter(
        ({ subject }: { subject: string }) => subject === 'machines',
      )

    it('find nothing wrong before', async () => {
      expect(await findings()).toMatchObject([{ state: 'ok', detail: '1 other machine on this database' }])
    })

    it('say that one was edited, and, where its place is taken, that one was left out', async () => {
      const { machine } = await appliance.hsm.floorNews()
      const [last] = await appliance.store.read.find(FloorBatchTable, {
        where: { machine },
        order: { number: 'DESC' },
        take: 1,
      })
      if (last === undefined) throw new Error('nothing was told')
      const forged = { ...last, number: last.number + 1, record: Buffer.concat([last.record, Buffer.from('x')]) }
      await appliance.store.transaction((tx) => tx.insert(FloorBatchTable, forged))
      await vi.waitFor(async () => expect((await faults()).join()).toContain('was edited'), patience)
      const leftOut = async () => {
        await appliance.addUser()
        expect((await faults()).join()).toContain('was left out')
      }
      await vi.waitFor(leftOut, { ...patience, interval: 2_000 })
      expect(journal.join('')).toContain('was left out')
      expect((await findings()).map(({ state }) => state)).toEqual(['problem', 'problem'])
    })

    it('say that they were taken out of the database, and tell all anew', async () => {
      const { machine } = await appliance.hsm.floorNews()
      const head = await headOf(machine)
      await appliance.store.transaction((tx) => tx.delete(FloorBatchTable, { machine }))
      const told = async () => (await appliance.hsm.floorNews()).faults.join()
      await vi.waitFor(async () => expect(await told()).toContain('of this machine were taken out'), patience)
      await vi.waitFor(async () => expect((await otherHsm.floorNews()).known[machine]).toBeGreaterThan(head), patience)
    })
  })

  it('forget together, where the operator of one accepts a restored database', async () => {
    const here = await appliance.login(administrator)
    const user = await appliance.addUser()
    const before = await appliance.store.read.findOneByOrFail(UserTable, { id: user.id })
    expect(verdict(await reset(here, user.id))).toBe('done')
    await told()
    await putBack(before)
    expect((await strongroom(appliance.configFile, ['database', 'accept-restored'])).status).toBe(0)
    await told()
    const again = await appliance.login(administrator)
    expect(verdict(await reset(elsewhere(again.token), user.id))).toBe('done')
    expect((await appliance.hsm.floorNews()).faults).toEqual([])
  })
})
