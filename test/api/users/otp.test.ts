import { beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type Answer, type TestClient } from '../../support/client.ts'
import { HardwareToken, hotpCodes, totpCode } from '../../support/hardware-token.ts'
import { scanned } from '../../support/qr-reader.ts'
import { makeVault } from '../../support/vault.ts'

const appliance = applianceForTests(() =>
  TestAppliance.own({ login: { freeAttempts: 5, argon2: { memoryKiB: 8192, passes: 1 } } }),
)
let admin: TestClient
/** A user who may have one more token, to whom nothing is given. */
let bystander: TestUser

beforeAll(async () => {
  admin = await appliance.login(await appliance.addUser(['read', 'admin', 'active']))
  bystander = await appliance.addUser()
})

const path = (user: Pick<TestUser, 'id'>, ...more: (string | number)[]) => ['/user', user.id, 'otp', ...more].join('/')
// Sent as raw text, because the test client would expect all of it in DATA.
const send = (method: string, to: string, body: unknown, client = admin): Promise<Answer> =>
  client.call(method, to, { raw: JSON.stringify(body) })
const enrol = (user: Pick<TestUser, 'id'>, body: unknown, client = admin) => send('POST', path(user), body, client)
const logIn = async (user: TestUser, otp: string, logintype = 'totp') =>
  (await appliance.client().post('/auth', { ...appliance.credentials(user), otp, logintype })).status
const devicesOf = async (user: Pick<TestUser, 'id'>) =>
  (await admin.must('GET', path(user))).CALLINFO['otpdevices'] as Record<string, string>[]
const secretsOf = (token: HardwareToken) => ({
  kind: 'hwkey_otp',
  public_id: token.publicId,
  private_id: token.privateId,
  secret: token.key,
})

describe('POST /user/:userid/otp', () => {
  it('makes a TOTP seed in the token, and shows it in this one answer', async () => {
    const user = await appliance.addUser()
    const { status, json } = await enrol(user, { kind: 'totp' })
    const { uri, secret, qr, otpdevice } = json.CALLINFO as unknown as Record<string, string>
    expect(status).toBe(201)
    expect(json.CALLINFO.handler).toBe('UserHandler')
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(uri).toBe(`otpauth://totp/Strongroom:${user.username}?secret=${secret}&issuer=Strongroom`)
    expect(scanned(qr ?? '')).toBe(uri)
    expect(otpdevice).toEqual({
      id: expect.stringMatching(/^\d+$/),
      kind: 'totp',
      algorithm: 'sha1',
      digits: '6',
      period: '30',
      created: expect.stringMatching(/^20.*Z$/),
    })
    expect(await logIn(user, totpCode(secret ?? ''))).toBe(200)
    expect(JSON.stringify(await devicesOf(user))).not.toContain(secret)
  })

  it('gives an administrator one of their own by the session alone, and puts no membership on hold', async () => {
    const user = await appliance.addUser(['read', 'createVault', 'admin', 'active'])
    const client = await appliance.login(user)
    const { id } = await makeVault(appliance, 'Own', client)
    const { status, json } = await enrol(user, { kind: 'totp' }, client)
    expect([status, json.CALLINFO.general]).toEqual([201, []])
    expect(await logIn(user, totpCode(String(json.CALLINFO['secret'])))).toBe(200)
    expect((await client.get(`/vault/${id}`)).status).toBe(200)
  })

  it('makes a HOTP seed of the length of its hash, with everything in the URI', async () => {
    const user = await appliance.addUser()
    const { json } = await enrol(user, { kind: 'hotp', algorithm: 'SHA256', digits: '8', counter: 5 })
    const uri = new URL(String(json.CALLINFO['uri']))
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      secret: expect.stringMatching(/^[A-Z2-7]{52}$/),
      issuer: 'Strongroom',
      algorithm: 'SHA256',
      digits: '8',
      counter: '5',
    })
    expect(json.CALLINFO['otpdevice']).toMatchObject({ kind: 'hotp', algorithm: 'sha256', digits: '8' })
  })

  it('takes a seed that a token has already, and repeats it nowhere', async () => {
    const user = await appliance.addUser()
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
    const answer = await enrol(user, { kind: 'hotp', secret, counter: 7, colour: 'red' })
    expect(answer.status).toBe(201)
    expect(answer.json.DATA).toMatchObject({ kind: 'hotp', counter: 7, colour: 'red' })
    expect(JSON.stringify(answer.json)).not.toContain(secret)
    expect(await logIn(user, hotpCodes(secret, 7)[0] ?? '', 'hwkey_otp')).toBe(200)
    expect(await logIn(user, hotpCodes(secret, 7)[0] ?? '')).toBe(403)
    expectFault(await enrol(await appliance.addUser(), { kind: 'hotp', secret }), 409, 1703)
  })

  it('registers a hardware token, repeats none of its secrets, and gives it on by its public id', async () => {
    const [user, heir] = [await appliance.addUser(), await appliance.addUser()]
    const token = new HardwareToken()
    const answer = await enrol(user, secretsOf(token))
    expect([answer.status, answer.json.CALLINFO['otpdevice']]).toMatchObject([201, { public_id: token.publicId }])
    for (const secret of [token.key, token.privateId]) expect(JSON.stringify(answer.json)).not.toContain(secret)
    const used = token.press()
    expect(await logIn(user, used, 'hwkey_otp')).toBe(200)

    expectFault(await enrol(heir, { kind: 'hwkey_otp', public_id: token.publicId }), 409, 1703)
    expectFault(await enrol(heir, secretsOf(token)), 409, 1703)
    const id = (await devicesOf(user)).find((device) => device['public_id'] === token.publicId)?.['id'] ?? ''
    await admin.must('DELETE', path(user, id))
    expect(await logIn(user, token.press(), 'hwkey_otp')).toBe(403)
    expect((await enrol(heir, { kind: 'hwkey_otp', public_id: token.publicId })).status).toBe(201)
    expect(await logIn(heir, used, 'hwkey_otp')).toBe(403)
    expect(await logIn(heir, token.press(), 'hwkey_otp')).toBe(200)
    expect(await logIn(user, token.press(), 'hwkey_otp')).toBe(403)
  })

  it('gives a user three hardware tokens at most, and a token to one user, of many parallel tries', async () => {
    const [user, other] = [await appliance.addUser(), await appliance.addUser()]
    const tokens = Array.from({ length: 8 }, () => new HardwareToken())
    const answers = await Promise.all(tokens.map((token) => enrol(user, secretsOf(token))))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(6)
    expect((await devicesOf(user)).filter(({ kind }) => kind === 'hwkey_otp')).toHaveLength(3)

    const contested = new HardwareToken()
    const race = await Promise.all(
      Array.from({ length: 8 }, (_, at) => enrol(at % 2 ? bystander : other, secretsOf(contested))),
    )
    expect(race.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(race.filter(({ status }) => status === 409)).toHaveLength(7)
  })

  it('gives a user five devices that make codes', async () => {
    const user = await appliance.addUser()
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => enrol(user, { kind: at % 2 ? 'totp' : 'hotp' })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4)
    expectFault(await enrol(user, { kind: 'totp' }), 409, 1704)
  })

  const good = { totp: { kind: 'totp' }, hotp: { kind: 'hotp' }, hwkey_otp: secretsOf(new HardwareToken()) }
  const bad: readonly (readonly [string, Record<string, unknown>, number])[] = [
    ['no kind', { digits: 6 }, 1804],
    ['an unknown kind', { kind: 'u2f' }, 1804],
    ['null as kind', { kind: null }, 1804],
    ['an unknown hash', { ...good.totp, algorithm: 'md5' }, 1804],
    ['five digits', { ...good.totp, digits: 5 }, 1705],
    ['nine digits', { ...good.totp, digits: 9 }, 1705],
    ['minus six digits', { ...good.totp, digits: -6 }, 1804],
    ['half a digit', { ...good.totp, digits: 6.5 }, 1804],
    ['digits in hexadecimal', { ...good.totp, digits: '0x6' }, 1804],
    ['a period of 14 seconds', { ...good.totp, period: 14 }, 1705],
    ['a period of 121 seconds', { ...good.totp, period: '121' }, 1705],
    ['a period for HOTP', { ...good.hotp, period: 30 }, 1705],
    ['a counter for TOTP', { ...good.totp, counter: 0 }, 1705],
    ['a huge counter', { ...good.hotp, counter: 2 ** 40 }, 1705],
    ['a counter beyond numbers', { ...good.hotp, counter: 1e300 }, 1804],
    ['a secret that is no base32', { ...good.totp, secret: 'not base32!' }, 1705],
    ['a secret with four-byte characters', { ...good.totp, secret: '😀'.repeat(16) }, 1705],
    ['a short secret', { ...good.totp, secret: 'GEZDGNBVGY3TQOJQ' }, 1705],
    ['an empty secret', { ...good.totp, secret: '' }, 1705],
    ['a long secret', { ...good.totp, secret: 'A'.repeat(120) }, 1705],
    ['an endless secret', { ...good.totp, secret: 'A'.repeat(300) }, 1804],
    ['a number as secret', { ...good.totp, secret: 7 }, 1804],
    ['a public id for TOTP', { ...good.totp, public_id: 'cccccccccccc' }, 1705],
    ['digits for a hardware token', { ...good.hwkey_otp, digits: 6 }, 1705],
    ['no public id', { kind: 'hwkey_otp' }, 1804],
    ['a public id of 11 characters', { ...good.hwkey_otp, public_id: 'ccccccccccc' }, 1705],
    ['a public id in capitals', { ...good.hwkey_otp, public_id: 'CCCCCCCCCCCC' }, 1705],
    ['a public id with a line end', { ...good.hwkey_otp, public_id: 'cccccccccccc\n' }, 1705],
    ['a private id of 11 digits', { ...good.hwkey_otp, private_id: '0'.repeat(11) }, 1705],
    ['no private id', { ...good.hwkey_otp, private_id: undefined }, 1705],
    ['a secret of 31 digits', { ...good.hwkey_otp, secret: '0'.repeat(31) }, 1705],
    ['a secret of letters', { ...good.hwkey_otp, secret: 'z'.repeat(32) }, 1705],
  ]
  it.each(bad)('refuses %s, makes nothing, and repeats no secret', async (_what, body, code) => {
    const user = bystander
    const before = await devicesOf(user)
    const answer = await enrol(user, body)
    expectFault(answer, 400, code)
    expect(answer.json.DATA).not.toHaveProperty('secret')
    expect(answer.json.DATA).not.toHaveProperty('private_id')
    expect(await devicesOf(user)).toEqual(before)
  })

  it('knows no hardware token by its public id that was never enrolled', async () => {
    expectFault(await enrol(bystander, { kind: 'hwkey_otp', public_id: 'cccccccccccc' }), 404, 1720)
  })
})

describe('whose devices', () => {
  it('are visible to their user alone', async () => {
    const user = await appliance.addUser()
    const stranger = await appliance.login()
    const [device] = await devicesOf(user)
    const id = device?.['id'] ?? ''
    expectFault(await stranger.get(path(user)), 403, 1300)
    expectFault(await enrol(user, { kind: 'totp' }, stranger), 403, 1300)
    expectFault(await send('DELETE', path(user, id), {}, stranger), 403, 1300)
    expectFault(await send('PUT', path(user, id, 'resync'), { otp1: '123456', otp2: '123456' }, stranger), 403, 1300)
    expectFault(await send('GET', path(user), undefined, appliance.client()), 403, 1200)
    const other = await appliance.addUser()
    expectFault(await send('DELETE', path(other, id), {}), 404, 1720)
    expect(await devicesOf(user)).toHaveLength(2)
  })

  it.each(['0', '-1', '0x1', '99999999', '1e3', '9'.repeat(40), 'x', '%F0%9F%98%80', '%00'])(
    'unknown or malformed id %s: 404',
    async (id) => {
      expectFault(await admin.get(`/user/${id}/otp`), 404, 1700)
      expectFault(await send('POST', `/user/${id}/otp`, { kind: 'totp' }), 404, 1700)
      expectFault(await send('DELETE', path(bystander, id), {}), 404, 1720)
      const codes = { otp1: '123456', otp2: '123456' }
      expectFault(await send('PUT', path(bystander, id, 'resync'), codes), 404, 1720)
    },
  )
})

describe('DELETE /user/:userid/otp/:deviceid', () => {
  it('ends logins with it, destroys the seed, and can be done once', async () => {
    const user = await appliance.addUser()
    const { json } = await enrol(user, { kind: 'totp' })
    const { id } = json.CALLINFO['otpdevice'] as { id: string }
    const removed = await admin.must('DELETE', path(user, id))
    expect(removed.CALLINFO).toMatchObject({ message: 'Device removed', otpdevice: { id, kind: 'totp' } })
    expect(await logIn(user, totpCode(String(json.CALLINFO['secret'])))).toBe(403)
    expectFault(await send('DELETE', path(user, id), {}), 404, 1720)
    const [row] = await appliance.store.query('SELECT blob, seal, user_id FROM otp_devices WHERE id = $1', [id])
    expect(row).toEqual({ blob: '', seal: '', user_id: null })
  })
})

describe('PUT /user/:userid/otp/:deviceid/resync', () => {
  async function given(counter = 0) {
    const user = await appliance.addUser()
    const { json } = await enrol(user, { kind: 'hotp', counter })
    const { id } = json.CALLINFO['otpdevice'] as { id: string }
    const secret = String(json.CALLINFO['secret'])
    return {
      user,
      code: (at: number) => hotpCodes(secret, at)[0] ?? '',
      resync: (otp1: unknown, otp2: unknown) => send('PUT', path(user, id, 'resync'), { otp1, otp2 }),
    }
  }

  it('finds a token again that ran ahead, uses both codes up, and repeats neither', async () => {
    const { user, code, resync } = await given()
    expect(await logIn(user, code(60))).toBe(403)
    const answer = await resync(code(60), code(61))
    expect(answer.status).toBe(200)
    expect(answer.json.DATA).not.toHaveProperty('otp1')
    for (const used of [60, 61]) expect(await logIn(user, code(used))).toBe(403)
    expect(await logIn(user, code(62))).toBe(200)
  })

  it('never goes back, takes no two codes that are not neighbours, and looks a hundred ahead', async () => {
    const { user, code, resync } = await given(50)
    for (const [one, two] of [
      [48, 49],
      [49, 50],
      [52, 54],
      [150, 151],
    ] as const)
      expectFault(await resync(code(one), code(two)), 400, 1721)
    expect((await resync(code(149), code(150))).status).toBe(200)
    expect(await logIn(user, code(151))).toBe(200)
  })

  it('is one of many parallel tries with the same codes', async () => {
    const { code, resync } = await given()
    const answers = await Promise.all(Array.from({ length: 5 }, () => resync(code(30), code(31))))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('is no oracle: after some tries it waits', async () => {
    const { code, resync } = await given()
    for (let at = 0; at < 5; at++) expectFault(await resync('000000', '000000'), 400, 1721)
    const answer = await resync(code(0), code(1))
    expectFault(answer, 429, 1202)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  })

  it.each([undefined, null, 123456, '', '12345', '123456789', ' 123456', '１２３４５６', ['123456']])(
    'refuses %j as a code',
    async (otp) => {
      const { code, resync } = await given()
      expectFault(await resync(otp, code(1)), 400, 1804)
    },
  )

  it('refuses a device that is no HOTP token', async () => {
    const [totp] = await devicesOf(bystander).then((devices) => devices.filter(({ kind }) => kind === 'totp'))
    const to = path(bystander, totp?.['id'] ?? '', 'resync')
    expectFault(await send('PUT', to, { otp1: '123456', otp2: '123457' }), 400, 1705)
  })
})
