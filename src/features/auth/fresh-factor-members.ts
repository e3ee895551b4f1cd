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

/** The members by which a call shows a second factor once more, as changes of the caller's own factors require. */
export const freshFactorMembers = {
  otp: secret.describe(otpWords).optional(),
  passkey: passkeyField.optional(),
  logintype: onceTypeField.optional(),
}

/** The secret members among them, for `unechoed`. */
export const freshFactorSecrets = ['otp'] as const

const freshFactorBody = z.object(freshFactorMembers)

/** @throws Fault `request.invalid` where no second factor was sent */
export function freshFactorIn({ otp, passkey, logintype }: z.infer<typeof freshFactorBody>): OnceShownFactor {
  if (isForPasskey({ logintype, otp, passkey })) return passkeyFactor(passkey)
  if (otp === undefined)
    throw new Fault('request.invalid', 'otp is missing: a code of a second factor that you have, or send passkey.')
  return { otp, otpKind: otpKindOf(otp, logintype) }
}
