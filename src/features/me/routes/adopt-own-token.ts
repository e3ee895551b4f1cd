import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { message } from '../../../http/contract/shared-fields.ts'
import { secret } from '../../auth/credentials.ts'
import { freshFactorIn, freshFactorMembers, freshFactorSecrets } from '../../auth/fresh-factor-members.ts'
import { deviceRecord, deviceSchema } from '../../otp/routes/device-record.ts'
import type { OwnDevices } from '../own-devices.ts'

/** `POST /me/otp/adopt`: an OTP of the token proves that the caller has it. */
export const adoptOwnToken = (devices: OwnDevices) =>
  endpoint({
    operation: 'me.otp.adopt',
    handler: 'UserHandler',
    method: 'POST',
    path: '/me/otp/adopt',
    summary: 'Enrol a hardware token for yourself',
    details:
      'For a token that the operator has registered and that has no user. What it types shows that you hold it, and a second factor that you have shows that it is you. Both are used up. No membership in a vault is put on hold by it.',
    access: { kind: 'session' },
    faults: [
      'user.not_found',
      'otp.device_invalid',
      'otp.device_exists',
      'otp.device_not_found',
      'otp.device_limit',
      'access.resting',
      'login.refused',
      'login.throttled',
      'login.type_disabled',
    ],
    reply: { callinfo: z.object({ message, otpdevice: deviceSchema }) },
    body: z.object({ tokenotp: secret.describe('The 44 characters that the new token types.'), ...freshFactorMembers }),
    unechoed: ['tokenotp', ...freshFactorSecrets],
    async run({ body, client, caller, note, commit }) {
      note({ target: `user ${caller.userId}: hwkey_otp` })
      const shown = { tokenOtp: body.tokenotp, factor: freshFactorIn(body, client) }
      const device = await devices.adopt(caller, shown, commit)
      return { callinfo: { message: 'The token is one of your second factors now.', otpdevice: deviceRecord(device) } }
    },
  })
