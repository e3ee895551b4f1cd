import type { StoredSafe } from 'storedsafe'
import { beforeAll, expect, it } from 'vitest'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { accepted, npmClient } from './client-kit.ts'

// It lists all users there are.
const appliance = applianceForTests(() => TestAppliance.own({ http: { acceptChunked: true } }))
let user: TestUser
let client: StoredSafe

beforeAll(async () => {
  user = await appliance.addUser(['read', 'createVault', 'admin', 'active'])
  client = await npmClient(appliance, user)
})

const bob = {
  username: 'bob01',
  fullname: 'Bob Exämple',
  email: 'bob@example.test',
  status: [0, 1, 7],
  passphrase: 'seven wooden lanterns on the quay',
  totp: true,
}

it('creates, reads, edits, lists and disables users', async () => {
  const created = accepted(await client.createUser(bob))
  const [record] = created.data?.CALLINFO.user ?? []
  expect([created.status, created.data?.CALLINFO]).toMatchObject([
    201,
    { calculated_status: 131, user_created: 'Bob Exämple' },
  ])
  const id = record?.id ?? ''
  const edited = accepted(await client.editUser(id, { status: 396, fullname: 'Bob Changed' }))
  expect([edited.status, edited.data?.CALLINFO]).toMatchObject([
    200,
    { calculated_status: 396, message: 'User updated' },
  ])
  const read = accepted(await client.getUser(id))
  const bits = { 2: 'Admin', 3: 'Audit', 7: 'Active', 8: 'UG-list' }
  expect(read.data?.CALLINFO.users).toEqual([{ ...record, status: '396', bits, fullname: 'Bob Changed' }])
  const listed = accepted(await client.listUsers())
  expect(listed.data?.CALLINFO.users.map(({ username }) => username)).toEqual([user.username, 'bob01'])
  const disabled = accepted(await client.deleteUser(id))
  expect([disabled.status, disabled.data?.CALLINFO]).toMatchObject([200, { calculated_status: 268 }])
})

it('is told by the client when something is refused', async () => {
  const refused = await client.createUser({ ...bob, username: 'b' })
  expect([refused.success, refused.hasErrors, refused.status, refused.errors]).toEqual([
    false,
    true,
    400,
    ['username must have 5 to 32 characters.'],
  ])
})
