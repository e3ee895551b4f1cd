import { Fault } from '../../fault.ts'
import type { Tx } from '../../store/store.ts'
import { lockedUser } from '../users/records.ts'
import { devicesOf, provenDevices, type DeviceKind } from './records.ts'

/** Spec: Limits, "Hardware-token ids per user: at most 3". */
const hardwareTokensPerUser = 3
/** A login tries each device, so that their number determines its cost. */
const codeDevicesPerUser = 5

/**
 * Refuses a device beyond the limit of its kind. Locks the user's row until the transaction ends, so that parallel
 * enrolments are counted one by one.
 * @throws Fault `user.not_found`, `otp.device_limit`
 */
export async function checkDeviceLimit(tx: Tx, userId: number, kind: DeviceKind): Promise<void> {
  const user = await lockedUser(tx, userId)
  const held = async (...kinds: readonly DeviceKind[]) => provenDevices(user, await devicesOf(tx, userId, ...kinds))
  if (kind === 'hwkey_otp') {
    if ((await held('hwkey_otp')).length >= hardwareTokensPerUser)
      throw new Fault('otp.device_limit', `A user may hold ${hardwareTokensPerUser} hardware tokens at most.`)
  } else if ((await held('totp', 'hotp')).length >= codeDevicesPerUser)
    throw new Fault(
      'otp.device_limit',
      `A user may hold ${codeDevicesPerUser} devices that make codes: remove one that is out of use.`,
    )
}
