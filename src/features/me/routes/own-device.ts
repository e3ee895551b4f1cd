import { z } from 'zod'
import { idSegment, message } from '../../../http/contract/shared-fields.ts'
import { deviceSchema } from '../../otp/routes/device-record.ts'

/** The common part of the contracts that give the caller a second factor, once another one was shown. */
export const newFactorContract = {
  handler: 'UserHandler',
  method: 'POST',
  access: { kind: 'session' },
  reply: { callinfo: z.object({ message, otpdevice: deviceSchema }) },
} as const

export const newFactorFaults = [
  'user.not_found',
  'otp.device_not_found',
  'otp.device_invalid',
  'otp.device_limit',
  'access.resting',
  'login.refused',
  'login.throttled',
  'login.type_disabled',
] as const

export const ownDeviceParams = z.object({
  deviceid: idSegment(
    'Id of the device, as `GET /user/{userid}/otp` lists it for oneself, or `POST /me/otp` tells it.',
  ),
})

/** For the audit trail, which finds the rows of user and device by this text. */
export const ownDeviceTarget = (userId: number, deviceId: string | number): string =>
  `user ${userId}: OTP device ${String(deviceId).slice(0, 15)}`
