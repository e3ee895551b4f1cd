import { z } from 'zod'
import { idSegment } from '../../../http/contract/shared-fields.ts'

export const ownDeviceParams = z.object({
  deviceid: idSegment(
    'Id of the device, as `GET /user/{userid}/otp` lists it for oneself, or `POST /me/otp` tells it.',
  ),
})

/** For the audit trail, which finds the rows of user and device by this text. */
export const ownDeviceTarget = (userId: number, deviceId: string | number): string =>
  `user ${userId}: OTP device ${String(deviceId).slice(0, 15)}`
