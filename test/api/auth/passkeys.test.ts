import { describe, expect, it } from 'vitest'
import { devicesOf } from '../../../src/features/otp/records.ts'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { totpCode } from '../../support/hardware-token.ts'
import {
  freshLogin,
  givenHolder,
  loginChallenge,
  ownChallenge,
  passkeyLogin,
  register,
} from '../../support/passkey-kit.ts'
import { recover } from '../../support/sealed-people.ts'
import { SoftAuthenticator, passkeyHost, withPasskeys } from '../../support/soft-authenticator.ts'
import { makeVault } from '../../support/vault.ts'

const appliance = applianceForTests(() => TestAppliance.shared(withPasskeys))

const login = (body: Record<string, unknown>) => appliance.client().post('/auth', body)

describe('a passkey', () => {
  it.each(['P-256', 'Ed25519', 'RSA'] as const)('of %s is registered, listed, and opens sessions', async (type) => {
    const { user, session, authenticator, id } = await givenHolder(appliance, new SoftAuthenticator({ type }))
    const listed = await session.must('GET', `/user/${user.id}/passkeys`)
    expect(listed.CALLINFO.passkeys).toEqual([
      { id, name: 'Key on my desk', credential: authenticator.id, created: expect.any(String) },
    ])
    for (const _ of [1, 2]) expect((await login(await freshLogin(appliance, user, authenticator))).status).toBe(200)
    const used = await session.must('GET', `/user/${user.id}/passkeys`)
    expect(used.CALLINFO).toHaveProperty(['passkeys', 0, 'used'])
  })

  it('of an authenticator that does not count opens sessions, once for each challenge', async () => {
    const { user, authenticator } = await givenHolder(appliance, new SoftAuthenticator({ counts: false }))
    const body = await freshLogin(appliance, user, authenticator)
    expect((await login(body)).status).toBe(200)
    expect(await login(body)).toMatchObject({ status: 403 })
    expect((await login(await freshLogin(appliance, user, authenticator))).status).toBe(200)
  })

  it('is one of several, each with a name, which the user changes', async () => {
    const { user, session, authenticator } = await givenHolder(appliance)
    const second = await register(appliance, session, user)
    await session.must('PUT', `/me/passkeys/${second.id}`, { name: 'Telephone' })
    const { CALLINFO } = await session.must('GET', `/user/${user.id}/passkeys`)
    expect(CALLINFO.passkeys).toMatchObject([{ name: 'Key on my desk' }, { name: 'Telephone' }])
    for (const one of [authenticator, second.authenticator])
      expect((await login(await freshLogin(appliance, user, one))).status).toBe(200)
  })

  it('stays at five a user, and each credential with one user', async () => {
    const { user, session, authenticator } = await givenHolder(appliance)
    const again = { name: 'Again', registration: authenticator.register(await ownChallenge(session)) }
    const exists = await session.post('/me/passkeys', { ...again, otp: user.hardwareToken.press() })
    expect(exists).toMatchObject({ status: 409, json: { ERRORCODES: { 1771: expect.any(String) } } })
    for (let more = 0; more < 4; more++) await register(appliance, session, user)
    const sixth = { name: 'Sixth', registration: new SoftAuthenticator().register(await ownChallenge(session)) }
    const limit = await session.post('/me/passkeys', { ...sixth, otp: user.hardwareToken.press() })
    expect(limit).toMatchObject({ status: 409, json: { ERRORCODES: { 1772: expect.any(String) } } })
  })

  it('is a fresh second factor itself: for another passkey, for its own removal, and for a new pass phrase', async () => {
    const { user, session, authenticator, id } = await givenHolder(appliance)
    const shown = async () => ({ passkey: authenticator.answer(await ownChallenge(session)), logintype: 'webauthn' })
    const other = new SoftAuthenticator()
    const registration = other.register(await ownChallenge(session))
    await session.must('POST', '/me/passkeys', { name: 'Other', registration, ...(await shown()) })
    const newpassphrase = 'a quite new passphrase of mine 4711'
    await session.must('PUT', '/auth/passphrase', { passphrase: user.passphrase, newpassphrase, ...(await shown()) })
    await session.must('DELETE', `/me/passkeys/${id}`, await shown())
    const changed = { username: user.username, passphrase: newpassphrase }
    expect((await login(await freshLogin(appliance, changed, authenticator))).status).toBe(403)
    expect((await login(await freshLogin(appliance, changed, other))).status).toBe(200)
  })

  it('is taken from a user by an administrator', async () => {
    const { user, authenticator, id } = await givenHolder(appliance)
    const administrator = await appliance.login(await appliance.addUser(['admin', 'active']))
    await administrator.must('DELETE', `/user/${user.id}/passkeys/${id}`)
    expect((await login(await freshLogin(appliance, user, authenticator))).status).toBe(403)
    const gone = await administrator.call('DELETE', `/user/${user.id}/passkeys/${id}`)
    expect(gone).toMatchObject({ status: 404, json: { ERRORCODES: { 1773: expect.any(String) } } })
  })

  it('goes with pass phrase and application key, and serves neither alone', async () => {
    const { user, authenticator } = await givenHolder(appliance)
    const wrong = [{ passphrase: 'another one' }, { apikey: 'AAAAAAAAAA' }]
    for (const edits of wrong)
      expect(await login({ ...(await freshLogin(appliance, user, authenticator)), ...edits })).toMatchObject({
        status: 403,
      })
    const { passkey: _, ...without } = await freshLogin(appliance, user, authenticator)
    expect(await login(without)).toMatchObject({ status: 400 })
  })
})

describe('a change of own passkeys', () => {
  it('needs a second factor that is shown with the call, and uses it up', async () => {
    const { user, session, id } = await givenHolder(appliance)
    expect(await session.call('DELETE', `/me/passkeys/${id}`)).toMatchObject({ status: 400 })
    expect(await session.call('DELETE', `/me/passkeys/${id}`, { body: { otp: '000000' } })).toMatchObject({
      status: 403,
    })
    const other = await appliance.addUser()
    expect(
      await session.call('DELETE', `/me/passkeys/${id}`, { body: { otp: other.hardwareToken.press() } }),
    ).toMatchObject({
      status: 403,
    })
    const otp = user.hardwareToken.press()
    const missing = await session.call('DELETE', '/me/passkeys/999999', { body: { otp } })
    expect(missing).toMatchObject({ status: 404 })
    expect(await session.call('DELETE', `/me/passkeys/${id}`, { body: { otp } })).toMatchObject({ status: 403 })
    await session.must('DELETE', `/me/passkeys/${id}`, { otp: totpCode(user.totpSecret) })
  })

  it('is recorded with the user and the passkey', async () => {
    const { user, session, id } = await givenHolder(appliance)
    await session.must('DELETE', `/me/passkeys/${id}`, { otp: user.hardwareToken.press() })
    const records = appliance.trail.filter((line) => line.includes(`"user ${user.id}: passkey ${id}"`)).join('\n')
    expect(records).toContain('"me.passkey.register"')
    expect(records).toContain('"me.passkey.remove"')
  })

  it('leaves the user a second factor', async () => {
    const { user, session, authenticator, id } = await givenHolder(appliance)
    const administrator = await appliance.login(await appliance.addUser(['admin', 'active']))
    for (const device of await devicesOf(appliance.store.read, user.id))
      await administrator.must('DELETE', `/user/${user.id}/otp/${device.id}`)
    const shown = { passkey: authenticator.answer(await ownChallenge(session)), logintype: 'webauthn' }
    const last = await session.call('DELETE', `/me/passkeys/${id}`, { body: shown })
    expect(last).toMatchObject({ status: 409, json: { ERRORCODES: { 1764: expect.any(String) } } })
    expect((await login(await freshLogin(appliance, user, authenticator))).status).toBe(200)
  })
})

describe('a registration', () => {
  it.each([
    ['of another origin', { origin: 'https://console.example.evil.test' }],
    ['for another name', { rpId: 'evil.test' }],
    ['that is an assertion', { type: 'webauthn.get' }],
    ['without a user', { flags: 0x40 }],
  ])('%s is refused', async (_, edits) => {
    const user = await appliance.addUser()
    const session = await appliance.login(user)
    const registration = new SoftAuthenticator().register(await ownChallenge(session), edits)
    const refused = await session.post('/me/passkeys', { name: 'Mine', registration, otp: user.hardwareToken.press() })
    expect(refused).toMatchObject({ status: 400, json: { ERRORCODES: { 1770: expect.any(String) } } })
  })

  it('is refused while a membership of its user is on hold', async () => {
    const user = await appliance.addUser()
    const vault = await makeVault(appliance)
    await vault.share(String(user.id), 'Read')
    await recover(appliance, user.id)
    const session = await appliance.login(user)
    const registration = new SoftAuthenticator().register(await ownChallenge(session))
    const body = { name: 'Mine', registration, otp: user.hardwareToken.press() }
    expectFault(await session.post('/me/passkeys', body), 403, 1302)
    expect((await session.must('GET', `/user/${user.id}/passkeys`)).CALLINFO.passkeys).toEqual([])
  })

  it('answers a challenge of the session that makes it', async () => {
    const [user, other] = [await appliance.addUser(), await appliance.addUser()]
    const session = await appliance.login(user)
    for (const challenge of [
      await ownChallenge(await appliance.login(other)),
      await loginChallenge(appliance),
      'AAAA',
    ]) {
      const registration = new SoftAuthenticator().register(challenge)
      const refused = await session.post('/me/passkeys', {
        name: 'Mine',
        registration,
        otp: user.hardwareToken.press(),
      })
      expect(refused).toMatchObject({ status: 400, json: { ERRORCODES: { 1770: expect.any(String) } } })
    }
  })
})

describe('a challenge for a login', () => {
  it('is the same question to everybody, and of two no one is the same', async () => {
    const stranger = appliance.client()
    const first = (await stranger.must('POST', '/auth/challenge')).CALLINFO
    const second = (await stranger.must('POST', '/auth/challenge')).CALLINFO
    expect(first).toMatchObject({ rpid: passkeyHost, userverification: 'preferred' })
    expect(first.challenge).not.toBe(second.challenge)
    expect({ ...first, challenge: '' }).toEqual({ ...second, challenge: '' })
  })
})

describe('the login types', () => {
  it('name webauthn where it is enabled', async () => {
    const { CALLINFO } = await appliance.client().must('GET', '/authinfo/logintypes')
    expect(CALLINFO.enabled_login_types).toEqual([['totp', 'hwkey_otp', 'webauthn']])
  })

  it('do not name it by default, and nothing of it is open then', async () => {
    const usual = await TestAppliance.shared()
    const user = await usual.addUser()
    const session = await usual.login(user)
    const { CALLINFO } = await usual.client().must('GET', '/authinfo/logintypes')
    expect(CALLINFO.enabled_login_types).toEqual([['totp', 'hwkey_otp']])
    const answer = new SoftAuthenticator().answer('AAAA')
    const registration = new SoftAuthenticator().register('AAAA')
    const answers = [
      await usual.client().post('/auth/challenge'),
      await session.post('/me/challenge'),
      await session.post('/me/passkeys', { name: 'Mine', registration, otp: user.hardwareToken.press() }),
      await usual.client().post('/auth', passkeyLogin(usual, user, answer)),
    ]
    for (const { json } of answers) expect(json).toHaveProperty('ERRORCODES.1203')
    await usual.close()
  })
})
