import type { SecondFactors } from '../users/second-factors.ts'
import type { Devices } from './devices.ts'
import type { Enrolments } from './enrolment.ts'
import { findByPublicId } from './records.ts'

/** What the users' side may do with devices. */
export function createSecondFactors(devices: Devices, enrolments: Pick<Enrolments, 'enrolTotp'>): SecondFactors {
  return {
    async adoptByOtp(tx, userId, otp) {
      await devices.adopt(tx, userId, otp)
    },

    async togglePrefix(tx, userId, publicId) {
      const device = await findByPublicId(tx, publicId)
      if (device?.userId === userId) await devices.release(tx, userId, device.id)
      else await devices.assign(tx, userId, publicId)
    },

    enrolTotp: async (tx, user) => (await enrolments.enrolTotp(user, (work) => work(tx))).uri,
  }
}
