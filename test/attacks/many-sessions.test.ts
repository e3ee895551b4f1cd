import { beforeAll, expect, it } from 'vitest'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import type { TestClient } from '../support/client.ts'
import { addCredential, addService, asked, byKey, loggedIn, sharedVault } from '../support/service-kit.ts'

// The attacker has a credential of a service account, and logs in until its sessions no longer fit one statement.

const appliance = applianceForTests(() => TestAppliance.own({ service: { allowStatic: true } }))
let owner: TestUser
let ownerClient: TestClient

beforeAll(async () => {
  owner = await appliance.addUser(['read', 'createVault', 'active'])
  ownerClient = await appliance.login(owner)
})

/** Copies the session of an account, since the database treats the copies like others. */
const copySession = (userId: number, times: number): Promise<unknown> =>
  appliance.store.transaction(async (tx) => {
    const columns =
      'user_id, application_key_id, address, created_at, last_seen_at, ended_at, certificate, credential, identity, recoveries, expires_at'
    await tx.query(
      `WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${times})
       INSERT INTO sessions (${columns}) SELECT ${columns} FROM (SELECT * FROM sessions WHERE user_id = ${userId}), counted`,
    )
    await tx.query(
      `INSERT INTO session_tokens (hash, session_id, issued_at, superseded_at, uses, seal)
       SELECT lower(hex(randomblob(32))), id, created_at, NULL, 0, '' FROM sessions
       WHERE user_id = ${userId} AND id NOT IN (SELECT session_id FROM session_tokens)`,
    )
  })

it.each([
  ['its credential is removed', (id: number, credential: string) => `/service/${id}/credential/${credential}`],
  ['it is disabled', (id: number) => `/service/${id}`],
])('are all ended when %s', async (_when, path) => {
  const service = await addService(appliance, owner)
  const { id, key } = await addCredential(appliance, service, { ...asked, kind: 'static' })
  const stolen = await loggedIn(appliance.client(), byKey(service.name, key))
  const vault = await sharedVault(ownerClient, service)
  await ownerClient.must('POST', `/transparent/${vault}/keys/column`, { type: 'aes256-gcm96' })
  const encrypt = () => stolen.post(`/transparent/${vault}/encrypt/column`, { plaintext: 'AAAA' })
  expect((await encrypt()).status).toBe(201)
  await copySession(service.id, 33_000)
  await ownerClient.must('DELETE', path(service.id, id))
  expect((await encrypt()).status).toBe(403)
  expect((await appliance.client().post('/auth', byKey(service.name, key))).status).toBe(403)
  const open = `SELECT count(*) AS open FROM sessions WHERE user_id = ${service.id} AND ended_at IS NULL`
  expect(await appliance.store.read.query(open)).toEqual([{ open: 0 }])
})
