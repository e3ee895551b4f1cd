import { beforeAll, describe, expect, it } from 'vitest'
import type { TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import type { HardwareToken } from '../../support/hardware-token.ts'
import { makeVault } from '../../support/vault.ts'
import { releaseToken } from './release-token.ts'

const appliance = applianceForTests()
let chief: TestUser
let administrator: TestClient

beforeAll(async () => {
  chief = await appliance.addUser(['read', 'createVault', 'admin', 'audit', 'active'])
  administrator = await appliance.login(chief)
})

const edit = (id: number | string, body: unknown) => administrator.call('PUT', `/user/${id}`, { body })
const read = async (id: number): Promise<Record<string, string>> =>
  ((await administrator.must('GET', `/user/${id}`)).CALLINFO['users'] as [Record<string, string>])[0]
const registered = async (): Promise<{ owner: TestUser; token: HardwareToken }> => {
  const owner = await appliance.addUser()
  return { owner, token: owner.hardwareToken }
}

describe('PUT /user/:userid', () => {
  it('changes what is named and leaves the rest', async () => {
    const user = await appliance.addUser()
    const before = await read(user.id)
    const { status, json } = await edit(user.id, { fullname: 'Новое имя 🔑' })
    expect(status).toBe(200)
    expect(json.CALLINFO).toMatchObject({
      handler: 'UserHandler',
      calculated_status: 131,
      user_created: 'Новое имя 🔑',
      message: 'User updated',
    })
    expect(await read(user.id)).toEqual({ ...before, fullname: 'Новое имя 🔑' })
    const more = { username: `renamed-${user.id}`, email: `renamed-${user.id}@example.test`, status: [0, 7] }
    expect((await edit(user.id, more)).json.CALLINFO['calculated_status']).toBe(129)
    expect(await read(user.id)).toEqual({
      ...before,
      ...more,
      status: '129',
      bits: { 0: 'Read', 7: 'Active' },
      fullname: 'Новое имя 🔑',
    })
    expect((await administrator.must('GET', `/user/renamed-${user.id}`)).CALLINFO['users']).toHaveLength(1)
    expect((await administrator.must('GET', `/user/${user.username.slice(0, 15)}`)).CALLINFO['users']).toEqual([])
  })

  it('leaves out blanks around a full name', async () => {
    const user = await appliance.addUser()
    for (const [fullname, kept] of [
      [' Blank Ahead', 'Blank Ahead'],
      ['Blank Behind ', 'Blank Behind'],
      [`  ${'x'.repeat(64)}  `, 'x'.repeat(64)],
    ] as const) {
      const { status, json } = await edit(user.id, { fullname })
      expect([status, json.CALLINFO['user_created']]).toEqual([200, kept])
      expect(await read(user.id)).toMatchObject({ fullname: kept })
    }
  })

  it('is served for POST too, and changes nothing for an empty body', async () => {
    const user = await appliance.addUser()
    const before = await read(user.id)
    const { status, json } = await administrator.post(`/user/${user.id}`, { fullname: 'By POST' })
    expect([status, json.CALLINFO['user_created']]).toEqual([200, 'By POST'])
    expect((await edit(user.id, {})).status).toBe(200)
    expect(await read(user.id)).toEqual({ ...before, fullname: 'By POST' })
  })

  it('takes effect on open sessions at their next call', async () => {
    const user = await appliance.addUser(['createVault', 'active'])
    const session = await appliance.login(user)
    await edit(user.id, { status: [0, 7] })
    expectFault(await session.post('/vault', { vaultname: 'None' }), 403, 1300)
    await edit(user.id, { status: 3 })
    expectFault(await session.get('/vault'), 403, 1200)
    await edit(user.id, { status: '131' })
    expectFault(await session.get('/vault'), 403, 1200)
    expect((await (await appliance.login(user)).get('/vault')).status).toBe(200)
  })

  it('takes away no call and no login with Read: a published login has none', async () => {
    const user = await appliance.addUser()
    const session = await appliance.login(user)
    const vault = await makeVault(appliance, 'Without Read', session)
    expect((await edit(user.id, { status: [1, 7] })).json.CALLINFO['calculated_status']).toBe(130)
    await session.must('GET', `/vault/${vault.id}`)
    const again = await appliance.login(user)
    await again.must('POST', `/transparent/${vault.id}/encrypt/key`, { plaintext: 'AAAA' })
  })

  it('takes the login away with Active or Escrow, and leaves a rename its sessions', async () => {
    const user = await appliance.addUser()
    const session = await appliance.login(user)
    await edit(user.id, { username: `other-${user.id}` })
    expect((await session.get('/vault')).status).toBe(200)
    await edit(user.id, { status: [0, 4, 7] })
    expectFault(await session.get('/vault'), 403, 1200)
    const renamed = { ...user, username: `other-${user.id}` }
    expectFault(await appliance.client().post('/auth', appliance.credentials(renamed)), 403, 1201)
  })

  const bad: readonly (readonly [string, object, number])[] = [
    ['null for a username', { username: null }, 1804],
    ['a username of 4 characters', { username: 'abcd' }, 1702],
    ['a username with NUL for a letter', { username: 'person%00' }, 1702],
    ['an array for a fullname', { fullname: ['x'] }, 1804],
    ['a fullname with a tab', { fullname: 'Tab\there' }, 1702],
    ['a username with a plus', { username: 'bob+tag' }, 1702],
    ['a username with a blank', { username: 'bob tag' }, 1702],
    ['a username with a letter beyond ASCII', { username: 'bjørnson' }, 1702],
    ['a username with an apostrophe', { username: "o'brien" }, 1702],
    ['a username with a backslash', { username: 'DOM\\user' }, 1702],
    ['a fullname of four characters and a blank', { fullname: ' abcd' }, 1702],
    ['an email without an @', { email: 'abcde' }, 1702],
    ['an email with a blank in it', { email: 'a b@example.test' }, 1702],
    ['an email of 129 characters', { email: `${'x'.repeat(120)}@example.test` }, 1702],
    ['a number for an email', { email: 1 }, 1804],
    ['null for a status', { status: null }, 1804],
    ['bit 11', { status: [0, 7, 11] }, 1702],
    ['a status of text', { status: 'active' }, 1804],
    ['an otpprefix of 11 characters', { otpprefix: 'cccccccccc1' }, 1804],
    ['an otpprefix of 13 characters', { otpprefix: 'c'.repeat(13) }, 1804],
    ['an otpprefix that is no modhex', { otpprefix: 'aaaaaaaaaaaa' }, 1804],
    ['an otpprefix with a Kelvin sign', { otpprefix: `${'c'.repeat(11)}\u212a` }, 1804],
    ['an otpprefix with a line end', { otpprefix: `${'c'.repeat(12)}\n` }, 1804],
    ['null for an otpprefix', { otpprefix: null }, 1804],
    ['an array for an otpprefix', { otpprefix: ['c'.repeat(12)] }, 1804],
  ]
  it.each(bad)('refuses %s with 400', async (_what, body, code) => {
    const before = await read(chief.id)
    expectFault(await edit(chief.id, body), 400, code)
    expect(await read(chief.id)).toEqual(before)
  })

  it.each(['0', '-1', '01', '0x1', '1e1', 'abc', '99999', '9007199254740993', '9'.repeat(200), '1%00'])(
    'finds no user %s: 404 1700',
    async (id) => {
      expectFault(await edit(id, { fullname: 'Nobody' }), 404, 1700)
      expectFault(await administrator.call('DELETE', `/user/${id}`), 404, 1700)
    },
  )

  it('refuses a name that is taken, and lets a user keep his own in other letters', async () => {
    const [one, two] = [await appliance.addUser(), await appliance.addUser()]
    expectFault(await edit(one.id, { username: two.username.toUpperCase() }), 409, 1701)
    expect((await edit(one.id, { username: one.username.toUpperCase() })).status).toBe(200)
  })

  it('is for administrators, like DELETE', async () => {
    const user = await appliance.addUser(['read', 'createVault', 'audit', 'active'])
    const session = await appliance.login(user)
    for (const id of [user.id, chief.id]) {
      expectFault(await session.call('PUT', `/user/${id}`, { body: { status: [0, 1, 2, 7] } }), 403, 1300)
      expectFault(await session.call('DELETE', `/user/${id}`), 403, 1300)
    }
    expect(await read(user.id)).toMatchObject({ status: '139' })
  })
})

describe('otpprefix', () => {
  it('changes nothing for a token that the user holds: a record can be sent back whole', async () => {
    const { owner, token } = await registered()
    const before = await read(owner.id)
    for (const body of [before, { otpprefix: token.publicId }, { otpprefix: token.publicId.toUpperCase() }])
      expect((await edit(owner.id, body)).status).toBe(200)
    expect(await read(owner.id)).toEqual(before)
    expect((await appliance.client().post('/auth', appliance.credentials(owner))).status).toBe(200)
  })

  it('reads as several prefixes with commas between, which can be sent back, and be given at once', async () => {
    const { owner, token } = await registered()
    const others = [await registered(), await registered()]
    for (const other of others) await releaseToken(administrator, other.owner.id, other.token.publicId)
    const all = [token, ...others.map((other) => other.token)].map(({ publicId }) => publicId)
    const given = all.join(',')
    expect((await edit(owner.id, { otpprefix: given })).status).toBe(200)
    const record = await read(owner.id)
    expect(record['otpprefix']?.split(',').toSorted()).toEqual(all.toSorted())
    expect((await edit(owner.id, record)).status).toBe(200)
    expect((await edit(owner.id, { otpprefix: token.publicId })).status).toBe(200)
    expect(await read(owner.id)).toEqual(record)
  })

  it('takes no token away: the answer names those that it leaves out, and how they are removed', async () => {
    const { owner, token } = await registered()
    const other = await registered()
    await releaseToken(administrator, other.owner.id, other.token.publicId)
    await edit(owner.id, { otpprefix: other.token.publicId })
    const before = await read(owner.id)
    const notices = async (body: object): Promise<unknown[]> => (await edit(owner.id, body)).json.CALLINFO.general
    for (const [otpprefix, kept] of [
      ['', [token.publicId, other.token.publicId]],
      [token.publicId.toUpperCase(), [other.token.publicId]],
    ] as const) {
      const [notice, ...more] = await notices({ otpprefix })
      expect(more).toEqual([])
      for (const publicId of kept) expect(notice).toContain(publicId)
      if (otpprefix !== '') expect(notice).not.toContain(token.publicId)
      expect(notice).toContain(`DELETE /user/${owner.id}/otp/:deviceid`)
    }
    expect(await notices({ otpprefix: before['otpprefix'] })).toEqual([])
    expect(await notices({ fullname: 'No word of tokens' })).toEqual([])
    expect(await read(owner.id)).toEqual({ ...before, fullname: 'No word of tokens' })
    expect((await appliance.client().post('/auth', appliance.credentials(owner))).status).toBe(200)
  })

  it('of a user without a token can be sent back as it is read', async () => {
    const { owner, token } = await registered()
    await releaseToken(administrator, owner.id, token.publicId)
    const record = await read(owner.id)
    expect(record['otpprefix']).toBe('')
    expect((await edit(owner.id, record)).status).toBe(200)
    expect(await read(owner.id)).toEqual(record)
  })

  it('gives a token that was taken from its user to another, with its counter where it was', async () => {
    const { owner, token } = await registered()
    const used = appliance.credentials(owner)
    expect((await appliance.client().post('/auth', used)).status).toBe(200)
    await releaseToken(administrator, owner.id, token.publicId)
    expect(await read(owner.id)).toMatchObject({ otpprefix: '' })
    expectFault(await appliance.client().post('/auth', appliance.credentials(owner)), 403, 1201)

    const next = await appliance.addUser()
    await edit(next.id, { otpprefix: token.publicId.toUpperCase() })
    expect(await read(next.id)).toMatchObject({ otpprefix: `${token.publicId},${next.hardwareToken.publicId}` })
    const credentials = { ...appliance.credentials(next), otp: used['otp'] }
    expectFault(await appliance.client().post('/auth', credentials), 403, 1201)
    expect((await appliance.client().post('/auth', { ...credentials, otp: token.press() })).status).toBe(200)
  })

  it('of an unregistered token is refused, with the way to register it', async () => {
    const answer = await edit(chief.id, { otpprefix: 'cccccccccccc' })
    expectFault(answer, 404, 1720)
    expect(answer.json.ERRORS?.[0]).toContain('strongroom otp enroll')
    expect(answer.json.ERRORS?.[0]).toContain(`POST /user/${chief.id}/otp`)
  })

  it('of a token that another user holds is refused, with everything else of the call', async () => {
    const { token } = await registered()
    const user = await appliance.addUser()
    const before = await read(user.id)
    expectFault(await edit(user.id, { otpprefix: token.publicId, fullname: 'Not saved' }), 409, 1703)
    expect(await read(user.id)).toEqual(before)
  })

  it('is taken three times per user, also by calls at the same moment', async () => {
    const prefixes: string[] = []
    for (let round = 0; round < 4; round++) {
      const { owner, token } = await registered()
      await releaseToken(administrator, owner.id, token.publicId)
      prefixes.push(token.publicId)
    }
    const user = await appliance.addUser()
    const answers = await Promise.all(prefixes.map((otpprefix) => edit(user.id, { otpprefix })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    for (const answer of answers.filter(({ status }) => status !== 200)) expectFault(answer, 409, 1704)
    expect((await read(user.id))['otpprefix']?.split(',')).toHaveLength(3)
  })

  it('of a row that was edited in the database is not sealed anew', async () => {
    const { owner, token } = await registered()
    const other = await registered()
    const setHolder = (userId: number | string) =>
      appliance.sql(`UPDATE otp_devices SET user_id = ${userId} WHERE public_id = '${token.publicId}'`)
    await setHolder('NULL')
    expectFault(await edit(chief.id, { otpprefix: token.publicId }), 503, 1903)
    await setHolder(other.owner.id)
    expect((await edit(other.owner.id, { otpprefix: token.publicId })).status).toBe(200)
    const stolen = { ...appliance.credentials(other.owner), otp: token.press() }
    expectFault(await appliance.client().post('/auth', stolen), 503, 1903)
    await setHolder(owner.id)
    expect((await appliance.client().post('/auth', appliance.credentials(owner))).status).toBe(200)
    expect((await read(other.owner.id))['otpprefix']).toBe(other.token.publicId)
  })
})

describe('the rules about capabilities', () => {
  it('let nobody raise himself, and everybody give up', async () => {
    const user = await appliance.addUser(['read', 'admin', 'active'])
    const session = await appliance.login(user)
    const own = (status: number[]) => session.call('PUT', `/user/${user.id}`, { body: { status } })
    for (const status of [
      [0, 1, 2, 7],
      [0, 2, 3, 7],
      [0, 2, 7, 8],
      [0, 4, 7],
    ])
      expectFault(await own(status), 400, 1702)
    expect((await own([0, 2, 7])).status).toBe(200)
    expect((await own([2, 6, 7])).status).toBe(200)
    expectFault(await own([2, 7]), 400, 1702)
    expect((await own([6, 7])).status).toBe(200)
    expectFault(await own([6, 7]), 403, 1300)
  })

  it('let an administrator raise others, to administrators too', async () => {
    const user = await appliance.addUser(['read', 'active'])
    expect((await edit(user.id, { status: [0, 1, 2, 3, 7] })).status).toBe(200)
    const raised = await appliance.login(user)
    expect((await raised.get('/user')).status).toBe(200)
    await administrator.must('DELETE', `/user/${user.id}`)
  })

  it('keep the last active administrator: not disabled, lowered or put in escrow, by anybody', async () => {
    const others = ((await administrator.must('GET', '/user')).CALLINFO['users'] as Record<string, string>[]).filter(
      ({ id, status }) => id !== String(chief.id) && (Number(status) & 132) === 132,
    )
    for (const { id } of others) await administrator.must('DELETE', `/user/${id}`)
    const before = await read(chief.id)
    for (const status of [[0, 1, 3, 7], [0, 1, 2, 3], [], 0, '0'])
      expectFault(await edit(chief.id, { status }), 400, 1702)
    expectFault(await administrator.call('DELETE', `/user/${chief.id}`), 400, 1702)
    await expect(appliance.services.users.disable(chief.username, appliance.commit)).rejects.toMatchObject({
      code: 'user.invalid',
    })
    expect(await read(chief.id)).toEqual(before)
  })
})

describe('DELETE /user/:userid', () => {
  it('clears Active, ends the sessions, and keeps the user', async () => {
    const user = await appliance.addUser()
    const session = await appliance.login(user)
    const { status, json } = await administrator.call('DELETE', `/user/${user.id}`)
    expect(status).toBe(200)
    expect(json.CALLINFO).toMatchObject({ handler: 'UserHandler', calculated_status: 3, message: 'User disabled' })
    expectFault(await session.get('/vault'), 403, 1200)
    expect(await read(user.id)).toMatchObject({ username: user.username, status: '3' })
    expect((await administrator.call('DELETE', `/user/${user.id}`)).status).toBe(200)
  })
})

it('the audit trail names who was changed and how, and no secret', async () => {
  const user = await appliance.addUser()
  await edit(user.id, { fullname: 'Watched Person', status: [0, 7] })
  const records = appliance.trail.join('')
  expect(records).toContain(`"subject":"user ${user.id}: fullname, status 129"`)
  expect(records).not.toContain('Watched Person')
})
