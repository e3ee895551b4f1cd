import type { OnceShown, ShownFactor } from '../../hsm/login-request.ts'
import { noOtp } from '../otp/otp.ts'
import type { SecondFactor } from './credentials.ts'
import type { CheckedFactor } from './factor-check.ts'

/**
 * The second factor of a login in the form for the keeper. A wrong factor is replaced by an OTP of no device or an
 * assertion of no passkey, so that the keeper does the same work.
 */
export function shownFactor(factor: CheckedFactor | undefined, claim: SecondFactor): ShownFactor {
  if (factor?.card !== undefined) return { certificate: factor.card.sealed }
  return onceShown(factor, claim)
}

/** The same for a factor that is valid once. */
export function onceShown(factor: Pick<CheckedFactor, 'otp' | 'passkey'> | undefined, claim: SecondFactor): OnceShown {
  const { otp, passkey } = factor ?? {}
  if (claim.otpKind === 'webauthn') {
    const { assertion } = claim.passkey
    return { certificate: undefined, passkey: passkey?.shown ?? { passkey: undefined, signCount: 0, assertion } }
  }
  return { certificate: undefined, devices: otp === undefined ? [] : [otp.state], otp: otp?.shown ?? noOtp }
}
