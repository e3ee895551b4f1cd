import type { OtpKind } from '../otp/records.ts'
import { applicationKeyLength } from './application-key.ts'

export interface Credentials {
  readonly passphrase: string
  readonly applicationKey: string
  readonly otp: string
  readonly otpKind: OtpKind
}

const hardwareOtpLength = 44
const codeLengths = [6, 7, 8]

/**
 * Every way to read form A, `keys` = pass phrase ‖ application key ‖ OTP (spec: Login), from the right. Only the
 * application key tells which is meant, so `applicationKey`, where a client sends it as well, leaves those that fit.
 */
export function readKeys(
  keys: string,
  applicationKey: string | undefined,
  loginType: string | undefined,
): Credentials[] {
  return [hardwareOtpLength, ...codeLengths]
    .filter((otpLength) => keys.length > otpLength + applicationKeyLength)
    .map((otpLength) => {
      const otpStart = keys.length - otpLength
      const keyStart = otpStart - applicationKeyLength
      const otp = keys.slice(otpStart)
      return {
        passphrase: keys.slice(0, keyStart),
        applicationKey: keys.slice(keyStart, otpStart),
        otp,
        otpKind: otpKindOf(otp, loginType),
      }
    })
    .filter((credentials) => applicationKey === undefined || credentials.applicationKey === applicationKey)
}

/** The second factor that a login type names; without one, the length of the OTP tells. */
export function otpKindOf(otp: string, loginType: string | undefined): OtpKind {
  if (loginType === 'totp') return 'totp'
  if (loginType === 'hwkey_otp' || loginType === 'yubikey_otp') return 'hwkey_otp'
  return otp.length === hardwareOtpLength ? 'hwkey_otp' : 'totp'
}
