import { z } from 'zod'
import type { Client } from '../../access/caller.ts'
import { passkeyField } from '../passkeys/presented-passkey.ts'
import { onceFactorIn, onceTypeField, otpWords, secret } from './credentials.ts'
import type { FreshFactor } from './own-factors.ts'

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
export const freshFactorIn = (
  members: z.infer<typeof freshFactorBody>,
  { address }: Pick<Client, 'address'>,
): FreshFactor => ({
  ...onceFactorIn(members, 'otp is missing: a code of a second factor that you have, or send passkey.'),
  address,
})
