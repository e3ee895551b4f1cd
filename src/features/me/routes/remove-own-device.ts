import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { message } from '../../../http/contract/shared-fields.ts'
import { freshFactorIn, freshFactorMembers, freshFactorSecrets } from '../../auth/fresh-factor-members.ts'
import { deviceIdOf, deviceRecord, deviceSchema } from '../../otp/routes/device-record.ts'
import type { OwnDevices } from '../own-devices.ts'
import { ownDeviceParams, ownDeviceTarget } from './own-device.ts'

/** `DELETE /me/otp/:deviceid`: from then on logins with the device are refused. */
export const removeOwnDevice = (devices: OwnDevices) =>
  endpoint({
    operation: 'me.otp.remove',
    handler: 'UserHandler',
    method: 'DELETE',
    path: '/me/otp/:deviceid',
    summary: 'Remove an OTP device of your own',
    details:
      'It takes a code of any device that you have, and never the last second factor. A login with the device is refused from now on; sessions that were begun with it continue until you end them.',
    access: { kind: 'session' },
    faults: [
      'user.not_found',
      'otp.device_not_found',
      'user.last_factor',
      'login.refused',
      'login.throttled',
      'login.type_disabled',
    ],
    reply: { callinfo: z.object({ message, otpdevice: deviceSchema }) },
    params: ownDeviceParams,
    body: z.object(freshFactorMembers),
    unechoed: freshFactorSecrets,
    async run({ params, body, client, caller, note, commit }) {
      note({ target: ownDeviceTarget(caller.userId, params.deviceid) })
      const shown = { deviceId: deviceIdOf(params.deviceid), factor: freshFactorIn(body, client) }
      const device = await devices.remove(caller, shown, commit)
      return { callinfo: { message: 'Device removed', otpdevice: deviceRecord(device) } }
    },
  })
