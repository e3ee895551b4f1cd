import type { Clock } from '../clock.ts'
import { isFault } from '../fault.ts'
import { privateIdRecord, type Hsm } from '../hsm/hsm.ts'
import type { Store, Tx } from '../store/store.ts'
import { advanceCounter, deviceKey, devicesOf, findByPublicId, type OtpKind } from './records.ts'
import { matchingStep } from './totp.ts'
import { counterOf, parseOtp } from './yubico.ts'

/** An OTP that its device made; whether it is fresh is decided by `consume` alone. */
export interface ExaminedOtp {
  readonly deviceId: number
  readonly counter: number
}

export interface Otps {
  /** Checks an OTP of the user's devices in the token; undefined for anything wrong with it, whatever that is. */
  examine(userId: number, kind: OtpKind, otp: string): Promise<ExaminedOtp | undefined>
  /** Uses it up: true for exactly one of any number of calls with the same OTP. */
  consume(tx: Tx, otp: ExaminedOtp): Promise<boolean>
}

export interface OtpDependencies {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'decryptOtpBlock' | 'otpHmac'>
  readonly clock: Clock
}

export function createOtps({ store, hsm, clock }: OtpDependencies): Otps {
  async function examineTotp(userId: number, code: string): Promise<ExaminedOtp | undefined> {
    for (const device of await devicesOf(store.read, userId, 'totp')) {
      const step = await matchingStep(hsm, device, code, clock.now())
      if (step !== undefined) return { deviceId: device.id, counter: step }
    }
    return undefined
  }

  async function examineHardware(userId: number, text: string): Promise<ExaminedOtp | undefined> {
    const otp = parseOtp(text)
    const device = otp && (await findByPublicId(store.read, otp.publicId))
    if (!otp || !device || device.userId !== userId) return undefined
    if (device.privateIdCheck === null) return undefined
    try {
      const decrypted = await hsm.decryptOtpBlock(deviceKey(device), otp.block, device.privateIdCheck)
      return { deviceId: device.id, counter: counterOf(decrypted) }
    } catch (error) {
      if (isFault(error, 'hsm.rejected')) return undefined
      throw error
    }
  }

  return {
    examine: (userId, kind, otp) => (kind === 'totp' ? examineTotp(userId, otp) : examineHardware(userId, otp)),
    consume: (tx, otp) => advanceCounter(tx, otp.deviceId, otp.counter),
  }
}

/** What is stored of a private id: 32 bytes that say nothing without the token. */
export async function privateIdCheck(hsm: Pick<Hsm, 'pepper'>, privateId: Buffer): Promise<Buffer> {
  const record = privateIdRecord(privateId)
  try {
    return await hsm.pepper(record)
  } finally {
    record.fill(0)
  }
}
