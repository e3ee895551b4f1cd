import { transactionGrant } from '../../access/transaction-grant.ts'
import { Fault } from '../../fault.ts'
import { withFactor, withoutFactor } from '../../hsm/user-factors.ts'
import type { Store, Tx } from '../../store/store.ts'
import { findUserById, lockedUser, personById } from '../users/records.ts'
import type { Recoveries } from '../users/recovery.ts'
import type { Sealer } from '../users/sealed-change.ts'
import type { SecondFactors } from '../users/user-change.ts'
import { changeUser } from '../users/user-seals.ts'
import { checkDeviceLimit } from './device-limit.ts'
import type { Enrolments, Holder } from './enrolment.ts'
import type { Otps } from './otp.ts'
import {
  deviceKey,
  deviceRecord,
  devicesOf,
  findByPublicId,
  findOfUser,
  provenDevices,
  readoptDevice,
  releaseDevice,
  type OtpDevice,
} from './records.ts'
import { parseOtp } from './yubico-otp.ts'

/**
 * Assigns devices to users and takes them away. `by` is who assigns one: see `Recoveries`. All that the enrolment
 * recorded is kept, above all the counter.
 */
export interface Devices {
  /** @throws Fault `user.not_found` */
  holder(userId: number): Promise<Holder>
  /** The devices that are second factors of the user. */
  list(userId: number): Promise<OtpDevice[]>
  /**
   * Gives a user a registered hardware token without a holder.
   * @throws Fault `otp.device_not_found`, `otp.device_exists`, `otp.device_limit`, `user.not_found`
   */
  assign(tx: Tx, userId: number, publicId: string, by: number): Promise<OtpDevice>
  /**
   * The same for the token that made this OTP, which is used up.
   * @throws Fault `otp.device_invalid` when the OTP is wrong, or its token is unknown or has a holder
   */
  adopt(tx: Tx, userId: number, otp: string, by: number): Promise<OtpDevice>
  /**
   * Takes a device from its user. A hardware token can be given to a user again; the seed of any other device is
   * destroyed.
   * @throws Fault `otp.device_not_found`
   */
  release(tx: Tx, userId: number, deviceId: number): Promise<OtpDevice>
}

const destroyed = { kek: '', blob: Buffer.alloc(0), seal: Buffer.alloc(0) }

export function createDevices({
  store,
  hsm,
  otps,
  recoveries,
}: {
  readonly store: Pick<Store, 'read'>
  /** A row is sealed for another holder only under its own valid seal, so that an edited row is never sealed. */
  readonly hsm: Sealer
  readonly otps: Otps
  readonly recoveries: Pick<Recoveries, 'note'>
}): Devices {
  async function assign(tx: Tx, userId: number, publicId: string, by: number): Promise<OtpDevice> {
    const known = await findByPublicId(tx, publicId)
    if (known === null)
      throw new Fault(
        'otp.device_not_found',
        `The hardware token ${publicId} is unknown here: enrol it first, with its private id and secret (POST /user/${userId}/otp or "strongroom otp enroll"), or let the operator import it.`,
      )
    if (known.userId !== null) throw await heldAlready(tx, known, known.userId)
    await checkDeviceLimit(tx, userId, 'hwkey_otp')
    const { id, createdAt: _, counter: _counter, driftSteps: _drift, ticks: _ticks, usedAt: _used, ...enrolled } = known
    const held = { ...enrolled, userId }
    const record = deviceRecord(held)
    const changes = {
      ...held,
      seal: await hsm.seal(record, { previous: deviceKey(known).key, grant: await transactionGrant(tx) }),
    }
    if (!(await readoptDevice(tx, id, changes)))
      throw new Fault('otp.device_exists', `The hardware token ${publicId} is registered already.`)
    await recoveries.note(tx, userId, by, ({ factors }) => ({ factors: withFactor(factors, record) }))
    return { ...known, ...changes }
  }

  const sealUnheld = async (tx: Tx, device: OtpDevice): Promise<Buffer> =>
    hsm.seal(deviceRecord({ ...device, userId: null }), {
      previous: deviceKey(device).key,
      grant: await transactionGrant(tx),
    })

  return {
    holder: (userId) => personById(store.read, userId),

    async list(userId) {
      const user = await findUserById(store.read, userId)
      return user === null ? [] : provenDevices(user, await devicesOf(store.read, userId))
    },
    assign,

    async adopt(tx, userId, otp, by) {
      const publicId = parseOtp(otp)?.publicId
      const examined = await otps.examine(tx, null, 'hwkey_otp', otp)
      const isGood = examined !== undefined && (await otps.consume(tx, examined)) && (await otps.useUp(examined))
      if (publicId === undefined || !isGood)
        throw new Fault('otp.device_invalid', 'This is not a fresh one-time password of an unassigned hardware token.')
      return assign(tx, userId, publicId, by)
    },

    async release(tx, userId, deviceId) {
      const device = await findOfUser(tx, userId, deviceId)
      if (device === undefined) throw new Fault('otp.device_not_found')
      const { kek, blob } = device
      const changes = device.kind === 'hwkey_otp' ? { kek, blob, seal: await sealUnheld(tx, device) } : destroyed
      const user = await lockedUser(tx, userId)
      await changeUser(hsm, tx, user, { factors: withoutFactor(user.factors, deviceRecord(device)) })
      if (!(await releaseDevice(tx, device, changes))) throw new Fault('otp.device_not_found')
      return { ...device, userId: null }
    },
  }
}

async function heldAlready(tx: Tx, { id, publicId }: OtpDevice, userId: number): Promise<Fault> {
  const name = (await findUserById(tx, userId))?.username
  return new Fault(
    'otp.device_exists',
    `The hardware token ${publicId} is held by ${name} (user ${userId}): take it away first ("strongroom otp remove ${name} ${id}").`,
  )
}

/** The devices in the form that the feature `users` depends on. */
export function createSecondFactors(devices: Devices, enrolments: Pick<Enrolments, 'enrolTotp'>): SecondFactors {
  return {
    async adoptByOtp(tx, userId, otp, by) {
      await devices.adopt(tx, userId, otp, by)
    },

    async assignByPrefix(tx, userId, publicId, by) {
      const device = await findByPublicId(tx, publicId)
      if (device?.userId !== userId) await devices.assign(tx, userId, publicId, by)
    },

    enrolTotp: async (tx, user, by) => (await enrolments.enrolTotp(user, by, (work) => work(tx))).uri,
  }
}
