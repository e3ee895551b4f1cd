import { beforeAll, describe, expect, it } from 'vitest'
import { writeGrants } from '../../src/access/scope.ts'
import { MembershipTable, type MembershipRow } from '../../src/features/vaults/membership-records.ts'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../support/for-tests.ts'
import type { TestClient } from '../support/client.ts'
import { verdict } from '../support/fault-kit.ts'

/** The attacker writes to the database: he widens the grants of a narrowed member, or puts back a wider row. */
const appliance = applianceForTests(() => TestAppliance.own())
const vault = vaultForTests(appliance)
let user: TestUser
let client: TestClient

beforeAll(async () => {
  for (const name of ['mail-a', 'pay']) await vault.admin.must('POST', `/transparent/${vault.id}/keys/${name}`)
})

const grants = [{ keys: 'mail-*', operations: ['encrypt'] }] as const
const wider = writeGrants([{ keys: '*', operations: ['encrypt', 'decrypt'] }])
const place = () => `/vault/${vault.id}/member/${user.id}`
const encrypt = async (name: string) =>
  verdict(await client.post(`/transparent/${vault.id}/encrypt/${name}`, { plaintext: 'AAAA' }))
const key = () => ({ vaultId: Number(vault.id), userId: user.id })
const rowOf = (): Promise<MembershipRow> => appliance.store.read.findOneByOrFail(MembershipTable, key())
const write = (columns: Partial<MembershipRow>) =>
  appliance.store.transaction((tx) => tx.update(MembershipTable, key(), columns))

describe('a member whose row was edited', () => {
  it.each<[string, Partial<MembershipRow>]>([
    ['without grants', { grants: null }],
    ['with wider ones', { grants: wider }],
    ['with the permission beside them', { permission: 4 }],
    ['with both', { grants: null, permission: 4 }],
  ])('gets nothing: %s', async (_how, columns) => {
    ;({ user, client } = await vault.narrowed(grants))
    expect(await encrypt('mail-a')).toBe('done')
    await write(columns)
    for (const name of ['pay', 'mail-a']) expect(await encrypt(name)).toBe('503 1903')
    // A later session is refused as well.
    client = await appliance.login(user)
    expect(await encrypt('pay')).toBe('503 1903')
    // The keeper seals no successor of the altered row.
    const body = { status: 1, grants }
    expect(verdict(await vault.admin.call('PUT', place(), { body }))).not.toBe('done')
  })

  it('gets nothing by the row of before, when it was wider', async () => {
    user = await appliance.addUser()
    await vault.admin.must('POST', place(), { status: 1 })
    const before = await rowOf()
    // A session that used it recently keeps its grant for a minute at most.
    client = await appliance.login(user)
    await vault.admin.must('PUT', place(), { status: 1, grants })
    expect(await encrypt('pay')).toBe('403 1301')
    await write(before)
    expect(await encrypt('pay')).toBe('503 1911')
    client = await appliance.login(user)
    expect(await encrypt('pay')).toBe('503 1911')
  })
})
