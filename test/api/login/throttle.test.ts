import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { expectFault } from '../../support/client.ts'

let appliance: TestAppliance

beforeAll(async () => {
  appliance = await TestAppliance.start({
    login: { freeAttempts: 3, firstDelayMs: 60_000, longestDelayMs: 120_000, argon2: { memoryKiB: 8192, passes: 1 } },
  })
})
afterAll(() => appliance.close())

const auth = (body: unknown) => appliance.client().post('/auth', body)

describe('failed logins', () => {
  it('are free three times, then wait, even for the right credentials', async () => {
    const user = await appliance.addUser()
    for (let attempt = 0; attempt < 3; attempt++)
      expectFault(await auth({ ...appliance.credentials(user), passphrase: 'wrong wrong' }), 403, 1201)
    const answer = await auth(appliance.credentials(user))
    expectFault(answer, 429, 1202)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(30)
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60)
  })

  it('of 30 parallel tries, only the free ones are looked at', async () => {
    const user = await appliance.addUser()
    const bodies = Array.from({ length: 30 }, () => ({ ...appliance.credentials(user), passphrase: 'wrong wrong' }))
    const statuses = (await Promise.all(bodies.map(auth))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 403)).toHaveLength(3)
    expect(statuses.filter((status) => status === 429)).toHaveLength(27)
  })

  it('are delayed for unknown users just the same', async () => {
    const user = await appliance.addUser()
    const body = () => ({ ...appliance.credentials(user), username: 'nobody-at-all' })
    for (let attempt = 0; attempt < 3; attempt++) expectFault(await auth(body()), 403, 1201)
    expectFault(await auth(body()), 429, 1202)
  })

  it('are forgiven by a success', async () => {
    const user = await appliance.addUser()
    for (let round = 0; round < 3; round++) {
      for (let attempt = 0; attempt < 2; attempt++)
        expectFault(await auth({ ...appliance.credentials(user), passphrase: 'wrong wrong' }), 403, 1201)
      expect((await auth(appliance.credentials(user))).status).toBe(200)
    }
  })
})
