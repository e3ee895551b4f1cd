import { z } from 'zod'
import { message, userIdOf } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Devices } from '../devices.ts'
import { deviceIdOf, deviceParams, deviceRecord, deviceSchema } from './device-record.ts'

/** `DELETE /user/:userid/otp/:deviceid`: from then on logins with the device are refused. */
export const removeDevice = (devices: Devices) =>
  endpoint({
    operation: 'user.otp.remove',
    handler: 'UserHandler',
    method: 'DELETE',
    path: '/user/:userid/otp/:deviceid',
    summary: 'Take an OTP device from a user',
    details: 'A login with it is refused from now on.',
    access: { kind: 'session', capability: 'admin' },
    faults: ['user.not_found', 'otp.device_not_found'],
    reply: { callinfo: z.object({ message, otpdevice: deviceSchema }) },
    params: deviceParams,
    async run({ params, commit }) {
      const { id } = await devices.holder(userIdOf(params.userid))
      const deviceId = deviceIdOf(params.deviceid)
      const device = await commit((tx) => devices.release(tx, id, deviceId))
      return { callinfo: { message: 'Device removed', otpdevice: deviceRecord(device) } }
    },
  })
