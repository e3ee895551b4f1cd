import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { secret } from '../../auth/credentials.ts'
import { freshFactorIn, freshFactorMembers, freshFactorSecrets } from '../../auth/fresh-factor-members.ts'
import { deviceRecord } from '../../otp/routes/device-record.ts'
import type { OwnDevices } from '../own-devices.ts'
import { newFactorContract, newFactorFaults } from './own-device.ts'

/** `POST /me/otp/adopt`: an OTP of the token proves that the caller has it. */
export const adoptOwnToken = (devices: OwnDevices) =>
  endpoint({
    ...newFactorContract,
    operation: 'me.otp.adopt',
    path: '/me/otp/adopt',
    summary: 'Enrol a hardware token for yourself',
    details:
      'For a token that the operator has registered and that has no user. What it types shows that you hold it, and a second factor that you have shows that it is you. Both are used up. No membership in a vault is put on hold by it.',
    faults: ['otp.device_exists', ...newFactorFaults],
    body: z.object({ tokenotp: secret.describe('The 44 characters that the new token types.'), ...freshFactorMembers }),
    unechoed: ['tokenotp', ...freshFactorSecrets],
    async run({ body, client, caller, note, commit }) {
      note({ target: `user ${caller.userId}: hwkey_otp` })
      const shown = { tokenOtp: body.tokenotp, factor: freshFactorIn(body, client) }
      const device = await devices.adopt(caller, shown, commit)
      return { callinfo: { message: 'The token is one of your second factors now.', otpdevice: deviceRecord(device) } }
    },
  })
