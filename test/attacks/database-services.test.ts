import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { operatorId } from '../../src/access/confirmation.ts'
import type { User } from '../../src/features/users/records.ts'
import type { Service } from '../../src/features/services/described-service.ts'
import { readServiceAccount, serviceText } from '../../src/hsm/service-account.ts'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import type { TestClient } from '../support/client.ts'
import { verdict } from '../support/fault-kit.ts'
import { addCredential, addService, asked, byKey, loggedIn, sharedVault } from '../support/service-kit.ts'
import { accountRow } from '../support/user-row.ts'

/**
 * The attacker has the database: he alters rows of service accounts, makes them from users, and puts earlier ones back.
 */
const appliance = applianceForTests(() => TestAppliance.own({ service: { allowStatic: true } }))
let owner: TestUser
let ownerClient: TestClient
let service: Service
let key: string
let vault: string
let client: TestClient

beforeAll(async () => {
  owner = await appliance.addUser()
  ownerClient = await appliance.login(owner)
})

beforeEach(async () => {
  service = await addService(appliance, owner)
  key = (await addCredential(appliance, service, { ...asked, kind: 'static' })).key
  vault = await sharedVault(ownerClient, service)
  await ownerClient.must('POST', `/transparent/${vault}/keys/column`, { type: 'aes256-gcm96' })
  client = await loggedIn(appliance.client(), byKey(service.name, key))
})

const encrypts = async (by: TestClient) =>
  verdict(await by.post(`/transparent/${vault}/encrypt/column`, { plaintext: 'AAAA' }))
const logsIn = async () => verdict(await appliance.client().post('/auth', byKey(service.name, key)))
const textOf = async (id: number) => (await accountRow(appliance, { id })).service ?? ''
const setText = (id: number, text: string) => appliance.sql(`UPDATE users SET service = '${text}' WHERE id = ${id}`)
/** Puts back an earlier row, with its sessions. */
async function putBack({ id, service: text, generation, capabilities, seal }: User): Promise<void> {
  await appliance.sql(
    `UPDATE users SET service = '${text}', generation = ${generation}, capabilities = ${capabilities},
     seal = '${seal.toString('base64')}' WHERE id = ${id}`,
  )
  await appliance.sql(`UPDATE sessions SET ended_at = NULL WHERE user_id = ${id}`)
}

it('an account whose row is as it was sealed encrypts', async () => {
  expect(await encrypts(client)).toBe('done')
})

describe('an account that was edited', () => {
  it('has no credential more, and none of another account', async () => {
    const other = await addService(appliance, owner)
    const mine = await addCredential(appliance, other, { ...asked, kind: 'static' })
    const [account, theirs] = [await textOf(service.id), await textOf(other.id)].map(readServiceAccount)
    if (account === undefined || theirs === undefined) throw new Error('no account')
    await setText(service.id, serviceText({ ...account, credentials: [...account.credentials, ...theirs.credentials] }))
    expect(verdict(await appliance.client().post('/auth', byKey(service.name, mine.key)))).toBe('503 1903')
    expect(await encrypts(client)).not.toBe('done')
  })

  it.each([
    ['other addresses', (text: string) => text.replace('"addresses":[]', '"addresses":["127.0.0.1"]')],
    [
      'another end',
      (text: string) => text.replace('"expiresAt":null,"credentials"', '"expiresAt":9999999999999,"credentials"'),
    ],
    ['no account', () => '{}'],
    ['no JSON', () => '{'],
  ])('is not used, nor changed by its owner: %s', async (_what, edit) => {
    const before = await textOf(service.id)
    const after = edit(before)
    expect(after).not.toBe(before)
    await setText(service.id, after)
    expect(await logsIn()).toBe('503 1903')
    expect(await encrypts(client)).not.toBe('done')
    expect(verdict(await ownerClient.call('PUT', `/service/${service.id}`, { body: { active: false } }))).not.toBe(
      'done',
    )
  })

  it('was disabled, and is not enabled by the row of before', async () => {
    const before = await accountRow(appliance, service)
    await ownerClient.must('PUT', `/service/${service.id}`, { active: false })
    expect(await logsIn()).toBe('403 1201')
    await putBack(before)
    expect(await logsIn()).toBe('503 1911')
    expect(await encrypts(client)).not.toBe('done')
  })

  it('lost a credential, and does not get it back with the row of before', async () => {
    const before = await accountRow(appliance, service)
    const { account } = await appliance.services.serviceAccounts.read(service.id)
    const [first] = account.credentials
    await appliance.services.serviceAccounts.removeCredential(service.id, first?.id ?? '', operatorId, appliance.commit)
    await putBack(before)
    expect(await logsIn()).toBe('503 1911')
    expect(await encrypts(client)).not.toBe('done')
  })
})

describe('a row', () => {
  it('of a user does not become a service account', async () => {
    const victim = await appliance.addUser()
    const session = await appliance.login(victim)
    await setText(victim.id, await textOf(service.id))
    expect(verdict(await appliance.client().post('/auth', byKey(victim.username, key)))).toBe('503 1903')
    expect(verdict(await session.get('/auth/check'))).not.toBe('done')
    await appliance.sql(`UPDATE users SET service = NULL WHERE id = ${victim.id}`)
    await appliance.login(victim)
  })

  it('of a service account does not become a user, and its session none of a person', async () => {
    await appliance.sql(`UPDATE users SET service = NULL WHERE id = ${service.id}`)
    expect(await logsIn()).toBe('403 1201')
    expect(await encrypts(client)).not.toBe('done')
    await appliance.sql(
      `UPDATE sessions SET application_key_id = 1, credential = NULL, ended_at = NULL WHERE user_id = ${service.id}`,
    )
    expect(await encrypts(client)).not.toBe('done')
  })

  it('of a session does not become that of another account, a longer one, or one of a person', async () => {
    const other = await loggedIn(appliance.client(), byKey(service.name, key))
    await appliance.sql(`UPDATE sessions SET expires_at = expires_at + 1000000 WHERE user_id = ${service.id}`)
    expect(await encrypts(other)).toBe('503 1903')
    await appliance.sql(
      `UPDATE sessions SET expires_at = expires_at - 1000000, ended_at = NULL WHERE user_id = ${service.id}`,
    )
    expect(await encrypts(other)).toBe('done')
    await appliance.sql(`UPDATE sessions SET user_id = ${owner.id} WHERE user_id = ${service.id}`)
    expect(await encrypts(other)).not.toBe('done')
  })
})
