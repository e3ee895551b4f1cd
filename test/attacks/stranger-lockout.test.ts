import { beforeEach, describe, expect, it } from 'vitest'
import { operatorId } from '../../src/access/confirmation.ts'
import { tryRulesOf } from '../../src/hsm/try-rules.ts'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { HardwareToken, hotpCodes, totpCode } from '../support/hardware-token.ts'
import { createStranger } from '../support/stranger.ts'

/**
 * The attackers have no session, but know a user's name and the application key, which many share. They want to lock
 * the user out.
 */
const appliance = applianceForTests(() =>
  TestAppliance.own({
    login: { freeAttempts, firstDelayMs: 900_000, longestDelayMs: 900_000, argon2: { memoryKiB: 8192, passes: 1 } },
  }),
)
let user: TestUser

const freeAttempts = 2

beforeEach(async () => {
  user = await appliance.addUser()
  await appliance.login(user)
})

/** The number of tries that the keeper accepts before it refuses all. */
const mostTries = () => tryRulesOf(appliance.config.login).burst

const otherToken = new HardwareToken()
const factors = {
  code: () => ({ otp: '123456', logintype: 'totp' }),
  'hardware token': () => ({ otp: otherToken.press(), logintype: 'hwkey_otp' }),
}

/** Sends wrong logins from one address until the throttle refuses them. Resolves to the number that were checked. */
async function attackFrom(address: string, factor: keyof typeof factors): Promise<number> {
  const stranger = createStranger(appliance, address)
  let looks = 0
  for (;;) {
    const known = { username: user.username, apikey: appliance.applicationKey }
    const body = JSON.stringify({ ...known, passphrase: 'wrong wrong', ...factors[factor]() })
    const { status } = await stranger.call('POST', '/auth', body, { 'Content-Type': 'application/json' })
    if (status !== 403) break
    looks += 1
  }
  stranger.close()
  return looks
}

let networks = 0
const unfamiliar = () => `127.7.${networks >> 7}.${1 + (networks++ & 127)}`

const statusOf = async (credentials: Record<string, string>) =>
  (await appliance.client().post('/auth', credentials)).status

const byToken = () => statusOf(appliance.credentials(user))
const byCode = () => statusOf({ ...appliance.credentials(user), otp: totpCode(user.totpSecret), logintype: 'totp' })

describe('strangers at many addresses', () => {
  it('keep no user out at the usual place, with a hardware token or a code, whenever that user logs in', async () => {
    for (let round = 0; round < 4; round++) {
      for (let network = 0; network < 12; network++) await attackFrom(unfamiliar(), 'code')
      expect(await byToken(), `round ${round}`).toBe(200)
    }
    expect(await byCode()).toBe(200)
    expect(appliance.journal).not.toContain('A limit of wrong tries was reached')
  })
})

describe('a user of codes', () => {
  it('logs in at ever new places, as often as at the usual one', async () => {
    const { enrolments } = appliance.services
    const { secret } = await enrolments.enrolCodes(user, { kind: 'hotp' }, operatorId, appliance.commit)
    for (const otp of hotpCodes(secret, 0, { count: 12 * freeAttempts })) {
      const traveller = createStranger(appliance, unfamiliar())
      const body = JSON.stringify({ ...appliance.credentials(user), otp, logintype: 'totp' })
      const { status } = await traveller.call('POST', '/auth', body, { 'Content-Type': 'application/json' })
      expect(status, otp).toBe(200)
      traveller.close()
    }
  })
})

describe('a stranger at the same address', () => {
  it.each(['code', 'hardware token'] as const)(
    'with a %s keeps no user out who has a hardware token, and logs in often',
    async (factor) => {
      let looks = 0
      while (looks <= 2 * mostTries()) {
        looks += await attackFrom('127.0.0.1', factor)
        expect(await byToken(), `after ${looks} wrong logins`).toBe(200)
      }
    },
  )
})
