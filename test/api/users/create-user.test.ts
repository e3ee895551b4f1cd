import { beforeAll, describe, expect, it } from 'vitest'
import type { TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { HardwareToken, totpCode } from '../../support/hardware-token.ts'
import { releaseToken } from './release-token.ts'

const appliance = applianceForTests()
let administrator: TestClient

beforeAll(async () => {
  administrator = await appliance.login(await appliance.addUser(['read', 'createVault', 'admin', 'active']))
})

const passphrase = 'seven wooden lanterns on the quay'
let made = 0
const fresh = (more: object = {}) => ({
  username: `person-${++made}`,
  fullname: `Person ${made}`,
  email: `person-${made}@example.test`,
  status: [0, 1, 7],
  passphrase,
  ...more,
})
const create = (body: unknown) => administrator.post('/user', body)
const login = (body: object) =>
  appliance.client().post('/auth', { passphrase, apikey: appliance.applicationKey, ...body })

/** An enrolled hardware token without a holder, whose last OTP was used. */
async function unheldToken(): Promise<HardwareToken> {
  const owner: TestUser = await appliance.addUser()
  await appliance.login(owner)
  await releaseToken(administrator, owner.id, owner.hardwareToken.publicId)
  return owner.hardwareToken
}

describe('POST /user', () => {
  it('makes a user with an authenticator app, whose seed is shown this once, and does not repeat the pass phrase', async () => {
    const body = fresh({ fullname: 'Åsa 🔑 Öberg', totp: true })
    const { status, json } = await create(body)
    expect(status).toBe(201)
    const id = json.CALLINFO['id']
    expect(json.CALLINFO).toMatchObject({
      handler: 'UserHandler',
      id: expect.stringMatching(/^\d+$/),
      user_created: body.fullname,
      calculated_status: 131,
      message: 'User created',
      general: [],
      user: [
        {
          id,
          username: body.username,
          fullname: body.fullname,
          email: body.email,
          status: '131',
          otpprefix: '',
          fingerprint: expect.stringMatching(/^[0-9A-F]{40}$/),
        },
      ],
    })
    expect(JSON.stringify(json)).not.toContain(passphrase)
    const otpauth = new URL(String(json.CALLINFO['otpauth']))
    const otp = totpCode(otpauth.searchParams.get('secret') ?? '')
    expect((await login({ username: body.username, otp, logintype: 'totp' })).status).toBe(200)
    expect(JSON.stringify(await administrator.get(`/user/${String(id)}`))).not.toContain('otpauth')
  })

  it('gives a user the hardware token that made the OTP, and uses that up', async () => {
    const token = await unheldToken()
    const otp = token.press()
    const body = fresh({ yubikey: otp.toUpperCase() })
    const { status, json } = await create(body)
    expect([status, json.CALLINFO['user']]).toMatchObject([201, [{ otpprefix: token.publicId }]])
    expect(json.CALLINFO).not.toHaveProperty('otpauth')
    expectFault(await login({ username: body.username, otp }), 403, 1201)
    expect((await login({ username: body.username, otp: token.press() })).status).toBe(200)
  })

  it('takes no OTP that is wrong, used, of an unknown token or of one that somebody holds, and then makes no user', async () => {
    const token = await unheldToken()
    const used = token.otpAt(token.useCounter, token.sessionUse)
    const holder = await appliance.addUser()
    const refused = [
      used,
      token.otpAt(token.useCounter, 200, { key: '00'.repeat(16) }),
      token.otpAt(token.useCounter, 200, { privateId: '00'.repeat(6) }),
      new HardwareToken().press(),
      token.press().slice(1),
      `${token.press()}\n`,
      '',
      holder.hardwareToken.press(),
    ]
    for (const yubikey of refused) {
      const body = fresh({ yubikey })
      expectFault(await create(body), 400, 1705)
      expect((await administrator.must('GET', `/user/${body.username}`)).CALLINFO['users']).toEqual([])
    }
  })

  it('gives one token to one of two users who are made with it at the same moment', async () => {
    const yubikey = (await unheldToken()).press()
    const answers = await Promise.all([create(fresh({ yubikey })), create(fresh({ yubikey }))])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400])
  })

  it('says when the user cannot log in yet, and takes both factors at once', async () => {
    const { json } = await create(fresh())
    expect(json.CALLINFO.general).toEqual([expect.stringContaining('second factor')])
    const both = await create(fresh({ yubikey: (await unheldToken()).press(), totp: 'true' }))
    expect(both.json.CALLINFO).toMatchObject({ otpauth: expect.stringContaining('otpauth://totp/'), general: [] })
  })

  const statuses: readonly (readonly [string, unknown, number])[] = [
    ['a list of bit numbers', [2, 3, 7], 140],
    ['the same bit twice', [0, 7, 7], 129],
    ['an empty list', [], 0],
    ['a bitmap', 131, 131],
    ['a bitmap in digits', '131', 131],
    ['the published 396', '396', 396],
    ['every bit but escrow', [0, 1, 2, 3, 6, 7, 8, 9], 975],
    ['an escrow account', [4, 7], 144],
  ]
  it.each(statuses)('takes %s as status', async (_what, status, bitmap) => {
    const { json } = await create(fresh({ status }))
    expect(json.CALLINFO).toMatchObject({ calculated_status: bitmap, user: [{ status: String(bitmap) }] })
  })

  const long = 'x'.repeat(1_000_000)
  const bad: readonly (readonly [string, object, number])[] = [
    ['no username', { username: undefined }, 1804],
    ['null for a username', { username: null }, 1804],
    ['a number for a username', { username: 12345 }, 1804],
    ['an array for a username', { username: ['person'] }, 1804],
    ['a username of 4 characters', { username: 'abcd' }, 1702],
    ['a username of 33 characters', { username: 'x'.repeat(33) }, 1702],
    ['a username of a megabyte', { username: long }, 1702],
    ['a username with a blank', { username: 'two words' }, 1702],
    ['a username with a letter beyond ASCII', { username: 'åsa.oberg' }, 1702],
    ['a username with a line break at its end', { username: 'person-x\n' }, 1702],
    ['no fullname', { fullname: undefined }, 1804],
    ['an object for a fullname', { fullname: {} }, 1804],
    ['a fullname of 4 characters', { fullname: '\u{1f511}'.repeat(4) }, 1702],
    ['a fullname of 65 characters', { fullname: '\u{1f511}'.repeat(65) }, 1702],
    ['a fullname with a bell', { fullname: 'Ding\u0007 Dong' }, 1702],
    ['no email', { email: undefined }, 1804],
    ['true for an email', { email: true }, 1804],
    ['an email of 4 characters', { email: 'a@bc' }, 1702],
    ['an email of 129 characters', { email: `${'x'.repeat(120)}@example.test` }, 1702],
    ['an email without @', { email: 'person.example' }, 1702],
    ['an email of two addresses', { email: 'a@example.test b@example.test' }, 1702],
    ['an email with a header in it', { email: 'a@example.test\r\nBcc: b@example.test' }, 1702],
    ['no passphrase', { passphrase: undefined }, 1804],
    ['null for a passphrase', { passphrase: null }, 1804],
    ['a passphrase of 11 characters', { passphrase: 'fjqz wvkx p' }, 1730],
    ['a passphrase of a megabyte', { passphrase: long }, 1730],
    ['no status', { status: undefined }, 1804],
    ['null for a status', { status: null }, 1804],
    ['true for a status', { status: true }, 1804],
    ['an object for a status', { status: { 7: true } }, 1804],
    ['a negative status', { status: -1 }, 1804],
    ['a status with a fraction', { status: 1.5 }, 1804],
    ['a huge status', { status: 2 ** 53 }, 1804],
    ['a hexadecimal status', { status: '0x83' }, 1804],
    ['an empty status', { status: '' }, 1804],
    ['a negative bit', { status: [-1] }, 1804],
    ['a text among the bits', { status: [0, '7'] }, 1804],
    ['a list in the list of bits', { status: [[7]] }, 1804],
    ['a list of a thousand bits', { status: Array.from({ length: 1_000 }, () => 7) }, 1804],
    ['bit 5 (Alarm), which is of objects', { status: [5, 7] }, 1702],
    ['bit 10 (Bad policy), which is of objects', { status: [7, 10] }, 1702],
    ['bit 11 (RADIUS), a login that is not offered', { status: 2444 }, 1702],
    ['bit 12', { status: [7, 12] }, 1702],
    ['bit 31', { status: [31] }, 1804],
    ['a bitmap of five digits', { status: '99999' }, 1702],
    ['an administrator in escrow', { status: [2, 4, 7] }, 1702],
    ['a number for a yubikey', { yubikey: 7 }, 1804],
    ['null for a yubikey', { yubikey: null }, 1804],
    ['a number for totp', { totp: 1 }, 1804],
    ['yes for totp', { totp: 'yes' }, 1804],
  ]
  it.each(bad)('refuses %s with 400', async (_what, members, code) => {
    expectFault(await create(fresh(members)), 400, code)
  })

  it('refuses a name that is taken, whatever its case', async () => {
    const body = fresh()
    expect((await create(body)).status).toBe(201)
    expectFault(await create({ ...body, username: body.username.toUpperCase() }), 409, 1701)
  })

  it('is for administrators', async () => {
    const other = await appliance.login()
    expectFault(await other.post('/user', fresh()), 403, 1300)
    expectFault(await appliance.client().post('/user', fresh()), 403, 1200)
  })
})
