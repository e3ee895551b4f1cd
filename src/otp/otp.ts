import type { Clock } from '../clock.ts'
import { isFault } from '../fault.ts'
import { privateIdRecord, type Hsm } from '../hsm/hsm.ts'
import type { Store, Tx } from '../store/store.ts'
import {
  advanceCounter,
  deviceKey,
  devicesOf,
  findByPublicId,
  holderMayLogIn,
  type OtpDevice,
  type OtpKind,
} from './records.ts'
import { matchingStep } from './totp.ts'
import { counterOf, parseOtp, readToken, type TokenReading, type YubicoOtp } from './yubico.ts'

/** An OTP that its device made; whether it is fresh is decided by `consume` alone. */
export interface ExaminedOtp {
  readonly deviceId: number
  readonly counter: number
  /** What is odd about it without being wrong: sentences for its user, under a key each. */
  readonly warnings?: Readonly<Record<string, string>>
}

/** The same of a hardware token, with what it told of itself. */
export interface ExaminedToken extends ExaminedOtp {
  readonly reading: TokenReading
}

export interface Otps {
  /** Checks an OTP of the user's devices in the token; undefined for anything wrong with it, whatever that is. */
  examine(userId: number, kind: OtpKind, otp: string): Promise<ExaminedOtp | undefined>
  /**
   * The same for the hardware token that the OTP names, if its holder may log in. A token that nobody knows costs about
   * as much as one that is known.
   */
  examineToken(otp: YubicoOtp): Promise<ExaminedToken | undefined>
  /** Uses it up: true for exactly one of any number of calls with the same OTP. */
  consume(tx: Tx, otp: ExaminedOtp): Promise<boolean>
}

export interface OtpDependencies {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'decryptOtpBlock' | 'otpHmac' | 'pepper'>
  readonly clock: Clock
}

const privateIdBytes = 6

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
    return otp && device?.userId === userId ? decrypt(device, otp) : undefined
  }

  async function decrypt(device: OtpDevice, { block }: YubicoOtp): Promise<ExaminedToken | undefined> {
    if (device.privateIdCheck === null) return undefined
    try {
      const reading = readToken(await hsm.decryptOtpBlock(deviceKey(device), block, device.privateIdCheck))
      return { deviceId: device.id, counter: counterOf(reading), reading }
    } catch (error) {
      if (isFault(error, 'hsm.rejected')) return undefined
      throw error
    }
  }

  return {
    examine: (userId, kind, otp) => (kind === 'totp' ? examineTotp(userId, otp) : examineHardware(userId, otp)),
    async examineToken(otp) {
      const device = await findByPublicId(store.read, otp.publicId)
      if (device === null) {
        await privateIdCheck(hsm, Buffer.alloc(privateIdBytes))
        return undefined
      }
      const [examined, mayUse] = await Promise.all([decrypt(device, otp), holderMayLogIn(store, device.id)])
      return mayUse ? examined : undefined
    },
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
