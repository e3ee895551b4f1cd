import type { Clock } from '../../clock.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { newestOf } from '../../hsm/peppered-check.ts'
import type { Commit } from '../../store/store.ts'
import { lockedUser } from '../users/records.ts'
import { codeParameters } from './code-parameters.ts'
import { checkDeviceLimit, sealing, wrapping, type CodeEnrolment, type Holder } from './enrolment.ts'
import { seedText, seedUri } from './otpauth-uri.ts'
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
  const [sealed, wrapped] = [sealing(hsm), wrapping(hsm)]
  return {
    async beginTotp(user, commit) {
      const parameters = codeParameters({ kind: 'totp' })
      const seed = await hsm.random(parameters.seedBytes)
      const secret = seedText(seed)
      const { kind, digits, periodSeconds } = parameters
      const fields = { kind, digits, periodSeconds, publicId: null, userId: user.id, privateIdCheck: null }
      const seedCheck = newestOf(await hsm.seedChecks(parameters, seed))
      const key = await wrapped(parameters.keyKind, seed)
      const device = await commit(async (tx) => {
        await checkDeviceLimit(tx, user.id, kind)
        const row = { ...(await sealed(tx, { ...key, ...fields, seedCheck })), counter: 0, createdAt: clock.now() }
        const [before] = unprovenDevices(await lockedUser(tx, user.id), await devicesOf(tx, user.id, kind))
        return before === undefined ? insertDevice(tx, row) : replaceDevice(tx, before, row)
      })
      return { device, secret, uri: seedUri(parameters, user.username, secret, device.counter) }
    },
  }
}
