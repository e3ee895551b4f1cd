import type { Clock } from '../../clock.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Store, Tx } from '../../store/store.ts'
import { createCodeExamination } from './code-examination.ts'
import { codeForm, type CodeRules } from './codes.ts'
import { advanceCounter, type Advance, type OtpDevice, type OtpKind } from './records.ts'
import { createTokenExamination } from './token-examination.ts'
import type { OtpWarnings } from './token-warnings.ts'
import { parseOtp, type TokenReading, type YubicoOtp } from './yubico.ts'

/** An OTP that its device made; whether it is fresh is decided by `consume` alone. */
export interface ExaminedOtp extends Advance {
  readonly deviceId: number
  readonly userId: number | null
  /** What is odd about it though it is good; empty nearly always. */
  readonly warnings: OtpWarnings
}

/** The same of a hardware token, with what it told of itself. */
export interface ExaminedToken extends ExaminedOtp {
  readonly reading: TokenReading
}

export interface Otps {
  /**
   * Checks an OTP in the token, against all devices of the user that may have made it; undefined for anything wrong with it, whatever
   * that is. A user who does not exist (undefined) costs about as much as one who does. Null asks for hardware tokens that nobody holds.
   */
  examine(userId: number | null | undefined, kind: OtpKind, otp: string): Promise<ExaminedOtp | undefined>
  /**
   * The same for the hardware token that the OTP names, if its holder may log in. A token that nobody knows costs about
   * as much as one that is known.
   */
  examineToken(otp: YubicoOtp): Promise<ExaminedToken | undefined>
  /** Uses it up: true for exactly one of any number of calls with the same OTP. */
  consume(tx: Tx, otp: ExaminedOtp): Promise<boolean>
}

/** What an operator must hear of a device whose OTP is refused. */
export type OtpAlarm = 'otp.clock_back' | 'otp.worn_out'

export interface OtpDependencies {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'decryptOtpBlock' | 'otpHmac' | 'pepper'>
  readonly clock: Clock
  readonly rules: CodeRules
  /** The second factors that are enabled: HOTP goes with `hwkey_otp`. */
  readonly enabledTypes: readonly string[]
  /** Resolves once the alarm is recorded. */
  readonly alarm: (alarm: OtpAlarm, device: OtpDevice) => Promise<void>
}

export function createOtps(dependencies: OtpDependencies): Otps {
  const examineCode = createCodeExamination(dependencies)
  const tokens = createTokenExamination(dependencies)
  return {
    async examine(userId, kind, otp) {
      if (kind === 'totp' || codeForm.test(otp)) return examineCode(userId ?? undefined, otp)
      const parsed = parseOtp(otp)
      return parsed && tokens.examineHeld(userId, parsed)
    },
    examineToken: (otp) => tokens.examineToken(otp),
    consume: (tx, otp) => advanceCounter(tx, otp.deviceId, otp.userId, otp),
  }
}
