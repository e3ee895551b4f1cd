import { isFault } from '../../fault.ts'
import type { ExaminedToken, OtpDependencies } from './otp.ts'
import { deviceKey, findByPublicId, findHeld, type OtpDevice } from './records.ts'
import { sparedWork } from './spared-work.ts'
import { lastUseCounter, tokenWarnings } from './token-warnings.ts'
import { counterOf, readToken, type TokenReading, type YubicoOtp } from './yubico.ts'

interface TokenExamination {
  /** For a token of this user; null: one that nobody holds; undefined: there is no such user. */
  examineHeld(userId: number | null | undefined, otp: YubicoOtp): Promise<ExaminedToken | undefined>
  /** For a token whose holder may log in. */
  examineToken(otp: YubicoOtp): Promise<ExaminedToken | undefined>
}

/** Opens the block of a hardware token in the token of the appliance, and judges what it says. */
export function createTokenExamination({ store, hsm, clock, alarm }: OtpDependencies): TokenExamination {
  async function open(device: OtpDevice, { block }: YubicoOtp): Promise<ExaminedToken | undefined> {
    if (device.privateIdCheck === null) return undefined
    try {
      const decrypted = await hsm.decryptOtpBlock(deviceKey(device), block, device.privateIdCheck)
      return await judge(device, readToken(decrypted))
    } catch (error) {
      if (isFault(error, 'hsm.rejected')) return undefined
      throw error
    }
  }

  async function judge(device: OtpDevice, reading: TokenReading): Promise<ExaminedToken | undefined> {
    if (reading.useCounter === lastUseCounter) {
      await alarm('otp.worn_out', device)
      return undefined
    }
    const now = clock.now()
    return {
      deviceId: device.id,
      userId: device.userId,
      counter: counterOf(reading),
      driftSteps: 0,
      ticks: reading.timestamp,
      usedAt: now,
      reading,
      warnings: tokenWarnings(device, reading, now),
    }
  }

  return {
    async examineHeld(userId, otp) {
      const device = await findByPublicId(store.read, otp.publicId)
      if (device !== null && device.userId === userId) return open(device, otp)
      await sparedWork(hsm, 1)
      return undefined
    },

    async examineToken(otp) {
      const held = await findHeld(store, otp.publicId)
      if (held === undefined) {
        await sparedWork(hsm, 1)
        return undefined
      }
      const examined = await open(held.device, otp)
      return held.mayBeUsed ? examined : undefined
    },
  }
}
