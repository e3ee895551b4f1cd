import { z } from 'zod'
import { codeAlgorithms } from '../code-parameters.ts'
import { idSegment, idText, moment, numberText, userParams } from '../../../http/contract/shared-fields.ts'
import { pathId } from '../../../access/resource.ts'
import type { OtpDevice } from '../records.ts'

export const deviceParams = userParams.extend({
  deviceid: idSegment('Id of the device, as `GET /user/{userid}/otp` lists it.'),
})

export const kindField = z
  .enum(['totp', 'hotp', 'hwkey_otp'])
  .describe(
    '`totp` an authenticator app (RFC 6238), `hotp` a token that counts (RFC 4226), `hwkey_otp` a hardware token that types 44 characters.',
  )

/** @throws Fault `otp.device_not_found` for anything that is not an id */
export const deviceIdOf = (deviceid: string): number => pathId(deviceid, 'otp.device_not_found')

export const deviceSchema = z
  .object({
    id: idText('Id of the device.'),
    kind: kindField,
    public_id: z.string().describe('Of a hardware token: the first 12 characters of each of its OTPs.').optional(),
    algorithm: z.enum(codeAlgorithms).describe('Of an app or HOTP token: the hash of its codes.').optional(),
    digits: numberText('Of an app or HOTP token: how many digits a code has, as text.').optional(),
    period: numberText('Of an app: seconds for which a code is shown, as text.').optional(),
    created: moment('When the appliance got to know it.'),
    used: moment('When it was last used for a login.').optional(),
  })
  .meta({ id: 'OtpDevice', description: 'An OTP device, without its secrets.' })

/** A device as answers write it, without secrets. */
export function deviceRecord(device: OtpDevice): Record<string, string> {
  const { id, kind, publicId, keyKind, digits, periodSeconds, createdAt, usedAt } = device
  return {
    id: String(id),
    kind,
    ...(publicId !== null && { public_id: publicId }),
    ...(digits !== null && { algorithm: keyKind.replace('otp-hmac-', ''), digits: String(digits) }),
    ...(periodSeconds !== null && { period: String(periodSeconds) }),
    created: new Date(createdAt).toISOString(),
    ...(usedAt !== null && { used: new Date(usedAt).toISOString() }),
  }
}
