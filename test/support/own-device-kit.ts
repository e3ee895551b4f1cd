import { operatorId } from '../../src/access/confirmation.ts'
import type { TestAppliance, TestUser } from './appliance.ts'
import type { TestClient } from './client.ts'
import { HardwareToken, totpCode } from './hardware-token.ts'

/** Begins to enrol an authenticator app for whoever this client is of. */
export async function beginDevice(client: TestClient): Promise<{ device: { id: string }; secret: string }> {
  const { CALLINFO } = await client.must('POST', '/me/otp')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the contract has it
  const { otpdevice: device, secret } = CALLINFO as unknown as { otpdevice: { id: string }; secret: string }
  return { device, secret }
}

/** A user's own authenticator app, by what the hardware token of the user types; its id. */
export async function enrolDevice(client: TestClient, { hardwareToken }: TestUser): Promise<string> {
  const { device, secret } = await beginDevice(client)
  const shown = { code: totpCode(secret), otp: hardwareToken.press() }
  const { status } = await client.call('POST', `/me/otp/${device.id}/activate`, { raw: JSON.stringify(shown) })
  if (status !== 200) throw new Error(`not enrolled: ${status}`)
  return device.id
}

/** A hardware token that the appliance knows and that has no holder. */
export async function stockToken(appliance: TestAppliance): Promise<HardwareToken> {
  const token = new HardwareToken()
  await appliance.services.enrolments.enrolHardwareToken(null, token.secrets(), operatorId, appliance.commit)
  return token
}
