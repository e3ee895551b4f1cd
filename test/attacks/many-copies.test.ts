import { beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../support/for-tests.ts'
import { expectFault } from '../support/client.ts'
import { createObject } from '../support/object-kit.ts'
import { makeVault, type TestVault } from '../support/vault.ts'

/** The attacker is a user who copies a folder in his own vault, as often at once as he can. */
const appliance = applianceForTests(() => TestAppliance.own({ http: { workers: 2 } }))
const attacker = vaultForTests(appliance)
const victim = vaultForTests(appliance)
let victimUser: TestUser
let folder: string

beforeAll(async () => {
  victimUser = await appliance.addUser()
  folder = await createObject(attacker.admin, attacker.id, { templateid: '2', name: 'Folder' })
  const secret = 'x'.repeat(8_000)
  const card = { templateid: '11', parentid: folder, service: 'host', cardno: secret, cvc: secret, pincode: secret }
  await Promise.all(Array.from({ length: 60 }, () => createObject(attacker.admin, attacker.id, card)))
})

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
    // A move within a vault encrypts nothing and does not count.
    const moves = Array.from({ length: 4 }, () => attacker.admin.post(`/object/${folder}/move`, { parentid: 0 }))
    for (const { status } of await Promise.all(moves)) expect(status).toBe(200)
    // The quota concerns only the attacker.
    const own = await createObject(victim.admin, victim.id, { templateid: '2', name: 'Folder' })
    await createObject(victim.admin, victim.id, { parentid: own })
    await victim.admin.must('POST', `/object/${own}/copy`, { parentid: 0 })
  })

  it('are bounded in open fields, of which each trigram costs the writer, and wait for each other where users are many', async () => {
    const whole = await longFolder(attacker, 22)
    const tooLong = await attacker.admin.post(`/object/${whole}/copy`, { parentid: 0 })
    expectFault(tooLong, 400, 1611)
    expect(tooLong.json.ERRORS?.[0]).toContain('in smaller parts')

    const crowd = [attacker, await makeVault(appliance), await makeVault(appliance)]
    const folders = await Promise.all(crowd.map((vault) => longFolder(vault, 4)))
    const own = await createObject(victim.admin, victim.id, { templateid: '2', name: 'Folder' })
    await createObject(victim.admin, victim.id, { parentid: own })
    const copies = crowd.map(({ admin }, at) => admin.post(`/object/${folders[at]}/copy`, { parentid: 0 }))
    // While all of them are under way on each worker, calls of the victim are not refused.
    for (let round = 0; round < 3; round++) {
      await victim.admin.must('POST', `/object/${own}/copy`, { parentid: 0 })
      await createObject(victim.admin, victim.id)
    }
    for (const answer of await Promise.all(copies)) expect(answer.status).toBe(200)
  })
})

/** Random text in which hardly any three characters occur twice. */
function randomText(length: number): string {
  const numbers = crypto.getRandomValues(new Uint16Array(length))
  return String.fromCharCode(...Array.from(numbers, (number) => 0x4e00 + (number % 20_000)))
}

async function longFolder({ admin, id }: TestVault, objects: number): Promise<string> {
  const made = await createObject(admin, id, { templateid: '2', name: 'Folder' })
  for (let at = 0; at < objects; at++) await createObject(admin, id, { parentid: made, info: randomText(16_000) })
  return made
}
