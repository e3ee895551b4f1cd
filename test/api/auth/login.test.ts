import { operatorId } from '../../../src/access/confirmation.ts'
import { createHash, randomBytes } from 'node:crypto'
import { base32nopad } from '@scure/base'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { createServices } from '../../../src/daemon/services.ts'
import { twoWorkers, TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { HardwareToken, hotpCodes, totpCode } from '../../support/hardware-token.ts'

const appliance = applianceForTests(() => TestAppliance.own(twoWorkers))
let user: TestUser

beforeAll(async () => {
  user = await appliance.addUser(['read', 'createVault', 'admin', 'active'])
})

const auth = (body: unknown) => appliance.client().post('/auth', body)
const formB = (changes: Record<string, unknown> = {}) => ({ ...appliance.credentials(user), ...changes })

/** The first 160 bits of the SHA-256 of the public key. */
async function fingerprintOf({ id }: TestUser): Promise<string> {
  const [row] = await appliance.store.query<{ public_key: string }>('SELECT public_key FROM users WHERE id = $1', [id])
  const publicKey = Buffer.from(row?.public_key ?? '', 'base64')
  expect(publicKey.length).toBeGreaterThan(64)
  return createHash('sha256').update(publicKey).digest().subarray(0, 20).toString('hex').toUpperCase()
}

describe('POST /auth', () => {
  it('answers with the login result of the interface', async () => {
    const { status, json } = await auth(formB())
    expect(status).toBe(200)
    expect(json.CALLINFO).toEqual({
      errorcodes: 0,
      errors: 0,
      general: [],
      handler: 'AuthHandler',
      status: 'SUCCESS',
      token: expect.stringMatching(/^[A-Za-z0-9]{42}$/),
      fingerprint: await fingerprintOf(user),
      userid: String(user.id),
      password: '',
      userstatus: '135',
      username: user.username,
      fullname: expect.stringMatching(/^User \d+$/),
      timeout: 3_600_000,
      filesupport: 3,
      version: '2.1.0',
      audit: { violations: [], warnings: [] },
    })
  })

  it('makes the record of a pass phrase anew at the cost that is configured now, for any of many logins at once', async () => {
    const { store, hsm, config, commit } = appliance
    const dear = { ...config.login, argon2: { ...config.login.argon2, passes: 3 } }
    const unrecorded = { append: () => Promise.resolve() }
    const before = createServices({
      config: { ...config, login: dear },
      store,
      hsm,
      clock: systemClock,
      audit: unrecorded,
    })
    const known = await appliance.addUser()
    await before.passphraseChanges.reset(known.id, known.passphrase, operatorId, commit)
    const recordOf = async () =>
      (await store.query<object>('SELECT passphrase_cost, passphrase_check FROM users WHERE id = $1', [known.id]))[0]
    expect(await recordOf()).toMatchObject({ passphrase_cost: 'm=8192,t=3' })
    // Two devices, because an older OTP of one device could be overtaken by a newer one.
    const logins = ['totp', 'hwkey_otp'].map((logintype) =>
      auth({
        ...appliance.credentials(known),
        logintype,
        ...(logintype === 'totp' && { otp: totpCode(known.totpSecret) }),
      }),
    )
    expect((await Promise.all(logins)).map(({ status }) => status)).toEqual([200, 200])
    const renewed = await recordOf()
    expect(renewed).toMatchObject({ passphrase_cost: 'm=8192,t=1' })
    expect((await auth(appliance.credentials(known))).status).toBe(200)
    expect(await recordOf()).toEqual(renewed)
    expectFault(await auth({ ...appliance.credentials(known), passphrase: 'wrong wrong wrong' }), 403, 1201)
  })

  it('asks a user who must change the pass phrase to do so', async () => {
    const asked = await appliance.addUser(['read', 'changePassphrase', 'active'])
    const { status, json } = await auth(appliance.credentials(asked))
    expect(status).toBe(200)
    expect(json.CALLINFO['audit']).toEqual({
      violations: { passphrase_change: 'An administrator asks you to change your pass phrase.' },
      warnings: [],
    })
  })

  const forms: readonly (readonly [string, () => Record<string, unknown>])[] = [
    ['form B with hwkey_otp', () => formB()],
    ['form B with yubikey_otp', () => formB({ logintype: 'yubikey_otp' })],
    ['form B without logintype', () => formB({ logintype: undefined })],
    [
      'form A',
      () => ({
        username: user.username,
        keys: user.passphrase + appliance.applicationKey + user.hardwareToken.press(),
      }),
    ],
    [
      'form A with apikey again',
      () => ({
        username: user.username,
        keys: user.passphrase + appliance.applicationKey + user.hardwareToken.press(),
        apikey: appliance.applicationKey,
      }),
    ],
    ['another case of the user name', () => formB({ username: user.username.toUpperCase() })],
    ['an OTP typed with caps lock', () => formB({ otp: user.hardwareToken.press().toUpperCase() })],
    ['unknown members beside', () => formB({ colour: 'red' })],
  ]
  it.each(forms)('accepts %s', async (_what, body) => {
    const { status, json } = await auth(JSON.parse(JSON.stringify(body())))
    expect([status, json.CALLINFO.status]).toEqual([200, 'SUCCESS'])
  })

  it('accepts a TOTP code in form B, and in form A', async () => {
    const [one, two] = [await appliance.addUser(), await appliance.addUser()]
    const b = await auth({
      username: one.username,
      passphrase: one.passphrase,
      apikey: appliance.applicationKey,
      otp: totpCode(one.totpSecret),
      logintype: 'totp',
    })
    const a = await auth({
      username: two.username,
      keys: two.passphrase + appliance.applicationKey + totpCode(two.totpSecret),
    })
    expect([b.status, a.status]).toEqual([200, 200])
  })

  it.each([7, 8] as const)('accepts a code of %i digits in form A', async (digits) => {
    const one = await appliance.addUser()
    const seed = randomBytes(20)
    const secret = base32nopad.encode(seed)
    await appliance.services.enrolments.enrolCodes(one, { kind: 'hotp', digits, seed }, operatorId, appliance.commit)
    const [code = ''] = hotpCodes(secret, 0, { digits })
    expect(code).toHaveLength(digits)
    expect(
      (await auth({ username: one.username, keys: one.passphrase + appliance.applicationKey + code })).status,
    ).toBe(200)
  })

  const stranger = new HardwareToken()
  const wrong: readonly (readonly [string, () => Record<string, unknown> | Promise<Record<string, unknown>>])[] = [
    ['an unknown user', () => formB({ username: 'nobody-here' })],
    ['a wrong pass phrase', () => formB({ passphrase: `${user.passphrase}!` })],
    ['an empty pass phrase', () => formB({ passphrase: '' })],
    ['a wrong application key', () => formB({ apikey: 'AAAAAAAAAA' })],
    ['an OTP of an unknown token', () => formB({ otp: stranger.press() })],
    ["an OTP of another user's token", async () => formB({ otp: (await appliance.addUser()).hardwareToken.press() })],
    ['an OTP under another key', () => formB({ otp: user.hardwareToken.otpAt(200, 1, { key: '00'.repeat(16) }) })],
    [
      'an OTP with another private id',
      () => formB({ otp: user.hardwareToken.otpAt(200, 1, { privateId: '00'.repeat(6) }) }),
    ],
    ['an OTP of 43 characters', () => formB({ otp: user.hardwareToken.press().slice(1) })],
    ['an OTP with a line end', () => formB({ otp: `${user.hardwareToken.press()}\n` })],
    [
      'an OTP with the Kelvin sign for k',
      () => formB({ otp: user.hardwareToken.press().replace(/[bcdefghijklnrtuv]/, '\u212a') }),
    ],
    ['letters for a TOTP code', () => formB({ otp: 'abcdef', logintype: 'totp' })],
    ['a TOTP code of five digits', () => formB({ otp: '12345', logintype: 'totp' })],
    ['a wrong TOTP code', () => formB({ otp: '000000', logintype: 'totp' })],
    [
      'a TOTP code of the day before',
      () => formB({ otp: totpCode(user.totpSecret, Math.floor(Date.now() / 1000) - 86_400), logintype: 'totp' }),
    ],
    ['form A that is too short', () => ({ username: user.username, keys: 'short' })],
    [
      'form A beside another application key',
      () => ({
        username: user.username,
        keys: user.passphrase + appliance.applicationKey + user.hardwareToken.press(),
        apikey: 'AAAAAAAAAA',
      }),
    ],
    [
      'form A without an application key',
      () => ({ username: user.username, keys: user.passphrase + user.hardwareToken.press() }),
    ],
  ]
  it.each(wrong)('refuses %s, in the same words', async (_what, body) => {
    const answer = await auth(await body())
    expectFault(answer, 403, 1201)
    expect(answer.json.ERRORS).toEqual([
      'The login failed: check user name, pass phrase, application key and second factor.',
    ])
    expect(answer.json.CALLINFO).not.toHaveProperty('token')
  })

  const unusable: readonly (readonly [string, () => unknown, number])[] = [
    ['no username', () => formB({ username: undefined }), 1804],
    ['a number as username', () => formB({ username: 7 }), 1804],
    ['no otp', () => formB({ otp: undefined }), 1804],
    ['no apikey', () => formB({ apikey: undefined }), 1804],
    ['an unknown logintype', () => formB({ logintype: 'magic' }), 1804],
    ['an over-long pass phrase', () => formB({ passphrase: 'x'.repeat(2000) }), 1804],
    ['an array for the OTP', () => formB({ otp: [user.hardwareToken.press()] }), 1804],
    ['smartcard, which is not enabled', () => formB({ logintype: 'smartcard' }), 1203],
  ]
  it.each(unusable)('says what is wrong with %s', async (_what, body, code) => {
    expectFault(await auth(JSON.parse(JSON.stringify(body()))), 400, code)
  })

  it('refuses a disabled user, a revoked key, and their sessions at once', async () => {
    const leaver = await appliance.addUser()
    const session = await appliance.login(leaver)
    await appliance.services.users.disable(leaver.username, appliance.commit)
    expectFault(await session.post('/auth/check'), 403, 1200)
    expectFault(await auth(appliance.credentials(leaver)), 403, 1201)

    const { key } = await appliance.services.applicationKeys.create('leaving', appliance.commit)
    const { json } = await auth(formB({ apikey: key }))
    const opened = appliance.client(json.CALLINFO.token)
    await appliance.services.applicationKeys.revoke('leaving', appliance.commit)
    expectFault(await opened.post('/auth/check'), 403, 1200)
    expectFault(await auth(formB({ apikey: key })), 403, 1201)
  })
})

describe('one use of an OTP', () => {
  it('of a hardware token: one of 50 parallel tries, over both workers', async () => {
    const one = await appliance.addUser()
    const body = appliance.credentials(one)
    const answers = await Promise.all(Array.from({ length: 50 }, () => auth(body)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(49)
  })

  it('of a TOTP step: one of 50 parallel tries', async () => {
    const one = await appliance.addUser()
    const body = { ...appliance.credentials(one), otp: totpCode(one.totpSecret), logintype: 'totp' }
    const answers = await Promise.all(Array.from({ length: 50 }, () => auth(body)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(49)
  })

  it('is used up by a login with a wrong pass phrase', async () => {
    const one = await appliance.addUser()
    const body = appliance.credentials(one)
    expectFault(await auth({ ...body, passphrase: 'wrong wrong wrong' }), 403, 1201)
    expectFault(await auth(body), 403, 1201)
  })

  it('refuses lower counters, and does not mind the caps-lock bit', async () => {
    const one = await appliance.addUser()
    const token = one.hardwareToken
    const tryAt = async (useCounter: number, sessionUse: number) =>
      (await auth({ ...appliance.credentials(one), otp: token.otpAt(useCounter, sessionUse) })).status
    expect(await tryAt(5, 3)).toBe(200)
    expect(await tryAt(5, 3)).toBe(403)
    expect(await tryAt(5, 2)).toBe(403)
    expect(await tryAt(4, 200)).toBe(403)
    expect(await tryAt(0x8005, 4)).toBe(200)
    expect(await tryAt(5, 5)).toBe(200)
    expect(await tryAt(6, 0)).toBe(200)
  })

  it('is remembered over a kill of everything', async () => {
    const one = await appliance.addUser()
    const body = appliance.credentials(one)
    expect((await auth(body)).status).toBe(200)
    await appliance.restart('SIGKILL')
    expectFault(await auth(body), 403, 1201)
    expect((await auth(appliance.credentials(one))).status).toBe(200)
  })
})

it('takes the codes of HOTP tokens where apps are disabled, whatever the client calls them', async () => {
  const own = await TestAppliance.own({ login: { types: ['hwkey_otp'] } })
  onTestFinished(() => own.close())
  const holder = await own.addUser()
  const { username, passphrase } = holder
  const { secret } = await own.services.enrolments.enrolCodes(holder, { kind: 'hotp' }, operatorId, own.commit)
  const [first = '', second = '', third = ''] = hotpCodes(secret, 0, { count: 3 })
  const log = (members: object) => own.client().post('/auth', { username, apikey: own.applicationKey, ...members })
  for (const members of [
    { passphrase, otp: first, logintype: 'totp' },
    { passphrase, otp: second },
    { keys: passphrase + own.applicationKey + third },
  ])
    expect((await log(members)).json.ERRORS).toBeUndefined()
  const code = totpCode(holder.totpSecret)
  expectFault(await log({ passphrase, otp: code, logintype: 'totp' }), 403, 1201)
  expectFault(await log({ passphrase, otp: 'no code', logintype: 'totp' }), 400, 1203)
})

describe('GET /authinfo/logintypes', () => {
  it('lists what is enabled, without a token', async () => {
    const { status, json } = await appliance.client().get('/authinfo/logintypes')
    expect(status).toBe(200)
    expect(json.CALLINFO).toEqual({
      errorcodes: 0,
      errors: 0,
      general: [],
      handler: 'AuthInfoHandler',
      status: 'SUCCESS',
      enabled_login_types: [['totp', 'hwkey_otp']],
    })
    expect(json.DATA).toEqual([])
  })
})
