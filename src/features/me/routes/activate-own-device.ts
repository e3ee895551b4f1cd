import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { secret } from '../../auth/credentials.ts'
import { freshFactorIn, freshFactorMembers, freshFactorSecrets } from '../../auth/fresh-factor-members.ts'
import { deviceIdOf, deviceRecord } from '../../otp/routes/device-record.ts'
import type { OwnDevices } from '../own-devices.ts'
import { newFactorContract, newFactorFaults, ownDeviceParams, ownDeviceTarget } from './own-device.ts'

/** `POST /me/otp/:deviceid/activate`: from then on the caller can log in with the device. */
export const activateOwnDevice = (devices: OwnDevices) =>
  endpoint({
    ...newFactorContract,
    operation: 'me.otp.activate',
    path: '/me/otp/:deviceid/activate',
    summary: 'Finish the enrolment of your authenticator app',
    details:
      'A code of the new app shows that it works, and one of another device that you have shows that it is you. Both are used up. No membership in a vault is put on hold by it.',
    faults: newFactorFaults,
    params: ownDeviceParams,
    body: z.object({ code: secret.describe('A code that the new app shows.'), ...freshFactorMembers }),
    unechoed: ['code', ...freshFactorSecrets],
    async run({ params, body, client, caller, note, commit }) {
      note({ target: ownDeviceTarget(caller.userId, params.deviceid) })
      const shown = { deviceId: deviceIdOf(params.deviceid), code: body.code, factor: freshFactorIn(body, client) }
      const device = await devices.activate(caller, shown, commit)
      return { callinfo: { message: 'The app is one of your second factors now.', otpdevice: deviceRecord(device) } }
    },
  })
