import { beforeAll, describe, expect, it } from 'vitest'
import { type GrantEntry, writeGrants } from '../../../src/access/scope.ts'
import { findVault } from '../../../src/features/vaults/records.ts'
import { composeRecord, type FieldsOf, openRecord } from '../../../src/hsm/record-layouts.ts'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { grantIn, grantRequest, newIdentity, sealedRecord } from '../../support/grant-kit.ts'
import { addCredential, addService, asked, byKey, loggedIn, sharedVault } from '../../support/service-kit.ts'
import { outcomeOf } from '../../support/step-outcome.ts'
import { makeVault } from '../../support/vault.ts'
import { workerHsm } from '../../support/worker-hsm.ts'

/** A service account has the rights in a vault that its grants name, and none without them. */
const appliance = applianceForTests(() => TestAppliance.shared({ service: { allowStatic: true } }))
let owner: TestUser
let admin: TestClient

beforeAll(async () => {
  owner = await appliance.addUser(['read', 'createVault', 'active'])
  admin = await appliance.login(owner)
})

async function newService() {
  const service = await addService(appliance, owner)
  const { key } = await addCredential(appliance, service, { ...asked, kind: 'static' })
  return { service, client: await loggedIn(appliance.client(), byKey(service.name, key)) }
}
const newVault = async (): Promise<string> => (await makeVault(appliance, 'Mail', admin)).id

describe('a service account', () => {
  it('is not added without grants, nor made more than narrow', async () => {
    const { service } = await newService()
    const vault = await newVault()
    const place = `/vault/${vault}/member/${service.id}`
    for (const body of [{ status: 1 }, { status: 2 }, { status: 4 }, { status: 1, grants: null }]) {
      const answer = await admin.call('POST', place, { body })
      expectFault(answer, 400, 1804)
      expect(answer.json.ERRORS).toEqual([
        'A service account needs grants: say in grants what it may do in this vault, with status 1.',
      ])
    }
    const grants = [{ keys: 'mail-*', operations: ['encrypt'] }]
    await admin.must('POST', place, { status: 1, grants })
    for (const body of [{ status: 1, grants: null }, { status: 2 }, { status: 4, grants }])
      expectFault(await admin.call('PUT', place, { body }), 400, 1804)
    const { CALLINFO } = await admin.must('GET', `/vault/${vault}/members`)
    const members = CALLINFO['vaultmembers'] as { id: string }[]
    expect(members.find(({ id }) => id === String(service.id))).toMatchObject({
      service: true,
      groupstatus: '1',
      grants,
    })
    expect(members.find(({ id }) => id === String(owner.id))).not.toHaveProperty('service')
  })

  it('does what its grants name, and nothing else', async () => {
    const { service, client } = await newService()
    const vault = await sharedVault(admin, service, [{ keys: 'mail-*', operations: ['encrypt'] }])
    for (const name of ['mail-a', 'pay']) await admin.must('POST', `/transparent/${vault}/keys/${name}`)
    const encrypt = (name: string) => client.post(`/transparent/${vault}/encrypt/${name}`, { plaintext: 'AAAA' })
    const answer = await encrypt('mail-a')
    expect(answer.status).toBe(201)
    const { ciphertext } = answer.json.CALLINFO
    expectFault(await client.post(`/transparent/${vault}/decrypt/mail-a`, { ciphertext }), 403, 1301)
    expectFault(await encrypt('pay'), 403, 1301)
    expectFault(await client.get(`/vault/${vault}/members`), 403, 1301)
  })

  it('is on hold after another person has given it a credential, who hears so where it is a member', async () => {
    const { service } = await newService()
    const another = await appliance.login(await appliance.addUser(['read', 'admin', 'active']))
    const add = (name: string) => another.must('POST', `/service/${service.id}/credential`, { kind: 'static', name })
    expect((await add('of none')).CALLINFO['general']).toEqual([])
    await sharedVault(admin, service)
    expect((await add('of one')).CALLINFO['general']).toEqual([expect.stringContaining('are on hold until')])
  })

  it('draws random bytes by grants of any of its vaults', async () => {
    const { service, client } = await newService()
    expectFault(await client.post('/transparent/random', {}), 403, 1301)
    await sharedVault(admin, service, [{ keys: '*', operations: ['encrypt'] }])
    expectFault(await client.post('/transparent/random', {}), 403, 1301)
    await sharedVault(admin, service, [{ keys: '*', operations: ['random'] }])
    expect((await client.post('/transparent/random', {})).status).toBe(200)
    // Users could always draw them.
    expect((await admin.post('/transparent/random', {})).status).toBe(200)
  })

  it('gets no Admin’s place from the operator', async () => {
    const { service } = await newService()
    const vaultId = Number(await newVault())
    const adopting = appliance.services.memberships.adopt({ vaultId, userId: service.id }, 0, appliance.commit)
    await expect(adopting).rejects.toMatchObject({ code: 'user.not_found' })
  })
})

describe('code in a worker, with an Admin’s session', () => {
  const grants: readonly GrantEntry[] = [{ keys: '*', operations: ['encrypt'] }]

  it('seals no membership without grants for a service account, and gives no grant by one', async () => {
    const worker = workerHsm(appliance)
    const vaultId = await newVault()
    const row = await findVault(appliance.store.read, Number(vaultId))
    const [vault, identity] = [Buffer.from(row?.identity ?? '', 'hex'), newIdentity()]
    const account = sealedRecord(appliance.token, 'service account', {
      identity,
      id: 4711,
      username: 'mail',
      capabilities: 128,
      recoveries: 0,
      account: JSON.stringify({
        owner: newIdentity().toString('hex'),
        ownerRecoveries: 0,
        addresses: [],
        expiresAt: null,
        credentials: [],
      }),
      generation: 1,
    })
    const member: FieldsOf<'membership'> = { vault, user: identity, permission: 1, recoveries: 0, generation: 1 }
    const grant = await grantIn(appliance, vaultId)
    const seal = (record: Buffer) => outcomeOf(worker.seal(record, { grant, person: account }))
    expect(await seal(composeRecord('membership', member))).toBe('hsm.rejected')
    expect(await seal(composeRecord('scoped membership', { ...member, grants: writeGrants(grants) }))).toBe('done')

    const request = { ...grantRequest(appliance.token), applicationKey: undefined }
    const person = openRecord(request.session.record).fields as FieldsOf<'session'>
    const session = sealedRecord(appliance.token, 'service session', {
      identity: newIdentity(),
      tokenHash: person.tokenHash,
      account: identity,
      credential: 'gone',
      recoveries: 0,
      createdAt: Date.now(),
      expiresAt: person.expiresAt,
    })
    const membership = sealedRecord(appliance.token, 'membership', { ...member, generation: 2 })
    await expect(worker.grant({ ...request, session, user: account, membership })).rejects.toMatchObject({
      code: 'access.permission',
    })
    await worker.close()
  })
})
