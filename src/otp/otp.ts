import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Hsm } from '../hsm/hsm.ts'
import type { Store, Tx } from '../store/store.ts'
import { advanceCounter, deviceKey, devicesOf, findByPublicId, type OtpDevice, type OtpKind } from './records.ts'
import { matchingStep } from './totp.ts'
import { parseBlock, parseOtp } from './yubico.ts'

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
  readonly hsm: Pick<Hsm, 'decryptOtpBlock' | 'otpHmac' | 'pepper'>
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
    const plain = parseBlock(await hsm.decryptOtpBlock(deviceKey(device), otp.block))
    if (!plain || !(await knowsPrivateId(device, plain.privateId))) return undefined
    return { deviceId: device.id, counter: plain.counter }
  }

  async function knowsPrivateId(device: OtpDevice, privateId: Buffer): Promise<boolean> {
    if (device.privateIdCheck === null) return false
    return timingSafeEqual(await privateIdCheck(hsm, privateId), device.privateIdCheck)
  }

  return {
    examine: (userId, kind, otp) => (kind === 'totp' ? examineTotp(userId, otp) : examineHardware(userId, otp)),
    consume: (tx, otp) => advanceCounter(tx, otp.deviceId, otp.counter),
  }
}

/** What is stored of a private id: 32 bytes that say nothing without the token. */
export function privateIdCheck(hsm: Pick<Hsm, 'pepper'>, privateId: Buffer): Promise<Buffer> {
  return hsm.pepper(Buffer.concat([Buffer.from('yubico private id\0'), privateId]))
}
