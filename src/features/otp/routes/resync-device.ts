import { z } from 'zod'
import { messageSchema, userIdOf } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { codeForm } from '../codes.ts'
import type { Devices } from '../devices.ts'
import type { Resync } from '../resync.ts'
import { deviceIdOf, deviceParams } from './device-record.ts'

const code = (what: string) => z.string().regex(codeForm, 'must be a code of 6 to 8 digits').describe(what)

/** `PUT /user/:userid/otp/:deviceid/resync`: finds the counter of a HOTP token by two consecutive codes. */
export const resyncDevice = (devices: Devices, resync: Resync) =>
  endpoint({
    operation: 'user.otp.resync',
    handler: 'UserHandler',
    method: 'PUT',
    path: '/user/:userid/otp/:deviceid/resync',
    summary: 'Resynchronise a HOTP token by two consecutive codes',
    details: 'For a token whose button was pressed so often without a login that its codes are no longer accepted.',
    access: { kind: 'session', capability: 'admin' },
    faults: ['user.not_found', 'otp.device_not_found', 'otp.device_invalid', 'otp.resync_failed', 'login.throttled'],
    reply: { callinfo: messageSchema },
    params: deviceParams,
    body: z.object({ otp1: code('A code that the token shows.'), otp2: code('The code that it shows next.') }),
    unechoed: ['otp1', 'otp2'],
    async run({ params, body, client, commit }) {
      const { id: userId } = await devices.holder(userIdOf(params.userid))
      const deviceId = deviceIdOf(params.deviceid)
      const codes = [body.otp1, body.otp2] as const
      await resync.resynchronise({ userId, deviceId, codes, address: client.address }, commit)
      return { callinfo: { message: 'Device resynchronised' } }
    },
  })
