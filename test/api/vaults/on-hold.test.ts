import { beforeAll, describe, expect, it } from 'vitest'
import { totpCode } from '../../support/hardware-token.ts'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { onBothDatabases } from '../../support/both-databases.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { verdict } from '../../support/fault-kit.ts'
import { eventsOf } from '../../support/trail.ts'
import { makeVault } from '../../support/vault.ts'

const passphrase = 'eleven grey lanterns over snow'

interface Member {
  readonly id: string
  readonly passphrase_by?: string
  readonly resting?: { readonly since: string; readonly by: readonly string[]; readonly recovery: string }
}

/** Memberships of users who got a factor or pass phrase from somebody else. */
function restAndAreConfirmed(start: () => Promise<TestAppliance>): void {
  const appliance = applianceForTests(start)
  const vault = vaultForTests(appliance)
  let administrator: { user: TestUser; client: TestClient }

  beforeAll(async () => {
    administrator = await newAdministrator()
  })

  async function newAdministrator() {
    const user = await appliance.addUser(['read', 'createVault', 'admin', 'active'])
    return { user, client: await appliance.login(user) }
  }

  async function givenMember(permission: 'Read' | 'Write' | 'Admin' = 'Write', of = vault) {
    const user = await appliance.addUser()
    await of.share(String(user.id), permission)
    return { user, client: await appliance.login(user), path: `/vault/${of.id}/member/${user.id}` }
  }

  const reset = (user: TestUser, by = administrator.client) =>
    by.call('PUT', `/user/${user.id}/passphrase`, { body: { newpassphrase: passphrase } })
  const changeOwn = (client: TestClient, user: TestUser, newpassphrase: string) =>
    client.must('PUT', '/auth/passphrase', {
      passphrase: user.passphrase,
      newpassphrase,
      otp: user.hardwareToken.press(),
    })
  /** The warnings of a login. */
  const warned = async (user: TestUser) => {
    const { CALLINFO } = await appliance.client().must('POST', '/auth', { ...appliance.credentials(user), passphrase })
    return (CALLINFO['audit'] as { warnings: object }).warnings
  }
  const logIn = (user: TestUser) => appliance.login({ ...user, passphrase })
  const listed = async (user: TestUser, of = vault): Promise<Member | undefined> => {
    const { CALLINFO } = await of.admin.must('GET', `/vault/${of.id}/members`)
    return (CALLINFO['vaultmembers'] as Member[]).find(({ id }) => id === String(user.id))
  }
  const confirm = (path: string, members: object = {}, by = vault.admin) => by.post(`${path}/confirm`, members)

  it('rest until another Admin confirms them, and both acts name both people', async () => {
    const { user, path } = await givenMember()
    const before = Date.now()
    const { json } = await reset(user)
    expect(json.CALLINFO.general).toEqual([expect.stringContaining('one vault is on hold')])
    const client = await logIn(user)
    const advice = expect.stringMatching(
      /^Your membership in one vault is on hold.*another Admin of the vault has to confirm you/,
    ) as unknown
    const refused = await client.get(`/vault/${vault.id}`)
    expectFault(refused, 403, 1302)
    expect(refused.json.ERRORS?.[0]).toContain('another Admin of the vault has to confirm you')
    const list = await client.must('GET', '/vault')
    expect([list['VAULTS'], list.CALLINFO.general]).toEqual([[], [advice]])

    expect(await warned(user)).toMatchObject({ memberships_resting: advice })

    const by = String(administrator.user.id)
    const row = await listed(user)
    expect(row).toMatchObject({ passphrase_by: by, resting: { by: [by], recovery: '1' } })
    expect(Date.parse(row?.resting?.since ?? '')).toBeGreaterThanOrEqual(before)
    expect((await confirm(path)).json.CALLINFO['message']).toBe('User confirmed')
    expect(await listed(user)).not.toHaveProperty('resting')
    expect((await client.must('GET', '/vault'))['VAULTS']).toMatchObject([{ id: vault.id, status: '2' }])
    expect(await warned(user)).not.toHaveProperty('memberships_resting')
    expectFault(await confirm(path), 409, 1407)
    expect(await listed(user)).toMatchObject({ passphrase_by: by })
    await changeOwn(client, { ...user, passphrase }, 'twelve green kettles in the attic')
    expect(await listed(user)).not.toHaveProperty('passphrase_by')

    const target = `user ${user.id}`
    const told = eventsOf(appliance).filter(({ subject }) => subject === target)
    expect(told).toContainEqual(
      expect.objectContaining({ operation: 'user.passphrase', outcome: 'allowed', userId: administrator.user.id }),
    )
    expect(told).toContainEqual(
      expect.objectContaining({ operation: 'vault.member.confirm', outcome: 'allowed', vault: vault.id }),
    )
  })

  it('are confirmed by an Admin alone, of the vault, for a member, and for what the Admin knows of', async () => {
    const { user, path } = await givenMember()
    await reset(user)
    for (const permission of ['Read', 'Write'] as const)
      expectFault(await confirm(path, {}, (await givenMember(permission)).client), 403, 1301)
    expectFault(await confirm(path, {}, administrator.client), 404, 1400)
    expectFault(await confirm(`/vault/${vault.id}/member/${administrator.user.id}`), 404, 1405)
    await administrator.client.must('POST', `/user/${user.id}/otp`, { kind: 'totp' })
    expectFault(await confirm(path, { recovery: '1' }), 409, 1906)
    expect((await listed(user))?.resting).toMatchObject({ recovery: '2' })
    expect(verdict(await confirm(path, { recovery: 2 }))).toBe('done')
  })

  it('do not rest for what a user does himself, nor for what gives nothing to log in with', async () => {
    const { user, client } = await givenMember()
    await changeOwn(client, user, passphrase)
    const { otpdevices } = (await administrator.client.must('GET', `/user/${user.id}/otp`)).CALLINFO
    const { id, public_id: held } = (otpdevices as { id: string; kind: string; public_id: string }[])[0] ?? {}
    await administrator.client.must('PUT', `/user/${user.id}`, { otpprefix: held, fullname: 'Another Name' })
    await administrator.client.must('DELETE', `/user/${user.id}/otp/${id}`)
    expect((await client.must('GET', '/vault'))['VAULTS']).toMatchObject([{ id: vault.id }])
    expect(await listed(user)).not.toHaveProperty('resting')
  })

  it('of a new user do not rest for who made the user, until the first login, and do for others', async () => {
    const create = async () => {
      const username = `fresh-${Math.random().toString(36).slice(2, 10)}`
      const body = { username, fullname: 'Fresh User', email: 'fresh@example.test', status: [0, 7], passphrase }
      const { CALLINFO } = await administrator.client.must('POST', '/user', body)
      const user = { id: Number(CALLINFO['id']), username } as TestUser
      await vault.share(String(user.id), 'Read')
      return user
    }
    const enrol = async (user: TestUser, by = administrator.client) =>
      String((await by.must('POST', `/user/${user.id}/otp`, { kind: 'totp' })).CALLINFO['secret'])
    const user = await create()
    await reset(user)
    const otp = totpCode(await enrol(user))
    const login = { username: user.username, passphrase, apikey: appliance.applicationKey, logintype: 'totp', otp }
    const client = appliance.client((await appliance.client().must('POST', '/auth', login)).CALLINFO.token)
    expect((await client.must('GET', '/vault'))['VAULTS']).toMatchObject([{ id: vault.id }])
    await enrol(user)
    expect(verdict(await client.get('/vault'))).toBe('403 1200')
    expect(await listed(user)).toHaveProperty('resting')

    const another = await create()
    await enrol(another, (await newAdministrator()).client)
    expect(await listed(another)).toHaveProperty('resting')
  })

  it('leave their vault no Admin who could go, and are confirmed by being admitted anew', async () => {
    const own = await makeVault(appliance)
    const { user, path } = await givenMember('Admin', own)
    await reset(user)
    const { CALLINFO } = await own.admin.must('GET', `/vault/${own.id}/members`)
    const first = (CALLINFO['vaultmembers'] as Member[]).find(({ id }) => id !== String(user.id))
    expectFault(await own.admin.call('DELETE', `/vault/${own.id}/member/${first?.id}`), 409, 1403)
    await own.admin.must('DELETE', path)
    await own.admin.must('POST', path, { status: 4 })
    expect(await listed(user, own)).not.toHaveProperty('resting')
    expect(verdict(await (await logIn(user)).get(`/vault/${own.id}`))).toBe('done')
  })

  it('rest after a reset at the moment of a confirmation that did not know of it, in either order', async () => {
    const { user, path } = await givenMember()
    for (let round = 1; round <= 8; round++) {
      await reset(user)
      const seen = (await listed(user))?.resting?.recovery
      const [confirmed, again] = await Promise.all([confirm(path, { recovery: seen }), reset(user)])
      expect([verdict(again), ['done', '409 1906'].includes(verdict(confirmed))]).toEqual(['done', true])
      expect(await listed(user)).toHaveProperty('resting')
      expect(verdict(await confirm(path))).toBe('done')
    }
  })

  it('of two administrators who reset each other at once: neither confirms the other', async () => {
    for (let round = 0; round < 4; round++) {
      const [one, two] = [await newAdministrator(), await newAdministrator()]
      const [{ id }] = (await one.client.must('POST', '/vault', { vaultname: 'Both' }))['VAULT'] as [{ id: string }]
      await one.client.must('POST', `/vault/${id}/member/${two.user.id}`, { status: 4 })
      const [first, second] = await Promise.all([reset(two.user, one.client), reset(one.user, two.client)])
      const later = verdict(first) === 'done' ? two : one
      if ([first, second].some((answer) => verdict(answer) !== 'done')) {
        const other = later === two ? one : two
        const client = await logIn(later.user)
        expect(verdict(await reset(other.user, client))).toBe('done')
      }
      for (const [by, whom] of [
        [one, two],
        [two, one],
      ] as const) {
        const client = await logIn(by.user)
        expect(verdict(await client.post(`/vault/${id}/member/${whom.user.id}/confirm`))).toBe('403 1302')
      }
    }
  })
}

onBothDatabases('memberships', restAndAreConfirmed, {}, () => TestAppliance.shared())

describe('with users.recovery open', () => {
  it('memberships do not rest, sessions go on after an enrolment, and the trail names both people', async () => {
    const appliance = await TestAppliance.own({ users: { recovery: 'open' } })
    try {
      const vault = await makeVault(appliance)
      const user = await appliance.addUser()
      await vault.share(String(user.id), 'Read')
      const session = await appliance.login(user)
      const administrator = await appliance.login(await appliance.addUser(['admin', 'active']))
      const enrolled = await administrator.must('POST', `/user/${user.id}/otp`, { kind: 'totp' })
      expect(enrolled.CALLINFO.general).toEqual([])
      expect(verdict(await session.get(`/vault/${vault.id}`))).toBe('done')
      await administrator.must('PUT', `/user/${user.id}/passphrase`, { newpassphrase: passphrase })
      const client = await appliance.login({ ...user, passphrase })
      expect(verdict(await client.get(`/vault/${vault.id}`))).toBe('done')
      expect(eventsOf(appliance)).toContainEqual(
        expect.objectContaining({ operation: 'user.passphrase', subject: `user ${user.id}`, outcome: 'allowed' }),
      )
    } finally {
      await appliance.close()
    }
  })
})
