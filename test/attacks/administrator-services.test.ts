import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Service } from '../../src/features/services/described-service.ts'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import type { TestClient } from '../support/client.ts'
import { verdict } from '../support/fault-kit.ts'
import { addCredential, addService, asked, byKey, loggedIn, sharedVault } from '../support/service-kit.ts'

/**
 * The attacker is an administrator, with the interface only, who wants to read a vault through a service account that
 * is a member of it; or the owner of another account who wants the same.
 */
const appliance = applianceForTests(() => TestAppliance.shared({ service: { allowStatic: true } }))
let owner: TestUser
let ownerClient: TestClient
let administrator: TestUser
let administratorClient: TestClient
let service: Service
let vault: string
let ciphertext: unknown

beforeAll(async () => {
  administrator = await appliance.addUser(['read', 'createVault', 'admin', 'active'])
  administratorClient = await appliance.login(administrator)
})

beforeEach(async () => {
  owner = await appliance.addUser()
  ownerClient = await appliance.login(owner)
  service = await addService(appliance, owner)
  vault = await sharedVault(ownerClient, service)
  await ownerClient.must('POST', `/transparent/${vault}/keys/column`, { type: 'aes256-gcm96' })
  const made = await ownerClient.must('POST', `/transparent/${vault}/encrypt/column`, { plaintext: 'AAAA' })
  ciphertext = made.CALLINFO['ciphertext']
})

const decrypts = async (client: TestClient) =>
  verdict(await client.post(`/transparent/${vault}/decrypt/column`, { ciphertext }))
const addKey = async (client: TestClient): Promise<string> => {
  const body = { kind: 'static', name: 'added' }
  return String((await client.must('POST', `/service/${service.id}/credential`, body)).CALLINFO['key'])
}
const onHold = '403 1302'

describe('an administrator who adds a credential of his own', () => {
  it('reads nothing: the memberships are on hold until an Admin of the vault confirms them', async () => {
    const before = await addCredential(appliance, service, { ...asked, kind: 'static' })
    await ownerClient.must('POST', `/vault/${vault}/member/${service.id}/confirm`)
    const own = await loggedIn(appliance.client(), byKey(service.name, before.key))
    expect(await decrypts(own)).toBe('done')

    const attacker = await loggedIn(appliance.client(), byKey(service.name, await addKey(administratorClient)))
    expect(await decrypts(attacker)).toBe(onHold)
    // The application that used the account before is refused as well, so that its operator notices.
    expect(await decrypts(own)).toBe(onHold)
    const { CALLINFO } = await ownerClient.must('GET', `/vault/${vault}/members`)
    const members = CALLINFO['vaultmembers'] as { id: string; resting?: { by: string[] } }[]
    expect(members.find(({ id }) => id === String(service.id))?.resting?.by).toContain(String(administrator.id))
    await ownerClient.must('POST', `/vault/${vault}/member/${service.id}/confirm`)
    expect(await decrypts(own)).toBe('done')
  })

  it('does not confirm it himself, as an Admin of the vault', async () => {
    await ownerClient.must('POST', `/vault/${vault}/member/${administrator.id}`, { status: 4 })
    await addKey(administratorClient)
    expect(verdict(await administratorClient.post(`/vault/${vault}/member/${service.id}/confirm`))).toBe('403 1303')
  })

  it.each([
    ['makes himself the owner first', { owner: 'himself' }],
    ['loosens the addresses', { addresses: ['127.0.0.1'] }],
    ['moves the end', { expires: '2100-01-01T00:00:00Z' }],
  ])('has the same if he %s', async (_what, change) => {
    const key = await addKey(ownerClient)
    const client = await loggedIn(appliance.client(), byKey(service.name, key))
    expect(await decrypts(client)).toBe('done')
    const body = 'owner' in change ? { owner: administrator.id } : change
    const { CALLINFO } = await administratorClient.must('PUT', `/service/${service.id}`, body)
    expect(JSON.stringify(CALLINFO['general'])).toContain('on hold until')
    expect(await decrypts(client)).toBe(onHold)
    // A credential that he adds as the owner changes nothing.
    if ('owner' in change) {
      const attacker = await loggedIn(appliance.client(), byKey(service.name, await addKey(administratorClient)))
      expect(await decrypts(attacker)).toBe(onHold)
    }
  })

  it('puts the memberships on hold as well when he enables a disabled account again', async () => {
    const key = await addKey(ownerClient)
    await administratorClient.must('PUT', `/service/${service.id}`, { active: false })
    await administratorClient.must('PUT', `/service/${service.id}`, { active: true })
    expect(await decrypts(await loggedIn(appliance.client(), byKey(service.name, key)))).toBe(onHold)
  })

  it('cannot keep an account disabled that its owner enables again', async () => {
    const key = await addKey(ownerClient)
    await administratorClient.must('PUT', `/service/${service.id}`, { active: false })
    await ownerClient.must('PUT', `/service/${service.id}`, { active: true })
    expect(await decrypts(await loggedIn(appliance.client(), byKey(service.name, key)))).toBe('done')
  })

  it('puts the memberships on hold as well when he logs in as the owner, whose pass phrase he set', async () => {
    const key = await addKey(ownerClient)
    const newpassphrase = 'eleven grey lanterns over snow'
    await administratorClient.must('PUT', `/user/${owner.id}/passphrase`, { newpassphrase })
    const posing = await appliance.login({ ...owner, passphrase: newpassphrase })
    const { json } = await posing.call('POST', `/service/${service.id}/credential`, {
      body: { kind: 'static', name: 'added' },
    })
    expect(JSON.stringify(json.CALLINFO.general)).toContain('on hold until')
    const added = await loggedIn(appliance.client(), byKey(service.name, String(json.CALLINFO['key'])))
    expect(await decrypts(added)).toBe(onHold)
    expect(await decrypts(await loggedIn(appliance.client(), byKey(service.name, key)))).toBe(onHold)
  })
})

describe('an administrator', () => {
  it('removes credentials and accounts without putting memberships on hold', async () => {
    const [first, second] = [await addKey(ownerClient), await addKey(ownerClient)]
    const client = await loggedIn(appliance.client(), byKey(service.name, second))
    const { CALLINFO } = await administratorClient.must('GET', `/service/${service.id}`)
    const { credentials } = CALLINFO['service'] as { credentials: { id: string }[] }
    await administratorClient.must('DELETE', `/service/${service.id}/credential/${credentials[0]?.id}`)
    expect(verdict(await appliance.client().post('/auth', byKey(service.name, first)))).toBe('403 1201')
    expect(await decrypts(client)).toBe('done')
    await administratorClient.must('DELETE', `/service/${service.id}`)
    expect(await decrypts(client)).toBe('403 1200')
  })
})

describe('the owner of another account', () => {
  it('can neither see nor change this account', async () => {
    const stranger = await appliance.login(await appliance.addUser())
    const other = await addService(appliance, owner)
    for (const id of [service.id, other.id, 999_999]) {
      expect(verdict(await stranger.get(`/service/${id}`))).toBe('403 1300')
      expect(verdict(await stranger.call('PUT', `/service/${id}`, { body: { active: false } }))).toBe('403 1300')
      expect(verdict(await stranger.call('DELETE', `/service/${id}`))).toBe('403 1300')
      const body = { kind: 'static', name: 'mine' }
      expect(verdict(await stranger.post(`/service/${id}/credential`, body))).toBe('403 1300')
    }
    const { CALLINFO } = await stranger.must('GET', '/service')
    expect(CALLINFO['services']).toEqual([])
    const { CALLINFO: own } = await ownerClient.must('GET', '/service')
    expect((own['services'] as { id: string }[]).map(({ id }) => id)).toEqual([String(service.id), String(other.id)])
  })

  it('cannot give the account another owner, nor make one', async () => {
    expect(
      verdict(await ownerClient.call('PUT', `/service/${service.id}`, { body: { owner: administrator.id } })),
    ).toBe('403 1300')
    expect(verdict(await ownerClient.post('/service', { name: 'another' }))).toBe('403 1300')
  })

  it('the account itself can do none of this', async () => {
    const client = await loggedIn(appliance.client(), byKey(service.name, await addKey(ownerClient)))
    expect(verdict(await client.get(`/service/${service.id}`))).toBe('403 1300')
    expect(verdict(await client.post('/vault', { vaultname: 'Mine' }))).toBe('403 1300')
    expect(verdict(await client.get('/user'))).toBe('403 1300')
  })
})
