import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { makeVault, type TestVault } from '../support/vault.ts'

/**
 * A user who is logged in and has no special right. What he asks for costs the appliance much more than it costs him;
 * what the others then notice is compared with what they notice without him, in the same run.
 */
let appliance: TestAppliance
let attacker: TestVault
let victim: TestVault
let victimUser: TestUser

beforeAll(async () => {
  appliance = await TestAppliance.own({ http: { workers: 2 } })
  attacker = await makeVault(appliance)
  victim = await makeVault(appliance)
  victimUser = await appliance.addUser()
})
afterAll(() => appliance.close())

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

/** Repeats `work` for as long as the attack lasts, and once at least. */
async function during<T>(attack: Promise<T>, work: (round: number) => Promise<void>): Promise<T> {
  const state = { isOver: false }
  const ending = attack.finally(() => (state.isOver = true))
  ending.catch(() => undefined)
  let round = 0
  do await work(round++)
  while (!state.isOver)
  return ending
}

describe('RSA keys', () => {
  it('twelve of 4096 bits at once hold nobody up', async () => {
    const ciphertext = await victim.encrypt('mine', 'c2VjcmV0')
    const longest = { decryption: 0, edit: 0, login: 0 }
    const note = (what: keyof typeof longest, ms: number) => (longest[what] = Math.max(longest[what], ms))
    const startedMs = performance.now()
    const attack = Array.from({ length: 12 }, (_, at) =>
      attacker.admin.post(`/transparent/${attacker.id}/keys/large-${at}`, { type: 'rsa-4096' }),
    )
    const answers = await during(Promise.all(attack), async (round) => {
      note('decryption', await timed(() => victim.decrypt('mine', ciphertext)))
      note('edit', await timed(() => victim.encrypt(`new-${round}`, 'c2VjcmV0')))
      note('login', await timed(() => appliance.login(victimUser)))
    })
    const made = answers.filter(({ status }) => status === 201)
    expect(made.length).toBeGreaterThan(0)
    // Who waits behind a key for somebody else waits as long as one takes.
    const perKeyMs = (performance.now() - startedMs) / made.length
    for (const ms of Object.values(longest)) expect(ms).toBeLessThan(perKeyMs)
  })
})
