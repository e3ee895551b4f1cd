import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { ClientCa, type Card } from '../../support/client-pki.ts'
import { CardAppliance } from './card-kit.ts'

const ca = new ClientCa()
const refusal = 'The login failed: check user name, pass phrase, application key and second factor.'
let cards: CardAppliance
let card: Card
let user: TestUser

beforeAll(async () => {
  cards = await CardAppliance.start({ clientCa: ca.certificate })
  card = ca.issue('/C=SE/O=Example/OU=Vaults/OU=People/CN=Alice Example')
  user = await cards.holder(card)
})
afterAll(() => cards.close())

describe('GET /authinfo/smcuser', () => {
  it('names the user of the card', async () => {
    const { status, json } = await cards.holding(card).get('/authinfo/smcuser')
    expect(status).toBe(200)
    expect(json.CALLINFO).toEqual({
      errorcodes: 0,
      errors: 0,
      general: [],
      handler: 'AuthInfoHandler',
      status: 'SUCCESS',
      username: user.username,
      subject: { C: 'SE', O: 'Example', OU: ['Vaults', 'People'], CN: 'Alice Example' },
    })
    expect(json.DATA).toEqual([])
  })

  it('answers 401 as the interface has it, without a card and on the main listener', async () => {
    for (const client of [cards.holding(undefined), cards.appliance.client()]) {
      const answer = await client.get('/authinfo/smcuser')
      expectFault(answer, 401, 1740)
      expect(answer.json.CALLINFO).toEqual({
        errorcodes: 1,
        errors: 1,
        general: ['No valid certificate of an active user was found: present the registered one.'],
        handler: 'AuthInfoHandler',
        status: 'FAIL',
      })
    }
  })

  it('takes no session token, wherever it stands', async () => {
    const client = cards.holding(card)
    const session = await cards.appliance.login(user)
    const token = String(session.token)
    expectFault(await client.get('/authinfo/smcuser', { token }), 400, 1804)
    expectFault(await client.get(`/authinfo/smcuser?token=${token}`), 400, 1804)
    expectFault(await client.call('GET', '/authinfo/smcuser', { body: { token } }), 400, 1804)
    expect((await client.get('/authinfo/smcuser')).status).toBe(200)
  })
})

describe('a login by smartcard', () => {
  it.each(['smartcard', 'smc_rest'])('with logintype %s, and the session on either listener', async (logintype) => {
    const client = cards.holding(card)
    const { CALLINFO } = await client.must('POST', '/auth', { ...cards.credentials(user), logintype })
    expect(CALLINFO).toMatchObject({
      userid: String(user.id),
      username: user.username,
      audit: { violations: [], warnings: [] },
    })
    client.token = CALLINFO.token
    await client.must('POST', '/auth/check')
    await cards.appliance.client(CALLINFO.token).must('POST', '/auth/check')
    await client.must('GET', '/auth/logout')
  })

  it('warns when the certificate expires within 30 days', async () => {
    const soon = ca.issue('/CN=Soon', { validForMs: 29 * 86_400_000 })
    const holder = await cards.holder(soon)
    const { CALLINFO } = await cards.holding(soon).must('POST', '/auth', cards.credentials(holder))
    expect(CALLINFO['audit']).toEqual({
      violations: [],
      warnings: { certificate_expiry: expect.stringMatching(/expires on \d{4}-\d{2}-\d{2}/) },
    })
  })

  it('ends with its card: removal and replacement end all sessions, a second registration of the same does not', async () => {
    const first = ca.issue('/CN=First')
    const holder = await cards.holder(first)
    const open = async (one: Card) => {
      const { CALLINFO } = await cards.holding(one).must('POST', '/auth', cards.credentials(holder))
      return cards.appliance.client(CALLINFO.token)
    }
    const [one, byToken] = [await open(first), await cards.appliance.login(holder)]
    await cards.register(holder, first)
    for (const session of [one, byToken]) await session.must('POST', '/auth/check')
    const second = ca.issue('/CN=Second')
    await cards.register(holder, second)
    for (const session of [one, byToken]) expectFault(await session.post('/auth/check'), 403, 1200)
    const [other, byTokenAgain] = [await open(second), await cards.appliance.login(holder)]
    await cards.admin.must('DELETE', `/usercert/${holder.id}`)
    for (const session of [other, byTokenAgain]) expectFault(await session.post('/auth/check'), 403, 1200)
  })

  it('leaves no session behind when the card is removed amid many logins', async () => {
    const one = ca.issue('/CN=Racer')
    const holder = await cards.holder(one)
    const client = cards.holding(one)
    const logins = Array.from({ length: 12 }, () => client.post('/auth', cards.credentials(holder)))
    await Promise.race(logins)
    await cards.admin.must('DELETE', `/usercert/${holder.id}`)
    const opened = (await Promise.all(logins)).filter(({ status }) => status === 200)
    for (const { json } of opened)
      expectFault(await cards.appliance.client(json.CALLINFO.token).post('/auth/check'), 403, 1200)
  })

  it('lets its user change the pass phrase, with the card in place of the OTP', async () => {
    const own = ca.issue('/CN=Changer')
    const holder = await cards.holder(own)
    const client = cards.holding(own)
    client.token = (await client.must('POST', '/auth', cards.credentials(holder))).CALLINFO.token
    const newpassphrase = 'seven wooden lanterns on the quay'
    const { passphrase } = holder
    const put = (from: TestClient, body: object) =>
      from.call('PUT', '/auth/passphrase', {
        body: { passphrase, newpassphrase, ...body },
        token: client.token ?? null,
      })
    for (const other of [cards.appliance.client(), cards.holding(undefined), cards.holding(card)])
      expectFault(await put(other, { logintype: 'smartcard' }), 403, 1201)
    expectFault(await put(client, { logintype: 'smartcard', passphrase: 'wrong wrong wrong' }), 403, 1201)
    expectFault(await put(client, {}), 400, 1804)
    expect((await put(client, { logintype: 'smc_rest' })).status).toBe(200)
    await client.must('POST', '/auth', { ...cards.credentials(holder), passphrase: newpassphrase })
  })

  const wrong: readonly (readonly [string, Record<string, unknown>])[] = [
    ['an unknown user', { username: 'nobody-here' }],
    ['a wrong pass phrase', { passphrase: 'wrong wrong wrong' }],
    ['an empty pass phrase', { passphrase: '' }],
    ['a wrong application key', { apikey: 'AAAAAAAAAA' }],
  ]
  it.each(wrong)('is refused with %s, in the same words', async (_what, changes) => {
    const answer = await cards.holding(card).post('/auth', { ...cards.credentials(user), ...changes })
    expectFault(answer, 403, 1201)
    expect(answer.json.ERRORS).toEqual([refusal])
    expect(answer.json.ERRORCODES).toMatchObject({ 1201: refusal })
    expect(answer.json.CALLINFO).not.toHaveProperty('token')
  })

  it('is refused without a card, and with the card of another user, in the same words', async () => {
    const otherCard = ca.issue('/CN=Other')
    const other = await cards.holder(otherCard)
    for (const client of [cards.holding(undefined), cards.holding(otherCard), cards.appliance.client()]) {
      const answer = await client.post('/auth', cards.credentials(user))
      expectFault(answer, 403, 1201)
      expect(answer.json.ERRORS).toEqual([refusal])
    }
    expectFault(await cards.holding(card).post('/auth', cards.credentials(other)), 403, 1201)
  })

  it.each(['passphrase', 'apikey', 'username'])('says that %s is missing', async (member) => {
    const body = Object.entries(cards.credentials(user)).filter(([name]) => name !== member)
    expectFault(await cards.holding(card).post('/auth', Object.fromEntries(body)), 400, 1804)
  })

  it('leaves the other factors as they are, with a card or without', async () => {
    for (const client of [cards.holding(card), cards.holding(undefined)])
      await client.must('POST', '/auth', cards.appliance.credentials(user))
  })

  it('counts like any other: a card is no way around the delays', async () => {
    const guesser = await CardAppliance.start(
      { clientCa: ca.certificate },
      { login: { freeAttempts: 2, argon2: { memoryKiB: 8192, passes: 1 } } },
    )
    try {
      const client = guesser.holding(card)
      const holder = await guesser.holder(card)
      const guess = () => client.post('/auth', { ...guesser.credentials(holder), passphrase: 'a guess of mine' })
      expect([(await guess()).status, (await guess()).status, (await guess()).status]).toEqual([403, 403, 429])
    } finally {
      await guesser.close()
    }
  })
})

describe('the setting', () => {
  it('is told by GET /authinfo/logintypes', async () => {
    const { CALLINFO } = await cards.appliance.client().must('GET', '/authinfo/logintypes')
    expect(CALLINFO['enabled_login_types']).toEqual([['totp', 'hwkey_otp', 'smartcard']])
  })

  it('off, or not there, leaves no second listener and no smartcard login', async () => {
    const off = await TestAppliance.own({ smartcard: { enabled: false, clientCa: ca.certificate } })
    try {
      const one = await off.addUser()
      const client = off.client()
      const nobody = await client.get('/authinfo/smcuser')
      expectFault(nobody, 401, 1740)
      expect(nobody.json.CALLINFO.general).toEqual([expect.stringMatching(/no valid certificate/i)])
      expectFault(await client.post('/auth', { ...off.credentials(one), logintype: 'smartcard' }), 400, 1203)
      const { CALLINFO } = await client.must('GET', '/authinfo/logintypes')
      expect(CALLINFO['enabled_login_types']).toEqual([['totp', 'hwkey_otp']])
    } finally {
      await off.close()
    }
  })
})
