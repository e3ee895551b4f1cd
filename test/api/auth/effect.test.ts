import { describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { capabilitiesOf, type Capability } from '../../../src/access/capabilities.ts'
import { systemClock } from '../../../src/clock.ts'
import { createServices } from '../../../src/daemon/services.ts'
import type { Hsm } from '../../../src/hsm/hsm.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { setCapabilities } from '../../support/sealed-people.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)

/** Clients with one session on many connections, so that both workers have served it. */
async function lanesOf(token: string | undefined): Promise<TestClient[]> {
  const lanes = Array.from({ length: 8 }, () => appliance.client(token))
  for (const lane of lanes) await lane.must('POST', '/auth/check')
  return lanes
}

const setTo = (userId: number, capabilities: readonly Capability[]) =>
  setCapabilities(appliance, userId, capabilitiesOf(capabilities))

describe('takes effect on the very next call, whichever worker serves it', () => {
  it('a user disabled; and the session stays dead when the user is enabled again', async () => {
    const user = await appliance.addUser()
    const lanes = await lanesOf((await appliance.login(user)).token)
    await appliance.services.users.disable(user.username, appliance.commit)
    for (const lane of lanes) expectFault(await lane.post('/auth/check'), 403, 1200)
    await setTo(user.id, ['read', 'active'])
    for (const lane of lanes) expectFault(await lane.post('/auth/check'), 403, 1200)
  })

  it('a user made an escrow account', async () => {
    const user = await appliance.addUser()
    const lanes = await lanesOf((await appliance.login(user)).token)
    await setTo(user.id, ['read', 'active', 'escrow'])
    for (const lane of lanes) expectFault(await lane.post('/auth/check'), 403, 1200)
  })

  it('a capability taken, and given', async () => {
    const user = await appliance.addUser(['read', 'active'])
    const lanes = await lanesOf((await appliance.login(user)).token)
    for (const [capabilities, status] of [
      [['read', 'admin', 'active'], 200],
      [['read', 'active'], 403],
    ] as const) {
      await setTo(user.id, capabilities)
      for (const lane of lanes) expect((await lane.get('/user/1/sessions')).status).toBe(status)
    }
  })

  it('an application key revoked', async () => {
    const { key } = await appliance.services.applicationKeys.create('short-lived', appliance.commit)
    const user = await appliance.addUser()
    const { json } = await appliance.client().post('/auth', { ...appliance.credentials(user), apikey: key })
    const lanes = await lanesOf(json.CALLINFO.token)
    const elsewhere = await appliance.login(user)
    await appliance.services.applicationKeys.revoke('short-lived', appliance.commit)
    for (const lane of lanes) expectFault(await lane.post('/auth/check'), 403, 1200)
    expect((await elsewhere.post('/auth/check')).status).toBe(200)
  })

  it('an application key revoked while a login with it is under way', async () => {
    const { store, config, services, commit } = appliance
    const { key: applicationKey } = await services.applicationKeys.create('leaving', commit)
    const user = await appliance.addUser()
    // Runs between the reading of the rows and the keeper's answer.
    const hsm: Hsm = {
      ...appliance.hsm,
      async login(request) {
        await services.applicationKeys.revoke('leaving', commit).catch(() => undefined)
        return appliance.hsm.login(request)
      },
    }
    const unrecorded = { append: () => Promise.resolve() }
    const { login } = createServices({ config, store, hsm, clock: systemClock, audit: unrecorded })
    const credentials = { passphrase: user.passphrase, applicationKey, otp: user.hardwareToken.press() }
    const attempt = login.logIn(
      { username: user.username, credentials: [{ ...credentials, otpKind: 'hwkey_otp' }], address: '192.0.2.1' },
      (work) => store.transaction(work),
    )
    await expect(attempt).rejects.toMatchObject({ code: 'login.refused' })
  })

  it('a membership ended, and one lowered', async () => {
    const member = await vault.member('Write')
    const lanes = await lanesOf(member.token)
    const encrypt = (lane: TestClient, name: string) =>
      lane.post(`/transparent/${vault.id}/encrypt/${name}`, { plaintext: 'eA==' })
    const [{ id }] = (await member.must('GET', `/vault/${vault.id}/members`)).CALLINFO['vaultmembers'] as [
      { id: string },
    ]
    const userId = await idOfCaller(member, id)
    for (const lane of lanes) expect((await encrypt(lane, 'shared')).status).toBe(201)
    await vault.share(userId, 'Read')
    for (const lane of lanes) expectFault(await encrypt(lane, 'made-by-nobody'), 403, 1301)
    await vault.share(userId, undefined)
    for (const lane of lanes) expectFault(await encrypt(lane, 'shared'), 404, 1400)
  })

  it('a logout, while other calls of the session are under way', async () => {
    const lanes = await lanesOf((await appliance.login()).token)
    const [leaving, ...staying] = lanes
    const racing = staying.map((lane) => lane.post('/auth/check'))
    await leaving?.must('GET', '/auth/logout')
    await Promise.all(racing)
    for (const lane of lanes) expectFault(await lane.post('/auth/check'), 403, 1200)
  })
})

async function idOfCaller(client: TestClient, except: string): Promise<string> {
  const members = (await client.must('GET', `/vault/${vault.id}/members`)).CALLINFO['vaultmembers'] as { id: string }[]
  return members.find(({ id }) => id !== except)?.id ?? ''
}

describe('attacks on a session', () => {
  it('a token that came with the login is not taken over', async () => {
    const user = await appliance.addUser()
    const planted = 'A'.repeat(42)
    const answers = [
      await appliance.client().post('/auth', appliance.credentials(user), { token: planted }),
      await appliance.client().post(`/auth?token=${planted}`, appliance.credentials(user)),
      await appliance.client().post('/auth', { ...appliance.credentials(user), token: planted }),
    ]
    for (const { status, json } of answers) {
      expect(status).toBe(200)
      expect(json.CALLINFO.token).not.toBe(planted)
    }
    expectFault(await appliance.client().post('/auth/check', {}, { token: planted }), 403, 1200)
  })

  it('a login with the token of another session leaves that session as it is', async () => {
    const victim = await appliance.login()
    const user = await appliance.addUser()
    const token = victim.token ?? ''
    const { json } = await appliance.client().post('/auth', appliance.credentials(user), { token })
    expect(json.CALLINFO.token).not.toBe(token)
    const { CALLINFO } = await victim.must('POST', '/auth/check')
    expect(CALLINFO.token).toBe(token)
    await appliance.client(json.CALLINFO.token).must('GET', '/auth/logout')
    expect((await victim.post('/auth/check')).status).toBe(200)
  })

  it('no token, pass phrase or OTP is in the journal, the trail or the database, wherever it stood in the call', async () => {
    const user = await appliance.addUser()
    const credentials = appliance.credentials(user)
    const token = String((await appliance.client().post('/auth', credentials)).json.CALLINFO.token)
    const bare = appliance.client()
    expect((await bare.get(`/vault?token=${token}`)).status).toBe(200)
    expect((await bare.post('/auth/check', { token })).status).toBe(200)
    expectFault(await bare.get(`/nowhere?token=${token}`), 404, 1801)
    expectFault(await bare.get(`/vault/1/members?token=${token}&token=${token}`), 400, 1804)
    expectFault(await bare.get(`/auth?token=${token}`), 405, 1802)
    const trail = appliance.trail.join('')
    const database = JSON.stringify([
      await appliance.store.query('SELECT * FROM sessions', []),
      await appliance.store.query('SELECT * FROM session_tokens', []),
      await appliance.store.query('SELECT * FROM login_attempts', []),
    ])
    for (const place of [trail, appliance.journal, database])
      for (const secret of [token, credentials['passphrase'] ?? '', credentials['otp'] ?? ''])
        expect(place.includes(secret)).toBe(false)
    expect(trail).toContain(user.username)
  })
})
