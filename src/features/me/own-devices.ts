import type { Caller } from '../../access/caller.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import { hasFactor, withFactor, withoutFactor } from '../../hsm/user-factors.ts'
import type { Commit, Reader, Store } from '../../store/store.ts'
import type { FreshFactor, OwnFactors } from '../auth/own-factors.ts'
import type { Devices } from '../otp/devices.ts'
import type { BegunEnrolments } from '../otp/begun-enrolment.ts'
import { checkDeviceLimit } from '../otp/device-limit.ts'
import type { CodeEnrolment } from '../otp/enrolment.ts'
import type { Otps } from '../otp/otp.ts'
import { deviceRecord, findOfUser, unprovenDevices, type OtpDevice } from '../otp/records.ts'
import { findUserById, lockedUser, type User } from '../users/records.ts'
import type { Sealer } from '../users/sealed-change.ts'
import { changeUser } from '../users/user-seals.ts'

type Holder = Pick<Caller, 'userId' | 'username'>

/**
 * Changes that users make of their own OTP devices, authorized by a second factor in the same call. They are no
 * recovery: no membership is put on hold.
 */
export interface OwnDevices {
  /**
   * Makes the seed of an authenticator app, which becomes a second factor with `activate`. It replaces one that was
   * begun before.
   * @throws Fault `otp.device_limit`, `access.resting`
   */
  begin(caller: Holder, commit: Commit): Promise<CodeEnrolment>
  /**
   * Activates the device by one of its codes, so that a person whose app shows other codes is not locked out.
   * @throws Fault `otp.device_not_found`, `otp.device_invalid`, `otp.device_limit`, `access.resting`, and those of
   * `OwnFactors`
   */
  activate(caller: Holder, shown: ShownDevice & { readonly code: string }, commit: Commit): Promise<OtpDevice>
  /**
   * Gives the caller the registered hardware token without a holder that made this OTP.
   * @throws Fault `otp.device_invalid`, `otp.device_limit`, `access.resting`, and those of `OwnFactors`
   */
  adopt(
    caller: Holder,
    shown: { readonly tokenOtp: string; readonly factor: FreshFactor },
    commit: Commit,
  ): Promise<OtpDevice>
  /** @throws Fault `otp.device_not_found`, `user.last_factor`, and those of `OwnFactors` */
  remove(caller: Holder, shown: ShownDevice, commit: Commit): Promise<OtpDevice>
}

interface ShownDevice {
  readonly deviceId: number
  readonly factor: FreshFactor
}

/** How long a new seed may be activated. */
const provingMs = 15 * 60_000

export function createOwnDevices(on: {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Sealer
  readonly clock: Clock
  readonly otps: Otps
  readonly devices: Devices
  readonly begunEnrolments: BegunEnrolments
  readonly ownFactors: OwnFactors
}): OwnDevices {
  const { store, hsm, clock, otps, devices, begunEnrolments, ownFactors } = on

  async function begunDevice(reader: Reader, userId: number, deviceId: number): Promise<OtpDevice> {
    const [user, device] = [await findUserById(reader, userId), await findOfUser(reader, userId, deviceId)]
    const [begun] = user === null || device === undefined ? [] : unprovenDevices(user, [device])
    if (begun === undefined || clock.now() - begun.createdAt > provingMs)
      throw new Fault('otp.device_not_found', 'No such device waits for its first code: begin the enrolment again.')
    return begun
  }

  return {
    async begin({ userId, username }, commit) {
      await ownFactors.refuseOnHold(userId)
      return begunEnrolments.beginTotp({ id: userId, username }, commit)
    },

    async activate(caller, { deviceId, code, factor }, commit) {
      const { userId } = caller
      await ownFactors.refuseOnHold(userId)
      // Checked before the other factor is used up, so that a person who mistypes this code can send the other one
      // again.
      const examined = await otps.examineCodeOf(await begunDevice(store.read, userId, deviceId), code)
      if (examined === undefined) throw wrongCode()
      return ownFactors.change(caller, factor, commit, async (tx) => {
        const device = await begunDevice(tx, userId, deviceId)
        const isSame = device.seal.equals(examined.state.device.seal)
        if (!isSame || !(await otps.consume(tx, examined)) || !(await otps.useUp(examined))) throw wrongCode()
        await checkDeviceLimit(tx, userId, device.kind)
        const user = await lockedUser(tx, userId)
        await changeUser(hsm, tx, user, { factors: withFactor(user.factors, deviceRecord(device)) })
        return device
      })
    },

    async adopt(caller, { tokenOtp, factor }, commit) {
      const { userId } = caller
      await ownFactors.refuseOnHold(userId)
      if ((await otps.examine(store.read, null, 'hwkey_otp', tokenOtp)) === undefined)
        throw new Fault('otp.device_invalid', foreignToken)
      return ownFactors.change(caller, factor, commit, (tx) => devices.adopt(tx, userId, tokenOtp, userId))
    },

    async remove(caller, { deviceId, factor }, commit) {
      const { userId } = caller
      await heldDevice(store.read, userId, deviceId, await findUserById(store.read, userId))
      return ownFactors.change(caller, factor, commit, async (tx) => {
        await heldDevice(tx, userId, deviceId, await lockedUser(tx, userId))
        return devices.release(tx, userId, deviceId)
      })
    },
  }
}

/** A device of the user that is not the last second factor. @throws Fault `otp.device_not_found`, `user.last_factor` */
async function heldDevice(reader: Reader, userId: number, deviceId: number, user: User | null): Promise<void> {
  const device = await findOfUser(reader, userId, deviceId)
  if (user === null || device === undefined || !hasFactor(user.factors, deviceRecord(device)))
    throw new Fault('otp.device_not_found')
  if (withoutFactor(user.factors, deviceRecord(device)).length === 0) throw new Fault('user.last_factor')
}

const wrongCode = (): Fault =>
  new Fault(
    'otp.device_invalid',
    'This is not a fresh code of the new device: nothing was changed. See that the clock of the device is right, and send the code that it shows now.',
  )

const foreignToken =
  'This is not a fresh one-time password of an unassigned hardware token: the operator has to register the token first.'
