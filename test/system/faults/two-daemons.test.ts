import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createObject, formWith, readObject, server } from '../../support/object-kit.ts'
import type { TestAppliance, TestUser } from '../../support/appliance.ts'
import type { TestClient } from '../../support/client.ts'
import { totpCode } from '../../support/hardware-token.ts'
import type { MachineBeside } from '../../support/machine-beside.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { commandsBelow } from '../../support/processes.ts'
import { startTwoMachines, type TwoMachines } from '../../support/two-machines.ts'
import { makeVault } from '../../support/vault.ts'
import { attempt, eventually, outcomesIn, requestIdOf, vaultIdOf, verdict } from '../../support/fault-kit.ts'
import { repeats } from '../../support/release.ts'

/** Rounds of each race: enough for both orders of arrival. */
const rounds = repeats(5, 12)

const below = (pid: number): number[] => [...commandsBelow(pid).keys()].flatMap((child) => [child, ...below(child)])

describe.skipIf(!hasPostgres)('two daemons over one PostgreSQL and one token', () => {
  let machines: TwoMachines
  let appliance: TestAppliance
  let beside: MachineBeside

  beforeAll(async () => {
    machines = await startTwoMachines()
    appliance = machines.appliance
    beside = machines.beside
  })
  afterAll(() => machines.close())

  const elsewhere = (client?: TestClient): TestClient => machines.elsewhere(client)
  async function administrator(): Promise<{ user: TestUser; here: TestClient; there: TestClient }> {
    const user = await appliance.addUser(['read', 'createVault', 'admin', 'active'])
    const here = await appliance.login(user)
    return { user, here, there: elsewhere(here) }
  }

  it('use an OTP up once, whichever is shown it', async () => {
    const user = await appliance.addUser()
    for (let round = 0; round < rounds; round++) {
      const login = appliance.credentials(user)
      const shown = await Promise.all(
        [appliance.client(), elsewhere(), appliance.client(), elsewhere()].map((client) => client.post('/auth', login)),
      )
      expect(shown.map(verdict).toSorted()).toEqual(['403 1201', '403 1201', '403 1201', 'done'])
    }
    const login = { ...appliance.credentials(user), otp: totpCode(user.totpSecret), logintype: 'totp' }
    const shown = await Promise.all([appliance.client().post('/auth', login), elsewhere().post('/auth', login)])
    expect(shown.map(verdict).toSorted()).toEqual(['403 1201', 'done'])
  })

  it('see at their next call what the other has taken', async () => {
    const vault = await makeVault(appliance)
    const user = await appliance.addUser()
    await vault.share(String(user.id), 'Write')
    const there = elsewhere(await appliance.login(user))
    const id = await createObject(vault.admin, vault.id)
    expect((await readObject(there, id, '?decrypt=true')).crypted).toMatchObject({ password: server.password })
    await vault.share(String(user.id), 'Read')
    expect(verdict(await there.call('PUT', `/object/${id}`, { body: { info: 'x' } }))).toBe('403 1301')
    await vault.share(String(user.id), undefined)
    expect(verdict(await there.get(`/object/${id}?decrypt=true`))).toBe('404 1610')
    const { here } = await administrator()
    await here.must('DELETE', `/user/${user.id}`)
    expect(verdict(await there.post('/auth/check'))).toBe('403 1200')
  })

  it('of which one is stopped amid calls and goes on: it takes no OTP that the other has taken, and knows what is over', async () => {
    const vault = await makeVault(appliance)
    const users = [await appliance.addUser(), await appliance.addUser(), await appliance.addUser()]
    const [guest, leaver] = [await appliance.addUser(), await appliance.addUser()]
    await vault.share(String(guest.id), 'Write')
    const [guests, leavers] = [await appliance.login(guest), await appliance.login(leaver)]
    const logins = users.map((user) => appliance.credentials(user))
    const stopped = [appliance.pid, ...below(appliance.pid)]

    const begun = logins.map((login) => attempt(appliance.client(), 'POST', '/auth', login))
    // A slower machine only stops them sooner.
    await new Promise((resolve) => setTimeout(resolve, 100))
    for (const pid of stopped) process.kill(pid, 'SIGSTOP')
    const path = `/transparent/${vault.id}/encrypt/kept`
    const late = [attempt(guests, 'POST', path, { plaintext: 'AAAA' }), attempt(leavers, 'POST', '/auth/check')]
    await elsewhere(vault.admin).must('DELETE', `/vault/${vault.id}/member/${guest.id}`)
    await elsewhere(leavers).must('GET', '/auth/logout')
    const there = await Promise.all(logins.map((login) => attempt(elsewhere(), 'POST', '/auth', login)))
    for (const pid of stopped) process.kill(pid, 'SIGCONT')

    const here = await Promise.all(begun)
    for (const [index, one] of here.entries())
      expect(
        [one, there[index]].filter((answer) => answer !== undefined && verdict(answer) === 'done').length,
      ).toBeLessThan(2)
    for (const answer of await Promise.all(late)) expect(verdict(answer)).not.toBe('done')
    await eventually(async () => verdict(await attempt(appliance.client(), 'GET', '/authinfo/logintypes')) === 'done')
    const again = await Promise.all(logins.map((login) => attempt(appliance.client(), 'POST', '/auth', login)))
    const taken = [...here, ...there].filter((answer) => verdict(answer) === 'done').length
    expect(again.filter((answer) => verdict(answer) === 'done').length + taken).toBeLessThanOrEqual(users.length)
  })

  it('keep an Admin in a vault, an administrator, and a name for one', async () => {
    const [one, other] = [await administrator(), await administrator()]
    for (let round = 0; round < rounds; round++) {
      const id = vaultIdOf({ json: await one.here.must('POST', '/vault', { vaultname: 'Race' }) })
      await one.here.must('POST', `/vault/${id}/member/${other.user.id}`, { status: 4 })
      const left = await Promise.all([
        one.here.call('DELETE', `/vault/${id}/member/${other.user.id}`),
        other.there.call('PUT', `/vault/${id}/member/${one.user.id}`, { body: { status: 1 } }),
      ])
      expect(left.map(verdict).filter((one) => one === 'done')).toHaveLength(1)

      const username = `raced-${round}`
      const person = { username, fullname: 'Of a race', email: 'race@example.test', status: 129 }
      const made = await Promise.all(
        [one.here, other.there].map((client) =>
          client.post('/user', { ...person, passphrase: 'seven wooden lanterns on water' }),
        ),
      )
      expect(made.map(verdict).toSorted()).toEqual(['409 1701', 'done'])
    }
  })

  it('let an object and the deletion of its vault exclude each other, file or not', async () => {
    const { here, there } = await administrator()
    for (let round = 0; round < rounds; round++) {
      const id = vaultIdOf({ json: await here.must('POST', '/vault', { vaultname: 'Race' }) })
      const form = formWith({ groupid: id }, Buffer.alloc(400_000, 'raced'))
      const [made, gone] = await Promise.all([
        round % 2 === 0 ? there.call('POST', '/object', form) : there.post('/object', { ...server, groupid: id }),
        here.call('DELETE', `/vault/${id}`),
      ])
      expect([made, gone].filter(({ status }) => status === 200)).toHaveLength(1)
      expect(['done', '404 1400']).toContain(verdict(made))
      expect(['done', '409 1402']).toContain(verdict(gone))
      const kept = await appliance.store.query('SELECT 1 FROM vault_objects WHERE vault_id = $1', [id])
      expect(kept).toHaveLength(gone.status === 200 ? 0 : 1)
    }
  })

  it('delete a vault once, and say so once', async () => {
    const { here, there } = await administrator()
    for (let round = 0; round < rounds; round++) {
      const id = vaultIdOf({ json: await here.must('POST', '/vault', { vaultname: 'Race' }) })
      const answers = await Promise.all(
        [here, there, here, there].map((client) => client.call('DELETE', `/vault/${id}`)),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      const recorded = [appliance.config.audit.directory, beside.config.audit.directory].map(outcomesIn)
      const told = answers.flatMap((answer) => recorded.flatMap((trail) => trail.get(requestIdOf(answer)) ?? []))
      expect(told.filter((outcome) => outcome === 'allowed')).toHaveLength(1)
    }
    expect(await appliance.store.query('SELECT 1 FROM pending_destructions', [])).toEqual([])
  })

  it('keep both of two edits of one object', async () => {
    const vault = await makeVault(appliance)
    const there = elsewhere(vault.admin)
    const id = await createObject(vault.admin, vault.id)
    for (let round = 0; round < rounds; round++) {
      const [info, password] = [`info ${round}`, `password ${round}`]
      await Promise.all([
        vault.admin.must('PUT', `/object/${id}`, { info }),
        there.must('PUT', `/object/${id}`, { password }),
      ])
      expect(await readObject(there, id, '?decrypt=true')).toMatchObject({ public: { info }, crypted: { password } })
    }
  })

  it('keep all changes of one key: its rotations here and of its flags there', async () => {
    const vault = await makeVault(appliance)
    const there = elsewhere(vault.admin)
    const path = `/transparent/${vault.id}/keys`
    const [rotations, changes] = [3 * rounds, 2 * rounds]
    await vault.admin.must('POST', `${path}/raced`, { type: 'aes256-gcm96' })
    const rotate = async () => {
      for (let round = 0; round < rotations; round++) await vault.admin.must('POST', `${path}/raced/rotate`)
    }
    const change = async () => {
      const answers: string[] = []
      for (let round = 0; round < changes; round++) {
        const body = { allow_delete: round % 2 === 0, info: `round ${round}` }
        answers.push(verdict(await there.call('PUT', `${path}/raced`, { body })))
      }
      return answers
    }
    const [, answers] = await Promise.all([rotate(), change()])
    expect(answers).toEqual(Array.from({ length: changes }, () => 'done'))
    const { json } = await vault.admin.call('GET', `${path}/raced`)
    expect(json.CALLINFO).toMatchObject({ version: String(rotations + 1) })
  })
})
