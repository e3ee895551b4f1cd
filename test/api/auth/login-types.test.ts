import { randomBytes } from 'node:crypto'
import { base32nopad } from '@scure/base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorId } from '../../../src/access/confirmation.ts'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { expectFault, type Answer } from '../../support/client.ts'
import { hotpCodes, totpCode } from '../../support/hardware-token.ts'

/** Appliances where one of the two kinds of one-time passwords is enabled. A HOTP token counts as a hardware token. */
const started = (type: string) =>
  TestAppliance.own({ login: { types: [type], argon2: { memoryKiB: 8_192, passes: 1 } } })

let appliance: TestAppliance
let user: TestUser
let seed: string
let used = 0

async function given(type: string): Promise<void> {
  appliance = await started(type)
  user = await appliance.addUser()
  const bytes = randomBytes(20)
  seed = base32nopad.encode(bytes)
  used = 0
  await appliance.services.enrolments.enrolCodes(user, { kind: 'hotp', seed: bytes }, operatorId, appliance.commit)
}

const nextHotp = (): string => hotpCodes(seed, used++)[0] ?? ''
const auth = (body: object): Promise<Answer> => appliance.client().post('/auth', body)
const formA = (otp: string, applicationKey = appliance.applicationKey): Promise<Answer> =>
  auth({ username: user.username, keys: user.passphrase + applicationKey + otp })
const formB = (otp: string, logintype?: string): Promise<Answer> =>
  auth({
    username: user.username,
    passphrase: user.passphrase,
    apikey: appliance.applicationKey,
    otp,
    ...(logintype !== undefined && { logintype }),
  })

describe('with hardware tokens alone', () => {
  beforeAll(() => given('hwkey_otp'))
  afterAll(() => appliance.close())

  it('a code of a HOTP token is taken in every form, whatever its type is called', async () => {
    const { CALLINFO } = await appliance.client().must('GET', '/authinfo/logintypes')
    expect(CALLINFO['enabled_login_types']).toEqual([['hwkey_otp']])
    for (const answer of [
      await formA(nextHotp()),
      await formB(nextHotp()),
      await formB(nextHotp(), 'hwkey_otp'),
      await formB(nextHotp(), 'totp'),
      await formA(user.hardwareToken.press()),
    ])
      expect([answer.status, answer.json.ERRORS]).toEqual([200, undefined])
  })

  it('a code of an app is refused in the words of a failed login', async () => {
    expectFault(await formA(totpCode(user.totpSecret)), 403, 1201)
    expectFault(await formB(totpCode(user.totpSecret), 'hwkey_otp'), 403, 1201)
    expectFault(await formB(totpCode(user.totpSecret), 'totp'), 403, 1201)
  })
})

describe('with authenticator apps alone', () => {
  beforeAll(() => given('totp'))
  afterAll(() => appliance.close())

  it('an OTP of a hardware token is refused by logins and by the change of a pass phrase', async () => {
    expectFault(await formA(user.hardwareToken.press()), 400, 1203)
    expectFault(await formB(user.hardwareToken.press()), 400, 1203)
    expectFault(await formA(nextHotp()), 403, 1201)
    const { CALLINFO } = (await formB(totpCode(user.totpSecret))).json
    const session = appliance.client(CALLINFO.token)
    const body = { passphrase: user.passphrase, newpassphrase: 'nine brown lanterns over water' }
    const otp = user.hardwareToken.press()
    expectFault(await session.call('PUT', '/auth/passphrase', { raw: JSON.stringify({ ...body, otp }) }), 400, 1203)
  })

  it('an unknown application key in form A is refused like any other wrong one', async () => {
    // The longer one has room for an OTP of a hardware token.
    for (const passphrase of [user.passphrase, 'nine brown lanterns over water '.repeat(3)])
      expectFault(await auth({ username: user.username, keys: `${passphrase}AAAAAAAAAA000000` }), 403, 1201)
  })
})
