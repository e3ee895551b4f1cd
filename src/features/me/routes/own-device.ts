import { z } from 'zod'
import { idSegment } from '../../../http/contract/shared-fields.ts'
import type { Call } from '../../../http/contract/endpoint.ts'
import { freshFactorIn, freshFactorMembers } from '../../auth/fresh-factor-members.ts'
import type { FreshFactor } from '../../auth/own-factors.ts'

export const ownDeviceParams = z.object({
  deviceid: idSegment(
    'Id of the device, as `GET /user/{userid}/otp` lists it for oneself, or `POST /me/otp` tells it.',
  ),
})

const body = z.object(freshFactorMembers)

/** The second factor in the call, with the client's address. */
export const shownFactorOf = ({
  body: members,
  client,
}: Pick<Call<unknown, z.infer<typeof body>, { kind: 'session' }>, 'body' | 'client'>): FreshFactor => ({
  ...freshFactorIn(members),
  address: client.address,
})

/** For the audit trail, which finds the rows of user and device by this text. */
export const ownDeviceTarget = (userId: number, deviceId: string | number): string =>
  `user ${userId}: OTP device ${String(deviceId).slice(0, 15)}`
