import type { OnceShown, ShownFactor } from '../../hsm/login-request.ts'
import { noOtp } from '../otp/otp.ts'
import type { CheckedFactor } from './factor-check.ts'

/** What a login shows the keeper. A factor that is wrong is shown as an OTP of no device. */
export function shownFactor(factor: CheckedFactor | undefined): ShownFactor {
  if (factor?.card !== undefined) return { certificate: factor.card.sealed }
  return onceShown(factor)
}

/** The same of a factor that is good once. */
export function onceShown(factor: Pick<CheckedFactor, 'otp'> | undefined): OnceShown {
  const { otp } = factor ?? {}
  return { certificate: undefined, devices: otp === undefined ? [] : [otp.state], otp: otp?.shown ?? noOtp }
}
