import { operatorId } from '../../../src/access/confirmation.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { twoWorkers, type TestUser } from '../../support/appliance.ts'
import { expectFault, type Answer } from '../../support/client.ts'
import { ClientCa } from '../../support/client-pki.ts'
import { HardwareToken, hotpCodes, totpCode } from '../../support/hardware-token.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../../support/postgres.ts'
import { eventsOf } from '../../support/trail.ts'
import { CardAppliance } from '../certificates/card-kit.ts'

const freeAttempts = 20
const perUser = 3
const repeated = <T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)))
const countOf = (answers: readonly Answer[], wanted: number) => answers.filter(({ status }) => status === wanted).length

/** Races of logins that the database decides, with concurrent transactions. */
describe.runIf(hasPostgres)('the door on PostgreSQL, with two workers', () => {
  const ca = new ClientCa()
  let database: TestPostgres
  let cards: CardAppliance

  beforeAll(async () => {
    ca.writeCrl()
    database = startPostgres()
    cards = await CardAppliance.start(
      { clientCa: ca.certificate, crls: [ca.crl] },
      {
        ...twoWorkers,
        store: { postgresUrlFile: database.urlFile },
        session: { rotation: 'strict', perUser },
        login: { freeAttempts, firstDelayMs: 900_000, argon2: { memoryKiB: 8192, passes: 1 } },
      },
    )
  })
  afterAll(async () => {
    await cards.close()
    database.cleanup()
  })

  const logIn = (user: TestUser, otp: string, logintype = 'hwkey_otp'): Promise<Answer> =>
    cards.appliance.client().post('/auth', { ...cards.appliance.credentials(user), otp, logintype })

  async function withHotp() {
    const { appliance } = cards
    const user = await appliance.addUser()
    const enrolled = await appliance.services.enrolments.enrolCodes(
      user,
      { kind: 'hotp' },
      operatorId,
      appliance.commit,
    )
    return { user, device: enrolled.device, code: (at: number) => hotpCodes(enrolled.secret, at)[0] ?? '' }
  }

  it.each(['a hardware token', 'TOTP', 'HOTP'])(
    'of 50 parallel uses of one OTP of %s, one is good, and none later',
    async (kind) => {
      const { user, code } = await withHotp()
      const otps: Record<string, string> = { TOTP: totpCode(user.totpSecret), HOTP: code(0) }
      const otp = otps[kind] ?? user.hardwareToken.press()
      const logintype = otp.length === 44 ? 'hwkey_otp' : 'totp'
      const answers = await repeated(50, () => logIn(user, otp, logintype))
      // The others are refused as wrong or, after the free attempts, without a check.
      expect([countOf(answers, 200), countOf(answers, 403) + countOf(answers, 429)]).toEqual([1, 49])
      if (kind === 'HOTP') await cards.appliance.restart('SIGKILL')
      await cards.appliance.sql('DELETE FROM login_attempts')
      expectFault(await logIn(user, otp, logintype), 403, 1201)
    },
  )

  it('of 60 guesses at once, no more are looked at than are free', async () => {
    const { user } = await withHotp()
    const answers = await repeated(60, (at) => logIn(user, String(at).padStart(6, '0'), 'totp'))
    expect([countOf(answers, 403), countOf(answers, 429)]).toEqual([freeAttempts, 60 - freeAttempts])
    expect((await logIn(user, user.hardwareToken.press())).status).toBe(200)
  })

  it('of failed logins at once each is counted, and told', async () => {
    const user = await cards.appliance.addUser()
    await repeated(8, () => logIn(user, new HardwareToken().press()))
    const { json } = await logIn(user, user.hardwareToken.press())
    expect(json.CALLINFO['audit']).toMatchObject({ warnings: { failed_logins: expect.stringMatching(/^8 logins /) } })
  })

  it('of many logins at once as many sessions stay as a user may have, and the rest have ended', async () => {
    const user = await cards.appliance.addUser()
    // Smartcards, because OTPs of one token that arrive out of order would be used up.
    const card = ca.issue('/CN=Everywhere')
    await cards.register(user, card)
    const client = cards.holding(card)
    const answers = await repeated(9, () => client.post('/auth', cards.credentials(user)))
    expect(countOf(answers, 200)).toBe(9)
    const alive = await repeated(9, (at) =>
      cards.appliance.client(answers[at]?.json.CALLINFO.token).post('/auth/check'),
    )
    expect([countOf(alive, 200), countOf(alive, 403)]).toEqual([perUser, 9 - perUser])
  })

  it('of 50 calls at the moment of rotation all pass and are offered one next token; using the old one after the overlap ends the session, once', async () => {
    const user = await cards.appliance.addUser()
    const { token = '' } = await cards.appliance.login(user)
    const check = (shown: string) => cards.appliance.client().post('/auth/check', {}, { token: shown })
    await cards.appliance.sql('UPDATE session_tokens SET issued_at = issued_at - 1000000')
    const answers = await repeated(50, () => check(token))
    expect(countOf(answers, 200)).toBe(50)
    const fresh = answers.flatMap(({ json }) => (json.CALLINFO.token === token ? [] : [json.CALLINFO.token ?? '']))
    expect(new Set(fresh).size).toBe(1)
    await cards.appliance.sql(
      'UPDATE session_tokens SET superseded_at = superseded_at - 31000 WHERE superseded_at IS NOT NULL',
    )
    expect(countOf(await repeated(20, () => check(token)), 403)).toBe(20)
    expectFault(await check(fresh[0] ?? ''), 403, 1200)
    const ends = eventsOf(cards.appliance).filter(({ operation }) => operation === 'session.end.reuse')
    expect(ends).toMatchObject([{ userId: user.id }])
  })

  it('of pass-phrase changes at once with one OTP, one counts', async () => {
    const user = await cards.appliance.addUser()
    const client = await cards.appliance.login(user)
    const otp = user.hardwareToken.press()
    const phrase = (at: number) => `seven wooden lanterns, number ${at}`
    const answers = await repeated(10, (at) =>
      client.call('PUT', '/auth/passphrase', { body: { passphrase: user.passphrase, newpassphrase: phrase(at), otp } }),
    )
    expect(countOf(answers, 200)).toBe(1)
    const won = answers.findIndex(({ status }) => status === 200)
    expect((await logIn({ ...user, passphrase: phrase(won) }, user.hardwareToken.press())).status).toBe(200)
  })

  it('of resynchronisations at once with the same codes, one counts', async () => {
    const { user, device, code } = await withHotp()
    const body = { otp1: code(30), otp2: code(31) }
    const path = `/user/${user.id}/otp/${device.id}/resync`
    const answers = await repeated(8, () => cards.admin.call('PUT', path, { raw: JSON.stringify(body) }))
    expect(countOf(answers, 200)).toBe(1)
    expect((await logIn(user, code(32), 'totp')).status).toBe(200)
  })

  it('of enrolments at once, as many count as a user may hold', async () => {
    const user = await cards.appliance.addUser()
    const raw = JSON.stringify({ kind: 'totp' })
    const answers = await repeated(8, () => cards.admin.call('POST', `/user/${user.id}/otp`, { raw }))
    expect([countOf(answers, 201), countOf(answers, 409)]).toEqual([4, 4])
  })

  it('a card that is removed amid logins, or revoked after one, leaves no session', async () => {
    const card = ca.issue('/CN=Racer')
    const user = await cards.holder(card)
    const client = cards.holding(card)
    const logins = Array.from({ length: 8 }, () => client.post('/auth', cards.credentials(user)))
    await Promise.race(logins)
    await cards.admin.must('DELETE', `/usercert/${user.id}`)
    for (const { status, json } of await Promise.all(logins))
      if (status === 200) expectFault(await cards.appliance.client(json.CALLINFO.token).post('/auth/check'), 403, 1200)

    await cards.register(user, card)
    const { CALLINFO } = await client.must('POST', '/auth', cards.credentials(user))
    const lane = cards.appliance.client(CALLINFO.token)
    await lane.must('POST', '/auth/check')
    ca.revoke(card)
    ca.writeCrl()
    await expect.poll(async () => (await lane.post('/auth/check')).status).toBe(403)
  })
})
