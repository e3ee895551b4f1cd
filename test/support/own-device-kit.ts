import { operatorId } from '../../src/access/confirmation.ts'
import type { TestAppliance, TestUser } from './appliance.ts'
import type { TestClient } from './client.ts'
import { HardwareToken, totpCode } from './hardware-token.ts'

/** Begins to enrol an authenticator app for the user of this client. */
export async function beginDevice(client: TestClient): Promise<{ device: { id: string }; secret: string }> {
  const { CALLINFO } = await client.must('POST', '/me/otp')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the contract has it
  const { otpdevice: device, secret } = CALLINFO as unknown as { otpdevice: { id: string }; secret: string }
  return { device, secret }
}

/** Enrols an authenticator app for a user, with an OTP of the user's hardware token. Resolves to its id. */
export async function enrolDevice(client: TestClient, { hardwareToken }: TestUser): Promise<string> {
  const { device, secret } = await beginDevice(client)
  const shown = { code: totpCode(secret), otp: hardwareToken.press() }
  const { status } = await client.call('POST', `/me/otp/${device.id}/activate`, { raw: JSON.stringify(shown) })
  if (status !== 200) throw new Error(`not enrolled: ${status}`)
  return device.id
}

/** A hardware token that is enrolled without a holder. */
export async function stockToken(appliance: TestAppliance): Promise<HardwareToken> {
  const token = new HardwareToken()
  await appliance.services.enrolments.enrolHardwareToken(null, token.secrets(), operatorId, appliance.commit)
  return token
}
