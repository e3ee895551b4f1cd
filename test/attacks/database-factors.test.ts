import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CardAppliance } from '../api/certificates/card-kit.ts'
import { TestValidator } from '../api/otp-validation/validation-kit.ts'
import type { TestUser } from '../support/appliance.ts'
import type { TestClient } from '../support/client.ts'
import { ClientCa } from '../support/client-pki.ts'
import { copyOfRows } from '../support/database-owner.ts'
import { verdict } from '../support/fault-kit.ts'
import { totpCode } from '../support/hardware-token.ts'

/**
 * The attacker writes to the database, has stolen a second factor and captured the pass phrase. The factor was revoked;
 * he puts back its row, of which he kept a copy.
 */
const ca = new ClientCa()
let validator: TestValidator
let cards: CardAppliance
let admin: TestClient

beforeAll(async () => {
  validator = await TestValidator.start()
  admin = await validator.appliance.login(await validator.appliance.addUser(['read', 'admin', 'active']))
  cards = await CardAppliance.start({ clientCa: ca.certificate })
})
afterAll(async () => {
  await validator.appliance.close()
  await cards.close()
})

const refused = '403 1201'

describe('a device that was taken from a user', () => {
  const loginBy = async (user: TestUser, factor: object) => {
    const { username, passphrase } = user
    const body = { username, passphrase, apikey: validator.appliance.applicationKey, ...factor }
    return verdict(await validator.appliance.client().call('POST', '/auth', { body }))
  }
  const takeDevices = async ({ id }: TestUser) => {
    const { CALLINFO } = await admin.must('GET', `/user/${id}/otp`)
    for (const { id: device } of CALLINFO['otpdevices'] as { id: string }[])
      await admin.must('DELETE', `/user/${id}/otp/${device}`)
  }
  const byToken = ({ hardwareToken }: TestUser) => ({ logintype: 'hwkey_otp', otp: hardwareToken.press() })
  const byApp = ({ totpSecret }: TestUser) => ({ logintype: 'totp', otp: totpCode(totpSecret) })

  it.each([
    ['hardware token', byToken],
    ['authenticator app', byApp],
  ])('opens no session when its row is put back: %s', async (_what, factor) => {
    const user = await validator.appliance.addUser()
    const putBack = copyOfRows(validator.appliance, 'otp_devices', `user_id = ${user.id}`)
    await takeDevices(user)
    expect(await loginBy(user, factor(user))).toBe(refused)
    putBack()
    expect(await loginBy(user, factor(user))).toBe(refused)
  })

  it('opens none with the row of its user of then', async () => {
    const user = await validator.appliance.addUser()
    const putBack = ['otp_devices', 'users'].map((table) =>
      copyOfRows(validator.appliance, table, table === 'users' ? `id = ${user.id}` : `user_id = ${user.id}`),
    )
    await takeDevices(user)
    for (const each of putBack) each()
    expect(await loginBy(user, byToken(user))).not.toBe('done')
  })

  it('is no second factor for a change of the pass phrase', async () => {
    const user = await validator.appliance.addUser()
    const session = await validator.appliance.login(user)
    const putBack = copyOfRows(validator.appliance, 'otp_devices', `user_id = ${user.id}`)
    await takeDevices(user)
    putBack()
    const { passphrase } = user
    const change = { passphrase, newpassphrase: 'thirteen blue doors in a row', ...byToken(user) }
    expect(verdict(await session.call('PUT', '/auth/passphrase', { body: change }))).toBe(refused)
  })

  it('is good for no program that asks the validator', async () => {
    const client = await validator.addClient()
    const user = await validator.appliance.addUser()
    const otp = () => user.hardwareToken.press()
    expect(await validator.status(client, otp())).toBe('OK')
    const putBack = ['otp_devices', 'users'].map((table) =>
      copyOfRows(validator.appliance, table, table === 'users' ? `id = ${user.id}` : `user_id = ${user.id}`),
    )
    await takeDevices(user)
    expect(await validator.status(client, otp())).not.toBe('OK')
    putBack[0]?.()
    expect(await validator.status(client, otp())).not.toBe('OK')
    putBack[1]?.()
    expect(await validator.status(client, otp())).not.toBe('OK')
  })
})

describe('a certificate that was taken from a user', () => {
  it('opens no session when its row is put back', async () => {
    const card = ca.issue('/CN=Lost')
    const user = await cards.holder(card)
    const login = async () =>
      verdict(await cards.holding(card).call('POST', '/auth', { body: cards.credentials(user) }))
    expect(await login()).toBe('done')
    const putBack = copyOfRows(cards.appliance, 'user_certificates', `user_id = ${user.id}`)
    await cards.admin.must('DELETE', `/usercert/${user.id}`)
    expect(await login()).toBe(refused)
    putBack()
    expect(await login()).toBe(refused)
  })
})
