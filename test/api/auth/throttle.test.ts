import { describe, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { HardwareToken } from '../../support/hardware-token.ts'

const appliance = applianceForTests(() =>
  TestAppliance.own({
    login: { freeAttempts: 3, firstDelayMs: 60_000, longestDelayMs: 120_000, argon2: { memoryKiB: 8192, passes: 1 } },
  }),
)

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
    const otp = new HardwareToken().press()
    const bodies = Array.from({ length: 30 }, () => ({ ...appliance.credentials(user), otp }))
    const statuses = (await Promise.all(bodies.map(auth))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 403)).toHaveLength(3)
    expect(statuses.filter((status) => status === 429)).toHaveLength(27)
  })

  it('of 30 parallel tries with the stolen hardware token, only as many', async () => {
    const user = await appliance.addUser()
    const bodies = Array.from({ length: 30 }, () => ({ ...appliance.credentials(user), passphrase: 'wrong wrong' }))
    const statuses = (await Promise.all(bodies.map(auth))).map(({ status }) => status)
    // OTPs that arrive out of order are used up: they fail whatever the pass phrase is, and are counted separately.
    const refused = statuses.filter((status) => status === 403)
    expect(refused.length).toBeGreaterThanOrEqual(3)
    expect(refused.length).toBeLessThanOrEqual(6)
    expect(statuses.filter((status) => status === 429)).toHaveLength(30 - refused.length)
    expectFault(await auth(appliance.credentials(user)), 429, 1202)
  })

  it('of a stranger, with a recorded OTP too, do not delay the holder of a hardware token, at the same address', async () => {
    const user = await appliance.addUser()
    const recorded = appliance.credentials(user)
    expect((await auth(recorded)).status).toBe(200)
    for (let attempt = 0; attempt < 3; attempt++) expectFault(await auth(recorded), 403, 1201)
    expectFault(await auth(recorded), 429, 1202)
    expect((await auth(appliance.credentials(user))).status).toBe(200)
  })

  const spellings = [
    (name: string) => name,
    (name: string) => ` ${name}`,
    (name: string) => `${name}\t`,
    (name: string) => name.toUpperCase(),
    (name: string) =>
      Array.from(name, (c) => (/[a-z]/.test(c) ? String.fromCodePoint((c.codePointAt(0) ?? 0) + 0xfee0) : c)).join(''),
    (name: string) => `\u00a0${name}\u3000`,
    (name: string) => name.replace('k', '\u212a'),
  ]
  it('are counted for the user, however the name is spelled', async () => {
    const user = await appliance.addUser()
    const otp = new HardwareToken().press()
    const statuses: number[] = []
    for (const spell of spellings)
      statuses.push((await auth({ ...appliance.credentials(user), otp, username: spell(user.username) })).status)
    expect(statuses).toEqual([403, 403, 403, 429, 429, 429, 429])
  })

  it('are remembered over a kill of everything', async () => {
    const user = await appliance.addUser()
    const wrong = () => ({ ...appliance.credentials(user), otp: new HardwareToken().press() })
    for (let attempt = 0; attempt < 3; attempt++) expectFault(await auth(wrong()), 403, 1201)
    await appliance.restart('SIGKILL')
    expectFault(await auth(wrong()), 429, 1202)
    expect((await auth(appliance.credentials(user))).status).toBe(200)
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
