import { z } from 'zod'
import { Fault } from '../../fault.ts'
import { passkeyField } from '../passkeys/presented-passkey.ts'
import {
  isForPasskey,
  onceTypeField,
  otpKindOf,
  otpWords,
  passkeyFactor,
  secret,
  type OnceShownFactor,
} from './credentials.ts'

/** The members of a call by which a user changes own factors: a second factor that the user has, shown once more. */
export const freshFactorMembers = {
  otp: secret.describe(otpWords).optional(),
  passkey: passkeyField.optional(),
  logintype: onceTypeField.optional(),
}

/** For `unechoed` of such a call. */
export const freshFactorSecrets = ['otp'] as const

const freshFactorBody = z.object(freshFactorMembers)

/** @throws Fault `request.invalid` where there is none */
export function freshFactorIn({ otp, passkey, logintype }: z.infer<typeof freshFactorBody>): OnceShownFactor {
  if (isForPasskey({ logintype, otp, passkey })) return passkeyFactor(passkey)
  if (otp === undefined)
    throw new Fault('request.invalid', 'otp is missing: a code of a second factor that you have, or send passkey.')
  return { otp, otpKind: otpKindOf(otp, logintype) }
}
