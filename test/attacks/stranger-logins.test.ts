import { afterAll, expect, it } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { HardwareToken } from '../support/hardware-token.ts'
import { createStranger, type Stranger } from '../support/stranger.ts'

const attackers = 150
// So many that each of these logins is checked before it is refused.
const appliance = applianceForTests(() => TestAppliance.own({ login: { freeAttempts: 100 } }))
const strangers: Stranger[] = []

afterAll(async () => {
  for (const stranger of strangers) stranger.close()
})

interface Flood {
  /** Number of answered logins. */
  answered: number
  readonly all: Promise<unknown>
}

/** Sends wrong logins at once, each over a new connection. */
function flood(addressOf: (n: number) => string, usernameOf: (n: number) => string): Flood {
  const state = { answered: 0 }
  const logins = Array.from({ length: attackers }, async (_, n) => {
    const stranger = createStranger(appliance, addressOf(n))
    strangers.push(stranger)
    const credentials = { passphrase: 'wrong wrong', apikey: 'x'.repeat(10), otp: new HardwareToken().press() }
    const body = JSON.stringify({ username: usernameOf(n), ...credentials })
    const { status } = await stranger.call('POST', '/auth', body, { 'Content-Type': 'application/json' })
    state.answered += 1
    return status
  })
  return Object.assign(state, { all: Promise.all(logins) })
}

it.each([
  ['one address, for as many accounts', () => '127.0.0.66', (n: number) => `user${n}`],
  ['as many addresses, for one account', (n: number) => `127.0.1.${n + 1}`, () => 'root'],
  ['as many addresses, for as many accounts', (n: number) => `127.0.2.${n + 1}`, (n: number) => `user${n}`],
])('wrong logins at once from %s: an honest one waits for few of them', async (_what, addressOf, usernameOf) => {
  const user = await appliance.addUser()
  // From its address, which others use as well.
  await appliance.login()
  const attack = flood(addressOf, usernameOf)
  // All are waiting by now, because they arrived at once.
  await expect.poll(() => attack.answered, { interval: 1 }).toBeGreaterThanOrEqual(5)
  const passed: number[] = []
  do {
    const before = attack.answered
    expect((await appliance.client().post('/auth', appliance.credentials(user))).status).toBe(200)
    passed.push(attack.answered - before)
  } while (attack.answered < attackers)
  // The one during which this process stood still least. Where it waited for all, there is no other.
  expect(Math.min(...passed)).toBeLessThan(attackers / 5)
  expect(await attack.all).toEqual(Array.from({ length: attackers }, () => 403))
})
