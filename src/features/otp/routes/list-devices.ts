import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Devices } from '../devices.ts'
import { userIdOf, userParams } from '../../../http/contract/shared-fields.ts'
import { deviceRecord, deviceSchema } from './device-record.ts'

/** `GET /user/:userid/otp`: the OTP devices of a user, without secrets. Users may list their own. */
export const listDevices = (devices: Devices) =>
  endpoint({
    operation: 'user.otp.list',
    handler: 'UserHandler',
    method: 'GET',
    path: '/user/:userid/otp',
    summary: 'List the OTP devices of a user',
    access: { kind: 'session', capability: 'admin', self: 'userid' },
    faults: ['user.not_found'],
    reply: { callinfo: z.object({ otpdevices: z.array(deviceSchema).describe('The devices of the user.') }) },
    params: userParams,
    async run({ params }) {
      const { id } = await devices.holder(userIdOf(params.userid))
      return { callinfo: { otpdevices: (await devices.list(id)).map(deviceRecord) } }
    },
  })
