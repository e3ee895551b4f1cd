import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { deviceRecord, deviceSchema } from '../../otp/routes/device-record.ts'
import type { OwnDevices } from '../own-devices.ts'

/** `POST /me/otp`: the seed is in this answer only. */
export const beginOwnDevice = (devices: OwnDevices) =>
  endpoint({
    operation: 'me.otp.begin',
    handler: 'UserHandler',
    method: 'POST',
    path: '/me/otp',
    summary: 'Begin to enrol an authenticator app for yourself',
    details:
      'The token of the appliance makes a seed, which is only in this one answer. The app is not a second factor before `POST /me/otp/{deviceid}/activate`, for which there are 15 minutes. An enrolment that was begun before is void.',
    access: { kind: 'session' },
    success: 201,
    faults: ['user.not_found', 'otp.device_limit', 'access.resting'],
    reply: {
      callinfo: z.object({
        otpdevice: deviceSchema,
        uri: z
          .string()
          .meta({ format: 'uri' })
          .describe('`otpauth` URI with the seed, for a QR code. Shown this once.'),
        secret: z.string().describe('The seed in base32, for typing. Shown this once.'),
      }),
    },
    quota: 'keys',
    async run({ caller, note, commit }) {
      note({ target: `user ${caller.userId}: totp` })
      const { device, uri, secret } = await devices.begin(caller, commit)
      return { callinfo: { otpdevice: deviceRecord(device), uri, secret } }
    },
  })
