import type { Clock } from '../../clock.ts'
import { isFault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { candidatesOf, clockWentBack, codeForm, isCodeAt, type CodeRules } from './codes.ts'
import {
  advanceCounter,
  deviceKey,
  devicesOf,
  findByPublicId,
  findHeld,
  type Advance,
  type DeviceKind,
  type OtpDevice,
  type OtpKind,
} from './records.ts'
import {
  counterOf,
  lastUseCounter,
  parseOtp,
  readToken,
  tokenWarnings,
  type OtpWarnings,
  type TokenReading,
  type YubicoOtp,
} from './yubico-otp.ts'

/** An OTP that its device made. Whether it was used before is decided by `consume` alone. */
export interface ExaminedOtp extends Advance {
  readonly deviceId: number
  readonly userId: number | null
  /** What is unusual about it though it is good; empty nearly always. */
  readonly warnings: OtpWarnings
}

/** The same of a hardware token, with the fields of its block. */
export interface ExaminedToken extends ExaminedOtp {
  readonly reading: TokenReading
}

export interface Otps {
  /**
   * Checks an OTP in the token, against all devices of the user that may have made it; undefined for any reason that it
   * is wrong. A user who does not exist (undefined) costs about as much as one who does. Null asks for hardware tokens
   * without a holder.
   */
  examine(
    reader: Reader,
    userId: number | null | undefined,
    kind: OtpKind,
    otp: string,
  ): Promise<ExaminedOtp | undefined>
  /**
   * The same for the hardware token that the OTP names, if its holder may log in. An unknown token costs about as much
   * as a known one.
   */
  examineToken(reader: Reader, otp: YubicoOtp): Promise<ExaminedToken | undefined>
  /** Uses it up: true for exactly one of any number of calls with the same OTP. */
  consume(tx: Tx, otp: ExaminedOtp): Promise<boolean>
}

/** What an operator must hear of a device whose OTP is refused. */
export type OtpAlarm = 'otp.clock_back' | 'otp.worn_out'

export interface OtpDependencies {
  readonly hsm: Pick<Hsm, 'decryptOtpBlock' | 'otpHmac' | 'pepper'>
  readonly clock: Clock
  readonly rules: CodeRules
  /** The second factors that are enabled: HOTP goes with `hwkey_otp`. */
  readonly enabledTypes: readonly string[]
  /** Resolves once the alarm is recorded. */
  readonly alarm: (alarm: OtpAlarm, device: OtpDevice) => Promise<void>
}

export function createOtps(dependencies: OtpDependencies): Otps {
  const { hsm } = dependencies
  const examineCode = createCodeExamination(dependencies)
  const examineBlock = createBlockExamination(dependencies)

  /** For a token of this user; null: one without a holder; undefined: there is no such user. */
  async function examineHeld(
    reader: Reader,
    userId: number | null | undefined,
    otp: YubicoOtp,
  ): Promise<ExaminedToken | undefined> {
    const device = await findByPublicId(reader, otp.publicId)
    if (device !== null && device.userId === userId) return examineBlock(device, otp)
    await padWork(hsm, 1)
    return undefined
  }

  return {
    async examine(reader, userId, kind, otp) {
      if (kind === 'totp' || codeForm.test(otp)) return examineCode(reader, userId ?? undefined, otp)
      const parsed = parseOtp(otp)
      return parsed && examineHeld(reader, userId, parsed)
    },

    async examineToken(reader, otp) {
      const held = await findHeld(reader, otp.publicId)
      if (held === undefined) {
        await padWork(hsm, 1)
        return undefined
      }
      const examined = await examineBlock(held.device, otp)
      return held.mayBeUsed ? examined : undefined
    },

    consume: (tx, otp) => advanceCounter(tx, otp.deviceId, otp.userId, otp),
  }
}

/** An id that no user has: an unknown user is looked up all the same. */
const unknownUserId = -1

/** Tries a code of 6 to 8 digits on every device of a user that makes such codes. */
function createCodeExamination({ hsm, clock, rules, enabledTypes, alarm }: OtpDependencies) {
  const kinds: DeviceKind[] = [
    ...(enabledTypes.includes('totp') ? ['totp' as const] : []),
    ...(enabledTypes.includes('hwkey_otp') ? ['hotp' as const] : []),
  ]
  /** What a user with one authenticator app costs, in operations of the token. */
  const usualCandidates = 2 * rules.totpDriftSteps + 1

  return async (reader: Reader, userId: number | undefined, code: string): Promise<ExaminedOtp | undefined> => {
    if (!codeForm.test(code)) return undefined
    const devices = await devicesOf(reader, userId ?? unknownUserId, ...kinds)
    const now = clock.now()
    for (const device of devices)
      if (device.kind === 'totp' && clockWentBack(device, now, rules)) await alarm('otp.clock_back', device)
    const candidates = devices.flatMap((device) => candidatesOf(device, now, rules))
    // All of them, whichever is right: the duration must not reveal which one matched.
    const [right] = await Promise.all([
      Promise.all(candidates.map(({ device, movingFactor }) => isCodeAt(hsm, device, movingFactor, code))),
      padWork(hsm, usualCandidates - candidates.length),
    ])
    const found = candidates.find(({ fresh }, index) => fresh && right[index])
    return found && { ...found.advance, deviceId: found.device.id, userId: found.device.userId, warnings: {} }
  }
}

/** Decrypts the block of a hardware token in the token of the appliance, and judges its fields. */
function createBlockExamination({ hsm, clock, alarm }: OtpDependencies) {
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

  return async (device: OtpDevice, { block }: YubicoOtp): Promise<ExaminedToken | undefined> => {
    if (device.privateIdCheck === null) return undefined
    try {
      const decrypted = await hsm.decryptOtpBlock(deviceKey(device), block, device.privateIdCheck)
      return await judge(device, readToken(decrypted))
    } catch (error) {
      if (isFault(error, 'hsm.rejected')) return undefined
      throw error
    }
  }
}

/**
 * Constant-time padding: operations of the token without a result, so that the duration does not reveal who is a user.
 */
async function padWork(hsm: Pick<Hsm, 'pepper'>, operations: number): Promise<void> {
  await Promise.all(Array.from({ length: Math.max(0, operations) }, () => hsm.pepper(Buffer.alloc(8))))
}
