import { Fault } from '../../fault.ts'
import type { Tx } from '../../store/store.ts'
import { lockUser } from '../users/records.ts'
import { devicesOf, type DeviceKind } from './records.ts'

/** Spec: Limits, "Hardware-token ids per user: at most 3". */
const hardwareTokensPerUser = 3
/** Each is tried at every login, so their number is its cost. */
const codeDevicesPerUser = 5

/**
 * Whether the user may hold one more device of this kind. Their row is locked until the transaction ends, so that parallel enrolments are
 * counted one by one.
 * @throws Fault `user.not_found`, `otp.device_limit`
 */
export async function checkRoom(tx: Tx, userId: number, kind: DeviceKind): Promise<void> {
  if (!(await lockUser(tx, userId))) throw new Fault('user.not_found')
  if (kind === 'hwkey_otp') {
    if ((await devicesOf(tx, userId, 'hwkey_otp')).length >= hardwareTokensPerUser)
      throw new Fault('otp.device_limit', `A user may hold ${hardwareTokensPerUser} hardware tokens at most.`)
  } else if ((await devicesOf(tx, userId, 'totp', 'hotp')).length >= codeDevicesPerUser)
    throw new Fault(
      'otp.device_limit',
      `A user may hold ${codeDevicesPerUser} devices that make codes: remove one that is out of use.`,
    )
}
