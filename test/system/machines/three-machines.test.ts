import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestUser } from '../../support/appliance.ts'
import type { TestClient } from '../../support/client.ts'
import { strongroom } from '../../support/console-kit.ts'
import { attempt, doneOf, requestIdOf, outcomesIn, said, under, verdict, vaultIdOf } from '../../support/fault-kit.ts'
import { totpCode } from '../../support/hardware-token.ts'
import { hasBalancer, startMachines, type Machines } from '../../support/machines.ts'
import { createObject, readObject, server } from '../../support/object-kit.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { storedKey } from '../../support/stored-keys.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'

/** Number of one-time passwords that are shown to all machines at once. */
const races = 100
const atOnce = 10
const writers = 6

describe.skipIf(!hasPostgres || !hasBalancer)('three machines behind a balancer, on one database and one token', () => {
  let machines: Machines
  let vault: TestVault
  const people: TestUser[] = []

  beforeAll(async () => {
    machines = await startMachines(3, { transparent: { invocationLease: 1 }, login: { freeAttempts: 100 } })
    vault = await makeVault(machines.appliance)
    for (let number = 0; number < 3 * atOnce; number++) people.push(await machines.appliance.addUser())
  }, 300_000)
  afterAll(() => machines.close())

  /** Clients with the same session, one for each machine. */
  const everywhere = (token?: string): TestClient[] => machines.all.map((machine) => machine.client(token))

  /** Deletes the counts of failed logins, which these races are not about. */
  const forgive = () => machines.appliance.sql('DELETE FROM login_attempts')

  /** Sends a login of each user to all machines at once and expects one success each. */
  async function race(users: readonly TestUser[], loginOf: (user: TestUser) => Record<string, string>): Promise<void> {
    await forgive()
    const strangers = everywhere()
    const shown = users.map((user) => {
      const login = loginOf(user)
      return Promise.all(strangers.map((stranger) => stranger.post('/auth', login)))
    })
    for (const answers of await Promise.all(shown))
      expect(answers.map(verdict).toSorted()).toEqual(['403 1201', '403 1201', 'done'])
    for (const stranger of strangers) stranger.close()
  }

  it(`take a one-time password once, in ${races} races`, { timeout: 100_000 + races * 1_000 }, async () => {
    const { appliance } = machines
    for (let round = 0; round * atOnce < races; round++)
      await race(people.slice((round % 3) * atOnce).slice(0, atOnce), (user) => appliance.credentials(user))
    for (const group of [0, 1, 2])
      await race(people.slice(group * atOnce).slice(0, atOnce), (user) => ({
        ...appliance.credentials(user),
        otp: totpCode(user.totpSecret),
        logintype: 'totp',
      }))
  })

  it('see at the next call what one of them has taken', async () => {
    const { appliance } = machines
    const user = await appliance.addUser()
    await vault.share(String(user.id), 'Write')
    const session = await appliance.login(user)
    const [first, ...others] = everywhere(session.token)
    const id = await createObject(vault.admin, vault.id)
    for (const client of others)
      expect((await readObject(client, id, '?decrypt=true')).crypted).toMatchObject({ password: server.password })
    await vault.share(String(user.id), 'Read')
    for (const client of others)
      expect(verdict(await client.call('PUT', `/object/${id}`, { body: { info: 'x' } }))).toBe('403 1301')
    await vault.share(String(user.id), undefined)
    for (const client of others) expect(verdict(await client.get(`/object/${id}?decrypt=true`))).toBe('404 1610')
    await first?.must('GET', '/auth/logout')
    for (const client of others) expect(verdict(await client.post('/auth/check'))).toBe('403 1200')
  })

  it('count each use of an AES-GCM key once', async () => {
    await vault.encrypt('counted', 'AAAA')
    const clients = everywhere(vault.admin.token)
    const made = await Promise.all(
      clients.flatMap((client) =>
        Array.from({ length: 40 }, () =>
          client.must('POST', `/transparent/${vault.id}/encrypt/counted`, { plaintext: 'AAAA' }),
        ),
      ),
    )
    const { latest } = await storedKey(machines.appliance, Number(vault.id), 'counted')
    // Leases of one use each: if two machines had taken the same lease, the count would be lower than the uses.
    expect(latest.invocations).toBeGreaterThanOrEqual(made.length + 1)
    const texts = made.map(({ CALLINFO }) => String(CALLINFO['ciphertext']))
    const ivs = texts.map((text) => Buffer.from(text.split(':').at(-1) ?? '', 'base64').toString('hex', 0, 12))
    expect(new Set(ivs).size).toBe(made.length)
  })

  it('are restarted one after another under load, and no call fails', { timeout: 300_000 }, async () => {
    const { token } = vault.admin
    const failed: string[] = []
    let answered = 0
    const clients = Array.from({ length: writers }, () => machines.client(token))
    const use = async (writer: number, round: number): Promise<void> => {
      const client = clients[writer]
      const name = `rolled-${round % 4}`
      if (client === undefined) return
      const sealed = await attempt(client, 'POST', `/transparent/${vault.id}/encrypt/${name}`, { plaintext: 'AAAA' })
      const [done] = doneOf([sealed])
      if (done === undefined) return void failed.push(verdict(sealed))
      const ciphertext = said(done, 'ciphertext')
      const opened = await attempt(client, 'POST', `/transparent/${vault.id}/decrypt/${name}`, { ciphertext })
      if (doneOf([opened]).length === 0) failed.push(verdict(opened))
      answered += 2
    }
    await under(writers, use, async () => {
      for (const machine of machines.all) {
        await machine.stop()
        await machine.start()
        await machines.ready(machine)
      }
    })
    expect(failed).toEqual([])
    expect(answered).toBeGreaterThan(100)
  })

  it('lose nothing that was acknowledged, where one is killed at any moment', { timeout: 300_000 }, async () => {
    const { token } = vault.admin
    const kept: { id: string; ciphertext: string; plaintext: string }[] = []
    const requests: string[] = []
    const write = async (writer: number, round: number): Promise<void> => {
      const client = machines.client(token)
      const made = await attempt(client, 'POST', '/vault', { vaultname: `Storm ${writer} ${round}` })
      const [vaultMade] = doneOf([made])
      if (vaultMade !== undefined) {
        requests.push(requestIdOf(vaultMade))
        const id = vaultIdOf(vaultMade)
        const plaintext = Buffer.from(`${writer} ${round}`).toString('base64')
        const [sealed] = doneOf([await attempt(client, 'POST', `/transparent/${id}/encrypt/new`, { plaintext })])
        if (sealed !== undefined) {
          requests.push(requestIdOf(sealed))
          kept.push({ id, ciphertext: said(sealed, 'ciphertext'), plaintext })
        }
      }
      client.close()
    }
    for (const victim of machines.all.slice(1)) {
      const enough = kept.length + 20
      await under(writers, write, async () => {
        while (kept.length < enough) await new Promise((resolve) => setTimeout(resolve, 20))
        await victim.stop('SIGKILL')
      })
      await victim.start()
      await machines.ready(victim)
    }
    for (const machine of machines.all) {
      const client = machine.client(token)
      for (const { id, ciphertext, plaintext } of kept) {
        const { CALLINFO } = await client.must('POST', `/transparent/${id}/decrypt/new`, { ciphertext })
        expect(CALLINFO['plaintext']).toBe(plaintext)
      }
    }
    const recorded = machines.all.map(({ trail }) => outcomesIn(trail))
    expect(requests.filter((id) => !recorded.some((trail) => trail.get(id)?.includes('allowed')))).toEqual([])
  })

  it('have trails that one command verifies together', async () => {
    const [{ configFile } = { configFile: '' }] = machines.all
    const folders = machines.all.flatMap(({ trail }) => ['--directory', trail])
    const verified = await strongroom(configFile, ['audit', 'verify', ...folders, '--all-machines'])
    expect(verified).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Nothing was changed, removed or added'),
    })
    const alone = await strongroom(configFile, ['audit', 'verify'])
    expect(alone).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/the trail of machine machine2 [^]*the trail of machine machine3 /),
    })
  })
})
