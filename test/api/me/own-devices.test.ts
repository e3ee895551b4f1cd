import { describe, expect, it, onTestFinished } from 'vitest'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type Answer, type TestClient } from '../../support/client.ts'
import { nextTotpCode, totpCode } from '../../support/hardware-token.ts'
import { beginDevice, stockToken } from '../../support/own-device-kit.ts'
import { freshLogin, ownChallenge, register } from '../../support/passkey-kit.ts'
import { recover } from '../../support/sealed-people.ts'
import { withPasskeys } from '../../support/soft-authenticator.ts'
import { eventsOf } from '../../support/trail.ts'
import { makeVault } from '../../support/vault.ts'

const appliance = applianceForTests(() =>
  TestAppliance.own({ login: { freeAttempts: 50, argon2: { memoryKiB: 8192, passes: 1 } } }),
)

interface Someone {
  readonly user: TestUser
  readonly client: TestClient
}

async function someone(): Promise<Someone> {
  const user = await appliance.addUser(['read', 'active'])
  return { user, client: await appliance.login(user) }
}

// Sent as raw text, because the test client would expect all of it in DATA.
const send = (client: TestClient, method: string, path: string, body: object): Promise<Answer> =>
  client.call(method, path, { raw: JSON.stringify(body) })
const activate = (client: TestClient, id: string, body: object) => send(client, 'POST', `/me/otp/${id}/activate`, body)
const adopt = (client: TestClient, body: object) => send(client, 'POST', '/me/otp/adopt', body)
const remove = (client: TestClient, id: string, body: object) => send(client, 'DELETE', `/me/otp/${id}`, body)
const logIn = (user: TestUser, otp: string, logintype: string): Promise<Answer> =>
  appliance.client().post('/auth', { ...appliance.credentials(user), otp, logintype })

interface Device {
  readonly id: string
  readonly kind: string
}
const devicesOf = async ({ user, client }: Someone): Promise<Device[]> =>
  (await client.must('GET', `/user/${user.id}/otp`)).CALLINFO['otpdevices'] as Device[]

describe('an authenticator app', () => {
  it('is enrolled by a code of its own and one of another device, and no membership is put on hold', async () => {
    const one = await someone()
    const vault = await makeVault(appliance)
    await vault.share(String(one.user.id), 'Read')
    const { device, secret } = await beginDevice(one.client)
    expect(await devicesOf(one)).not.toContainEqual(expect.objectContaining({ id: device.id }))
    expect((await logIn(one.user, totpCode(secret), 'totp')).status).toBe(403)

    const { status, json } = await activate(one.client, device.id, {
      code: nextTotpCode(secret),
      otp: one.user.hardwareToken.press(),
    })
    expect(status).toBe(200)
    expect(json.CALLINFO['otpdevice']).toMatchObject({ id: device.id, kind: 'totp' })
    expect(await devicesOf(one)).toContainEqual(expect.objectContaining({ id: device.id }))
    expect((await one.client.must('GET', '/me')).CALLINFO['resting']).toBe(0)
    expect((await one.client.get(`/vault/${vault.id}`)).status).toBe(200)
    expect(eventsOf(appliance)).toContainEqual(
      expect.objectContaining({
        operation: 'me.otp.activate',
        outcome: 'allowed',
        subject: `user ${one.user.id}: OTP device ${device.id}`,
      }),
    )
  })

  it('logs in, and the login warns of no failed one', async () => {
    const one = await someone()
    const { device, secret } = await beginDevice(one.client)
    expect(
      (await activate(one.client, device.id, { code: totpCode(secret), otp: one.user.hardwareToken.press() })).status,
    ).toBe(200)
    const { status, json } = await logIn(one.user, nextTotpCode(secret), 'totp')
    expect(status).toBe(200)
    expect(json.CALLINFO['audit']).toEqual({ violations: [], warnings: [] })
  })

  it('shows its seed in one answer, and in no record', async () => {
    const one = await someone()
    const { secret } = await beginDevice(one.client)
    expect(JSON.stringify(await devicesOf(one))).not.toContain(secret)
    expect(JSON.stringify(eventsOf(appliance))).not.toContain(secret)
  })

  it('is void when another is begun', async () => {
    const one = await someone()
    const first = await beginDevice(one.client)
    const second = await beginDevice(one.client)
    const otp = () => one.user.hardwareToken.press()
    expectFault(await activate(one.client, first.device.id, { code: totpCode(first.secret), otp: otp() }), 400, 1705)
    expect((await activate(one.client, second.device.id, { code: totpCode(second.secret), otp: otp() })).status).toBe(
      200,
    )
    expectFault(
      await activate(one.client, second.device.id, { code: nextTotpCode(second.secret), otp: otp() }),
      404,
      1720,
    )
  })

  it('with a wrong code leaves the other factor unused', async () => {
    const one = await someone()
    const { device, secret } = await beginDevice(one.client)
    const otp = one.user.hardwareToken.press()
    const wrong = String((Number(totpCode(secret)) + 1) % 1_000_000).padStart(6, '0')
    expectFault(await activate(one.client, device.id, { code: wrong, otp }), 400, 1705)
    expect((await activate(one.client, device.id, { code: totpCode(secret), otp })).status).toBe(200)
  })
})

describe('a stolen session', () => {
  it('enrols nothing without a factor, nor with a wrong, used or foreign one, nor with the new device alone', async () => {
    const one = await someone()
    const idsOf = async () => (await devicesOf(one)).map(({ id }) => id)
    const before = await idsOf()
    const other = await someone()
    const { device, secret } = await beginDevice(one.client)
    const used = one.user.hardwareToken.press()
    expect((await logIn(one.user, used, 'hwkey_otp')).status).toBe(200)
    const code = totpCode(secret)
    expectFault(await activate(one.client, device.id, { code }), 400, 1804)
    for (const otp of ['000000', used, other.user.hardwareToken.press(), code])
      expectFault(await activate(one.client, device.id, { code, otp }), 403, 1201)
    const next = nextTotpCode(secret)
    expectFault(await activate(one.client, device.id, { code: next, otp: next }), 403, 1201)
    const token = await stockToken(appliance)
    const tokenotp = token.press()
    for (const otp of [used, tokenotp]) expectFault(await adopt(one.client, { tokenotp, otp }), 403, 1201)
    expect(await idsOf()).toEqual(before)
    expect((await logIn(one.user, nextTotpCode(secret), 'totp')).status).toBe(403)
  })

  it('removes nothing so', async () => {
    const one = await someone()
    const [first] = await devicesOf(one)
    const used = one.user.hardwareToken.press()
    expect((await logIn(one.user, used, 'hwkey_otp')).status).toBe(200)
    expectFault(await remove(one.client, first?.id ?? '', {}), 400, 1804)
    expectFault(await remove(one.client, first?.id ?? '', { otp: used }), 403, 1201)
    expect(await devicesOf(one)).toHaveLength(2)
  })

  it('finishes no enrolment of another user', async () => {
    const [one, other] = [await someone(), await someone()]
    const { device, secret } = await beginDevice(other.client)
    const otp = one.user.hardwareToken.press()
    expectFault(await activate(one.client, device.id, { code: totpCode(secret), otp }), 404, 1720)
  })
})

describe('a race', () => {
  it('of two enrolments with one factor enrols one', async () => {
    const one = await someone()
    const tokens = [await stockToken(appliance), await stockToken(appliance)]
    const otp = one.user.hardwareToken.press()
    const clients = [one.client, await appliance.login(one.user)]
    const later = one.user.hardwareToken.press()
    const answers = await Promise.all(
      tokens.map((token, at) => adopt(clients[at] ?? one.client, { tokenotp: token.press(), otp: later })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await devicesOf(one)).filter(({ kind }) => kind === 'hwkey_otp')).toHaveLength(2)
    // An OTP that is older than the last used one.
    expectFault(await remove(one.client, (await devicesOf(one))[0]?.id ?? '', { otp }), 403, 1201)
  })

  it('of two activations with two factors makes one device', async () => {
    const one = await someone()
    const { device, secret } = await beginDevice(one.client)
    const code = totpCode(secret)
    const otps = [one.user.hardwareToken.press(), one.user.hardwareToken.press()]
    const answers = await Promise.all(otps.map((otp) => activate(one.client, device.id, { code, otp })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await devicesOf(one)).toHaveLength(3)
  })
})

describe('a hardware token', () => {
  it('that nobody has is taken by what it types, and logs in', async () => {
    const one = await someone()
    const token = await stockToken(appliance)
    const { status, json } = await adopt(one.client, {
      tokenotp: token.press(),
      otp: one.user.hardwareToken.press(),
    })
    expect(status).toBe(200)
    expect(json.CALLINFO['otpdevice']).toMatchObject({ kind: 'hwkey_otp', public_id: token.publicId })
    expect((await logIn(one.user, token.press(), 'hwkey_otp')).status).toBe(200)
  })

  it('of another user is not taken', async () => {
    const [one, other] = [await someone(), await someone()]
    const shown = { tokenotp: other.user.hardwareToken.press(), otp: one.user.hardwareToken.press() }
    expectFault(await adopt(one.client, shown), 400, 1705)
  })
})

describe('a device', () => {
  it('is removed by a factor that is shown, never the last one', async () => {
    const one = await someone()
    const [token, app] = await devicesOf(one)
    const press = () => one.user.hardwareToken.press()
    expect((await remove(one.client, app?.id ?? '', { otp: press() })).status).toBe(200)
    expect((await logIn(one.user, totpCode(one.user.totpSecret), 'totp')).status).toBe(403)
    expectFault(await remove(one.client, token?.id ?? '', { otp: press() }), 409, 1764)
    expectFault(await remove(one.client, app?.id ?? '', { otp: press() }), 404, 1720)
    expect((await logIn(one.user, press(), 'hwkey_otp')).status).toBe(200)
  })

  it('of a type that is disabled is none that is left, and a passkey is, while passkeys are enabled', async () => {
    const own = await TestAppliance.own({ login: { ...withPasskeys.login, types: ['hwkey_otp', 'webauthn'] } })
    onTestFinished(() => own.close())
    const user = await own.addUser()
    const client = await own.login(user)
    const [token] = await devicesOf({ user, client })
    const removeToken = () => remove(client, token?.id ?? '', { otp: user.hardwareToken.press() })
    expectFault(await removeToken(), 409, 1764)
    const { id, authenticator } = await register(own, client, user)
    expect((await removeToken()).status).toBe(200)
    const passkey = authenticator.answer(await ownChallenge(client))
    expectFault(await send(client, 'DELETE', `/me/passkeys/${id}`, { passkey }), 409, 1764)
    expect((await own.client().post('/auth', await freshLogin(own, user, authenticator))).status).toBe(200)
  })

  it('of another user is unknown', async () => {
    const [one, other] = [await someone(), await someone()]
    const [theirs] = await devicesOf(other)
    expectFault(await remove(one.client, theirs?.id ?? '', { otp: one.user.hardwareToken.press() }), 404, 1720)
  })
})

describe('a user who was given something to log in with', () => {
  it('registers nothing before the membership is confirmed, which an administrator could have done for the user', async () => {
    const one = await someone()
    const vault = await makeVault(appliance)
    await vault.share(String(one.user.id), 'Read')
    const begun = await beginDevice(one.client)
    await recover(appliance, one.user.id)
    const client = await appliance.login(one.user)
    expectFault(await client.post('/me/otp'), 403, 1302)
    const otp = one.user.hardwareToken.press()
    expectFault(await activate(client, begun.device.id, { code: totpCode(begun.secret), otp }), 403, 1302)
    const token = await stockToken(appliance)
    expectFault(await adopt(client, { tokenotp: token.press(), otp }), 403, 1302)
  })

  it('by an administrator puts memberships on hold as before', async () => {
    const one = await someone()
    const vault = await makeVault(appliance)
    await vault.share(String(one.user.id), 'Read')
    const admin = await appliance.login(await appliance.addUser(['read', 'admin', 'active']))
    expect((await send(admin, 'POST', `/user/${one.user.id}/otp`, { kind: 'totp' })).status).toBe(201)
    const client = await appliance.login(one.user)
    expect((await client.must('GET', '/me')).CALLINFO['resting']).toBe(1)
  })
})
