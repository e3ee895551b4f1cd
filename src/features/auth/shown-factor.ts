import type { OnceShown, ShownFactor } from '../../hsm/login-request.ts'
import { noOtp } from '../otp/otp.ts'
import type { SecondFactor } from './credentials.ts'
import type { CheckedFactor } from './factor-check.ts'

/** What a login shows the keeper. A factor that is wrong is shown as an OTP of no device, or an assertion of no passkey. */
export function shownFactor(factor: CheckedFactor | undefined, claim: SecondFactor): ShownFactor {
  if (factor?.card !== undefined) return { certificate: factor.card.sealed }
  return onceShown(factor, claim)
}

/** The same of a factor that is good once. */
export function onceShown(factor: Pick<CheckedFactor, 'otp' | 'passkey'> | undefined, claim: SecondFactor): OnceShown {
  const { otp, passkey } = factor ?? {}
  if (claim.otpKind === 'webauthn') {
    const { assertion } = claim.passkey
    return { certificate: undefined, passkey: passkey?.shown ?? { passkey: undefined, signCount: 0, assertion } }
  }
  return { certificate: undefined, devices: otp === undefined ? [] : [otp.state], otp: otp?.shown ?? noOtp }
}
