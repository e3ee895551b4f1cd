import { z } from 'zod'
import { decimalId } from '../../../access/resource.ts'
import { Fault } from '../../../fault.ts'
import type { Devices } from '../devices.ts'
import type { OtpDevice } from '../records.ts'
import type { Holder } from '../enrolment.ts'

export const userParams = z.object({ userid: z.string() })
export const deviceParams = z.object({ userid: z.string(), deviceid: z.string() })

/** @throws Fault `user.not_found`, for what cannot be an id as well */
export async function holderOf(devices: Devices, userid: string): Promise<Holder> {
  const userId = decimalId(userid)
  if (userId === undefined) throw new Fault('user.not_found')
  return devices.holder(userId)
}

/** @throws Fault `otp.device_not_found` for what cannot be an id */
export function deviceIdOf(deviceid: string): number {
  const deviceId = decimalId(deviceid)
  if (deviceId === undefined) throw new Fault('otp.device_not_found')
  return deviceId
}

export const deviceSchema = z.object({
  id: z.string(),
  kind: z.enum(['totp', 'hotp', 'hwkey_otp']),
  public_id: z.string().optional(),
  algorithm: z.string().optional(),
  digits: z.string().optional(),
  period: z.string().optional(),
  created: z.iso.datetime(),
  used: z.iso.datetime().optional(),
})

/** A device as the interface writes it: nothing of its secrets. */
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
