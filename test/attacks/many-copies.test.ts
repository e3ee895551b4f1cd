import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { expectFault } from '../support/client.ts'
import { createObject } from '../support/object-kit.ts'
import { makeVault, type TestVault } from '../support/vault.ts'

/** A user who copies a folder in a vault of his own, as many times at once as he can. */
let appliance: TestAppliance
let attacker: TestVault
let victim: TestVault
let victimUser: TestUser
let folder: string

beforeAll(async () => {
  appliance = await TestAppliance.own({ http: { workers: 2 } })
  attacker = await makeVault(appliance)
  victim = await makeVault(appliance)
  victimUser = await appliance.addUser()
  folder = await createObject(attacker.admin, attacker.id, { templateid: '2', name: 'Folder' })
  const secret = 'x'.repeat(8_000)
  const card = { templateid: '11', parentid: folder, service: 'host', cardno: secret, cvc: secret, pincode: secret }
  await Promise.all(Array.from({ length: 60 }, () => createObject(attacker.admin, attacker.id, card)))
})
afterAll(() => appliance.close())

describe('copies of a folder, which hold the writer of SQLite', () => {
  it('go one at once in a worker for a user, and others log in and change objects meanwhile', async () => {
    const copies = Promise.all(
      Array.from({ length: 8 }, () => attacker.admin.post(`/object/${folder}/copy`, { parentid: 0 })),
    )
    const others = Promise.all([
      appliance.login(victimUser),
      ...Array.from({ length: 5 }, () => createObject(victim.admin, victim.id)),
    ])
    const answers = await copies
    expect(await others).toHaveLength(6)
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const answer of refused) {
      expectFault(answer, 429, 1820)
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    }
    // The quota is that of the attacker alone.
    const own = await createObject(victim.admin, victim.id, { templateid: '2', name: 'Folder' })
    await createObject(victim.admin, victim.id, { parentid: own })
    await victim.admin.must('POST', `/object/${own}/copy`, { parentid: 0 })
  })
})
