import type { Clock } from '../../clock.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Commit } from '../../store/store.ts'
import { lockedUser } from '../users/records.ts'
import { checkDeviceLimit } from './device-limit.ts'
import { newCodeDevice, sealedDevice, type CodeEnrolment, type Holder } from './enrolment.ts'
import { seedUri } from './otpauth-uri.ts'
import { devicesOf, insertDevice, replaceDevice, unprovenDevices } from './records.ts'

/**
 * Authenticator apps that users have begun to enrol. An app is no second factor until the user's row names it, which
 * happens when the user shows one of its codes.
 */
export interface BegunEnrolments {
  /**
   * Begins the enrolment of an app with the parameters that every app supports. It replaces one that was begun before.
   * @throws Fault `otp.device_limit`, `user.not_found`
   */
  beginTotp(user: Holder, commit: Commit): Promise<CodeEnrolment>
}

export function createBegunEnrolments({
  hsm,
  clock,
}: {
  readonly hsm: Pick<Hsm, 'random' | 'importSecret' | 'seedChecks' | 'seal'>
  readonly clock: Clock
}): BegunEnrolments {
  return {
    async beginTotp(user, commit) {
      const { parameters, secret, fields } = await newCodeDevice(hsm, user, { kind: 'totp' })
      const { kind } = parameters
      const device = await commit(async (tx) => {
        await checkDeviceLimit(tx, user.id, kind)
        const row = { ...(await sealedDevice(hsm, tx, fields)), counter: 0, createdAt: clock.now() }
        const [before] = unprovenDevices(await lockedUser(tx, user.id), await devicesOf(tx, user.id, kind))
        return before === undefined ? insertDevice(tx, row) : replaceDevice(tx, before, row)
      })
      return { device, secret, uri: seedUri(parameters, user.username, secret, device.counter) }
    },
  }
}
