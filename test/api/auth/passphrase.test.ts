import { describe, expect, it, onTestFinished } from 'vitest'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { totpCode } from '../../support/hardware-token.ts'
import { eventsOf } from '../../support/trail.ts'

const fresh = 'seven wooden lanterns on the quay'
const other = 'nine copper kettles in the attic'

const appliance = applianceForTests(() => TestAppliance.own({ login: { freeAttempts: 3, firstDelayMs: 900_000 } }))

const change = (client: TestClient, user: TestUser, members: Record<string, unknown> = {}) =>
  client.call('PUT', '/auth/passphrase', {
    body: { passphrase: user.passphrase, newpassphrase: fresh, otp: user.hardwareToken.press(), ...members },
  })
const logIn = async (user: TestUser, passphrase: string) =>
  (await appliance.client().post('/auth', { ...appliance.credentials(user), passphrase })).status
const isOpen = async (client: TestClient): Promise<boolean> => (await client.post('/auth/check')).status === 200

describe('PUT /auth/passphrase', () => {
  it("changes one's own, ends the other sessions, and leaves no trace of it", async () => {
    const user = await appliance.addUser()
    const [here, there] = [await appliance.login(user), await appliance.login(user)]
    const { status, json } = await change(here, user)
    expect([status, json.CALLINFO['ended']]).toEqual([200, 1])
    expect([await isOpen(here), await isOpen(there)]).toEqual([true, false])
    expect([await logIn(user, user.passphrase), await logIn(user, fresh)]).toEqual([403, 200])
    expect(eventsOf(appliance)).toContainEqual(
      expect.objectContaining({ operation: 'auth.passphrase', outcome: 'allowed', userId: user.id }),
    )
    expect(appliance.trail.join('') + appliance.journal).not.toContain(fresh)
  })

  it('takes the code of an authenticator app as well', async () => {
    const user = await appliance.addUser()
    const otp = totpCode(user.totpSecret)
    expect((await change(await appliance.login(user), user, { otp, logintype: 'totp' })).status).toBe(200)
    expect(await logIn(user, fresh)).toBe(200)
  })

  it('takes no second factor of a type that is disabled, and uses none up', async () => {
    const own = await TestAppliance.own({ login: { types: ['totp'] } })
    onTestFinished(() => own.close())
    const user = await own.addUser()
    const credentials = { ...own.credentials(user), otp: totpCode(user.totpSecret), logintype: 'totp' }
    const client = own.client((await own.client().must('POST', '/auth', credentials)).CALLINFO.token)
    const counters = () => own.store.query('SELECT counter FROM otp_devices WHERE user_id = $1', [user.id])
    const before = await counters()
    for (const factor of [{}, { otp: undefined, logintype: 'smartcard' }])
      expectFault(await change(client, user, factor), 400, 1203)
    expect(await counters()).toEqual(before)
  })

  it('a user who is asked to change the pass phrase may log in and make calls, and is not asked again after the change', async () => {
    const user = await appliance.addUser(['read', 'changePassphrase', 'active'])
    const client = await appliance.login(user)
    expect((await client.get('/vault')).status).toBe(200)
    const { json } = await change(client, user)
    expect(json.CALLINFO['userstatus']).toBe('129')
    const again = await appliance.client().post('/auth', { ...appliance.credentials(user), passphrase: fresh })
    expect(again.json.CALLINFO).toMatchObject({ userstatus: '129', audit: { violations: [], warnings: [] } })
  })

  const poor: readonly (readonly [string, Record<string, unknown>, number])[] = [
    ['too short', { newpassphrase: 'short words' }, 1730],
    ['easy to guess', { newpassphrase: 'passwordpassword' }, 1730],
    ['with NUL', { newpassphrase: `${fresh}\0` }, 1800],
    ['with a bell', { newpassphrase: `${fresh}\u0007` }, 1730],
    ['the present one', { newpassphrase: 'correct horse battery staple' }, 1730],
    ['missing', { newpassphrase: undefined }, 1804],
    ['null', { newpassphrase: null }, 1804],
    ['a number', { newpassphrase: 123_456_789_012 }, 1804],
    ['endless', { newpassphrase: 'x y '.repeat(400) }, 1804],
    ['sent without the present one', { passphrase: undefined }, 1804],
    ['sent without an OTP', { otp: undefined }, 1804],
  ]
  it.each(poor)('refuses a new one that is %s, and the OTP stays good', async (_what, members, code) => {
    const user = await appliance.addUser()
    const client = await appliance.login(user)
    const otp = user.hardwareToken.press()
    const answer = await change(client, user, { otp, ...members })
    expectFault(answer, 400, code)
    expect((await change(client, user, { otp })).status).toBe(200)
  })

  it('refuses one that holds the user name', async () => {
    const user = await appliance.addUser()
    expectFault(
      await change(await appliance.login(user), user, { newpassphrase: `the words ${user.username.toUpperCase()}` }),
      400,
      1730,
    )
  })

  it('is guarded like a login: a stolen session does not do, and guesses are counted with those at the door', async () => {
    const user = await appliance.addUser()
    const client = await appliance.login(user)
    const used = user.hardwareToken.press()
    expect((await appliance.client().post('/auth', { ...appliance.credentials(user), otp: used })).status).toBe(200)
    expectFault(await change(client, user, { otp: used }), 403, 1201)
    expectFault(await change(client, user, { otp: '000000' }), 403, 1201)
    expectFault(await change(client, user, { otp: 'x' }), 403, 1201)
    expectFault(await change(client, user, { otp: 'x' }), 429, 1202)
    expectFault(
      await appliance.client().post('/auth', { ...appliance.credentials(user), otp: '000000', logintype: 'totp' }),
      429,
      1202,
    )
    for (let guess = 0; guess < 3; guess++)
      expectFault(await change(client, user, { passphrase: `guess ${guess} of many` }), 403, 1201)
    expectFault(await change(client, user), 429, 1202)
    expect(await isOpen(client)).toBe(true)
  })

  it('of 10 at once, one changes it', async () => {
    const user = await appliance.addUser()
    const client = await appliance.login(user)
    const otp = user.hardwareToken.press()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => change(client, user, { otp, newpassphrase: `${fresh}, number ${n}` })),
    )
    const won = answers.findIndex(({ status }) => status === 200)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await logIn(user, `${fresh}, number ${won}`)).toBe(200)
  })

  it('needs a session', async () => {
    const user = await appliance.addUser()
    expectFault(await change(appliance.client(), user), 403, 1200)
  })
})

describe('PUT /user/:userid/passphrase', () => {
  const reset = (client: TestClient, userId: number | string, newpassphrase: unknown = other) =>
    client.call('PUT', `/user/${userId}/passphrase`, { body: { newpassphrase } })
  const administrator = async () => {
    const user = await appliance.addUser(['read', 'admin', 'active'])
    return { user, client: await appliance.login(user) }
  }

  it('gives a user another one, ends all sessions, and asks for a change', async () => {
    const { client: admin } = await administrator()
    const user = await appliance.addUser()
    const open = await appliance.login(user)
    const { status, json } = await reset(admin, user.id)
    expect([status, json.CALLINFO['calculated_status'], json.CALLINFO['ended']]).toEqual([200, 195, 1])
    expect(await isOpen(open)).toBe(false)
    expect(await logIn(user, user.passphrase)).toBe(403)
    const { json: loggedIn } = await appliance
      .client()
      .post('/auth', { ...appliance.credentials(user), passphrase: other })
    expect(loggedIn.CALLINFO['audit']).toMatchObject({ violations: { passphrase_change: expect.any(String) } })
    expect(eventsOf(appliance)).toContainEqual(
      expect.objectContaining({ operation: 'user.passphrase', outcome: 'allowed', subject: `user ${user.id}` }),
    )
  })

  it('is for administrators, and for others than oneself', async () => {
    const { user: own, client: admin } = await administrator()
    const user = await appliance.addUser()
    expectFault(await reset(await appliance.login(user), own.id), 403, 1300)
    expectFault(await reset(await appliance.login(user), user.id), 403, 1300)
    expectFault(await reset(admin, own.id), 400, 1804)
    expectFault(await reset(admin, user.id, 'short'), 400, 1730)
    expectFault(await reset(admin, user.id, null), 400, 1804)
    expect(await logIn(user, user.passphrase)).toBe(200)
  })

  it.each(['0', '-1', '0x1', '1e3', '999999999999', '99999999999999999999', 'me', '%F0%9F%94%91'])(
    'knows no user %s',
    async (id) => {
      const { client: admin } = await administrator()
      expectFault(await reset(admin, id), 404, 1700)
    },
  )
})

describe('a login with the pass phrase of a moment ago', () => {
  it('opens no session when it is changed meanwhile', async () => {
    const user = await appliance.addUser()
    const { login, sessions } = appliance.services
    const admin = await appliance.login(await appliance.addUser(['read', 'admin', 'active']))
    const { passphrase, apikey = '', otp = '' } = appliance.credentials(user)
    const attempt = {
      username: user.username,
      credentials: [{ passphrase: passphrase ?? '', applicationKey: apikey, otp, otpKind: 'hwkey_otp' as const }],
      address: '192.0.2.1',
    }
    const late = login.logIn(attempt, async (work) => {
      await admin.must('PUT', `/user/${user.id}/passphrase`, { newpassphrase: other })
      return appliance.commit(work)
    })
    await expect(late).rejects.toMatchObject({ code: 'login.refused' })
    expect(await sessions.list(user.id)).toEqual([])
  })
})
