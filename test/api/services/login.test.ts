import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { operatorId } from '../../../src/access/confirmation.ts'
import type { Service } from '../../../src/features/services/described-service.ts'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import type { TestClient } from '../../support/client.ts'
import { addCredential, addService, asked, byKey, loggedIn, sharedVault } from '../../support/service-kit.ts'

/** Logins of service accounts over the wire, and their refusals. */
const appliance = applianceForTests(() => TestAppliance.shared({ service: { allowStatic: true } }))
let owner: TestUser
let ownerClient: TestClient
let service: Service
let key: string

beforeAll(async () => {
  owner = await appliance.addUser(['read', 'createVault', 'active'])
  ownerClient = await appliance.login(owner)
  service = await addService(appliance, owner)
  key = (await addCredential(appliance, service, { ...asked, kind: 'static' })).key
})

const attempt = (body: Record<string, string>) => appliance.client().post('/auth', body)
const refused = { status: 403, json: { ERRORCODES: { 1201: expect.any(String) } } }

describe('a login by a static key', () => {
  it('begins a session that ends by itself, and uses keys', async () => {
    const client = appliance.client()
    const { CALLINFO } = await client.must('POST', '/auth', byKey(service.name, key))
    expect(CALLINFO).toMatchObject({ username: service.name, userid: String(service.id), userstatus: '128' })
    const expires = Date.parse(String(CALLINFO['expires']))
    expect(expires - Date.now()).toBeGreaterThan(3_500_000)
    expect(expires - Date.now()).toBeLessThanOrEqual(3_600_000)
    client.token = CALLINFO.token
    const vault = await sharedVault(ownerClient, service)
    const plaintext = Buffer.from('a column').toString('base64')
    await ownerClient.must('POST', `/transparent/${vault}/keys/column`, { type: 'aes256-gcm96' })
    const { CALLINFO: encrypted } = await client.must('POST', `/transparent/${vault}/encrypt/column`, { plaintext })
    const { ciphertext } = encrypted
    const decrypted = await client.must('POST', `/transparent/${vault}/decrypt/column`, { ciphertext })
    expect(JSON.stringify(decrypted)).toContain(plaintext)
  })

  it.each([
    ['a wrong key', () => byKey(service.name, `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`)],
    ['the key of another account', async () => byKey((await addService(appliance, owner)).name, key)],
    ['no such account', () => byKey('nothing-here', key)],
    ['a person', () => byKey(owner.username, key)],
    ['an empty key', () => byKey(service.name, '')],
    ['a long key', () => byKey(service.name, 'A'.repeat(1024))],
  ])('is refused for %s, and says no more', async (_which, body) => {
    const answer = await attempt(await body())
    expect(answer).toMatchObject(refused)
    expect(answer.json.ERRORS).toEqual([
      'The login failed: check user name, pass phrase, application key and second factor.',
    ])
  })

  it('says in the trail why it was refused, under the name of the account', async () => {
    await attempt(byKey(service.name, 'wrong'))
    const records = appliance.trail.flatMap((text) => text.split('\n').filter((line) => line.includes(service.name)))
    expect(records.filter((line) => line.includes('no credential of the account fits'))).not.toEqual([])
  })

  it('is not locked out by failures of others', async () => {
    for (let at = 0; at < 30; at++) await attempt(byKey(service.name, 'wrong'))
    await loggedIn(appliance.client(), byKey(service.name, key))
  })

  it('needs account and key', async () => {
    const missing = [
      { logintype: 'service_static', key },
      { logintype: 'service_static', account: service.name },
    ]
    for (const body of missing) expect(await attempt(body)).toMatchObject({ status: 400 })
  })

  it('is refused without the setting, also with a credential of before', async () => {
    const strict = await TestAppliance.own({ service: { allowStatic: true } })
    onTestFinished(() => strict.close())
    const account = await addService(strict, await strict.addUser())
    const before = await addCredential(strict, account, { ...asked, kind: 'static' })
    await loggedIn(strict.client(), byKey(account.name, before.key))
    writeFileSync(strict.configFile, JSON.stringify({ ...strict.config, service: { allowStatic: false } }))
    await strict.restart()
    expect(await strict.client().post('/auth', byKey(account.name, before.key))).toMatchObject(refused)
    expect(strict.trail.join('\n')).toContain('static keys are turned off (service.allowStatic)')
  })

  it('has no credential added without the setting', async () => {
    const strict = await TestAppliance.shared()
    onTestFinished(() => strict.close())
    const account = await addService(strict, await strict.addUser())
    await expect(addCredential(strict, account, { ...asked, kind: 'static' })).rejects.toMatchObject({
      code: 'service.invalid',
    })
  })
})

describe('200 replicas', () => {
  it('log in at once and work beside each other', async () => {
    const clients = Array.from({ length: 200 }, () => appliance.client())
    await Promise.all(clients.map((client) => loggedIn(client, byKey(service.name, key))))
    expect(new Set(clients.map(({ token }) => token)).size).toBe(200)
    const answers = await Promise.all(clients.map((client) => client.get('/auth/check')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })
})

describe('a session of a service account', () => {
  const change = (id: number, changes: Parameters<typeof appliance.services.serviceAccounts.change>[1]) =>
    appliance.services.serviceAccounts.change(id, changes, operatorId, appliance.commit)

  it('keeps its token, and has no idle end', async () => {
    const client = await loggedIn(appliance.client(), byKey(service.name, key))
    const { token } = client
    await appliance.sql(`UPDATE sessions SET last_seen_at = last_seen_at - 3000000 WHERE user_id = ${service.id}`)
    await appliance.sql('UPDATE session_tokens SET issued_at = 5')
    await client.must('GET', '/auth/check')
    expect(client.token).toBe(token)
  })

  it('is of those addresses alone that the account has', async () => {
    const far = await addService(appliance, owner, { addresses: ['192.0.2.0/24', '2001:db8::/32'] })
    const own = await addCredential(appliance, far, { ...asked, kind: 'static' })
    expect(await attempt(byKey(far.name, own.key))).toMatchObject(refused)
    await change(far.id, { addresses: ['127.0.0.1'] })
    const client = await loggedIn(appliance.client(), byKey(far.name, own.key))
    await client.must('GET', '/auth/check')
    await change(far.id, { addresses: ['192.0.2.7'] })
    expect(await client.get('/auth/check')).toMatchObject({ status: 403 })
    // The session was refused, but not ended.
    await change(far.id, { addresses: [] })
    await client.must('GET', '/auth/check')
  })

  it('stays ended when the account is given a later end', async () => {
    const one = await addService(appliance, owner)
    const own = (await addCredential(appliance, one, { ...asked, kind: 'static' })).key
    const client = await loggedIn(appliance.client(), byKey(one.name, own))
    await ownerClient.must('PUT', `/service/${one.id}`, { expires: '2020-01-31T00:00:00Z' })
    await ownerClient.must('PUT', `/service/${one.id}`, { expires: 'never' })
    expect((await client.get('/auth/check')).status).toBe(403)
    expect((await attempt(byKey(one.name, own))).status).toBe(200)
  })

  it('ends with the account, with its credential, and when it is disabled amid calls', async () => {
    const one = await addService(appliance, owner, { expiresAt: Date.now() + 3_600_000 })
    const own = await addCredential(appliance, one, { ...asked, kind: 'static' })
    const client = await loggedIn(appliance.client(), byKey(one.name, own.key))
    await client.must('GET', '/auth/check')
    await change(one.id, { expiresAt: Date.now() + 500 })
    await expect.poll(async () => (await client.get('/auth/check')).status).toBe(403)
    expect(await attempt(byKey(one.name, own.key))).toMatchObject(refused)

    await change(one.id, { expiresAt: null })
    const second = await addCredential(appliance, one, { ...asked, name: 'second', kind: 'static' })
    const [before, after] = [appliance.client(), appliance.client()]
    await loggedIn(before, byKey(one.name, own.key))
    await loggedIn(after, byKey(one.name, second.key))
    await appliance.services.serviceAccounts.removeCredential(one.id, own.id, operatorId, appliance.commit)
    expect(await before.get('/auth/check')).toMatchObject({ status: 403 })
    expect(await attempt(byKey(one.name, own.key))).toMatchObject(refused)
    await after.must('GET', '/auth/check')

    const calls: number[] = []
    const busy = Array.from({ length: 20 }, async () => {
      for (let at = 0; at < 50; at++) {
        const { status } = await after.get('/auth/check')
        if (status !== 200) return status
        calls.push(at)
      }
      return 200
    })
    while (calls.length < 100) await new Promise((resolve) => setTimeout(resolve, 1))
    await change(one.id, { isActive: false })
    const outcomes = await Promise.all(busy)
    expect(new Set(outcomes).has(403)).toBe(true)
    expect(await after.get('/auth/check')).toMatchObject({ status: 403 })
    expect(await attempt(byKey(one.name, second.key))).toMatchObject(refused)
    // After the account is enabled again, the earlier session stays ended.
    await change(one.id, { isActive: true })
    expect(await after.get('/auth/check')).toMatchObject({ status: 403 })
    await loggedIn(appliance.client(), byKey(one.name, second.key))
  })
})

describe('a service account', () => {
  it('is no person: no login, list or call of people knows it', async () => {
    const admin = await appliance.login(await appliance.addUser(['read', 'admin', 'active']))
    const members = { username: service.name, passphrase: '', apikey: appliance.applicationKey, otp: '123456' }
    expect(await attempt(members)).toMatchObject(refused)
    const { DATA: _data, CALLINFO } = await admin.must('GET', '/user')
    expect(JSON.stringify(CALLINFO)).not.toContain(service.name)
    for (const [method, path, body] of [
      ['GET', `/user/${service.id}`, undefined],
      ['GET', `/user/${service.id}/otp`, undefined],
      ['GET', `/user/${service.id}/passkeys`, undefined],
      ['GET', `/usercert/${service.id}`, undefined],
      ['PUT', `/user/${service.id}`, { fullname: 'Another one' }],
      ['PUT', `/user/${service.id}/passphrase`, { newpassphrase: 'nine brown lanterns over water' }],
      ['POST', `/user/${service.id}/otp`, { kind: 'totp' }],
      ['DELETE', `/user/${service.id}`, undefined],
    ] as const)
      expect(await admin.call(method, path, { body }), `${method} ${path}`).toMatchObject({
        status: 404,
        json: { ERRORCODES: { 1700: expect.any(String) } },
      })
    const { CALLINFO: types } = await appliance.client().must('GET', '/authinfo/logintypes')
    expect(JSON.stringify(types)).not.toContain('service')
  })

  it('is described in 128 characters, each of which counts once', async () => {
    const described = (description: string) =>
      ownerClient.call('PUT', `/service/${service.id}`, { body: { description } })
    const description = '\u{1f511}'.repeat(128)
    expect((await described(description)).status).toBe(200)
    expect(await described(`${description}x`)).toMatchObject({ status: 400 })
    expect((await ownerClient.must('GET', `/service/${service.id}`)).CALLINFO).toMatchObject({
      service: { description },
    })
  })

  it('has sessions that administrators list and end', async () => {
    const other = await addService(appliance, owner)
    const { key: itsKey } = await addCredential(appliance, other, { ...asked, kind: 'static' })
    const client = await loggedIn(appliance.client(), byKey(other.name, itsKey))
    const admin = await appliance.login(await appliance.addUser(['read', 'admin', 'active']))
    const { CALLINFO } = await admin.must('GET', `/user/${other.id}/sessions`)
    expect(CALLINFO['sessions']).toMatchObject([{ application: expect.stringMatching(/^credential [0-9a-f]{16}$/) }])
    expect((await admin.must('DELETE', `/user/${other.id}/sessions`)).CALLINFO['ended']).toBe(1)
    expect(await client.get('/auth/check')).toMatchObject({ status: 403 })
    await loggedIn(appliance.client(), byKey(other.name, itsKey))
  })

  it('tells when each credential was used, once a minute', async () => {
    await loggedIn(appliance.client(), byKey(service.name, key))
    const { uses } = await appliance.services.serviceAccounts.read(service.id)
    expect(uses).toMatchObject([{ address: '127.0.0.1' }])
    await loggedIn(appliance.client(), byKey(service.name, key))
    expect((await appliance.services.serviceAccounts.read(service.id)).uses).toEqual(uses)
  })
})

describe('a second factor', () => {
  it.each([
    ['DELETE', '/me/passkeys/1', {}],
    ['PUT', '/auth/passphrase', { passphrase: 'wrong', newpassphrase: 'nine brown lanterns over water' }],
  ] as const)('does not exist, so that %s %s refuses every code', async (method, path, members) => {
    const client = await loggedIn(appliance.client(), byKey(service.name, key))
    const raw = JSON.stringify({ ...members, otp: '123456', logintype: 'totp' })
    expect(await client.call(method, path, { raw })).toMatchObject(refused)
  })
})
