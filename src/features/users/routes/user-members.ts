import { z } from 'zod'
import { emailForm, fieldLimits } from '../user-fields.ts'

/** A text field. The domain checks its length and letters; the documentation gets the limits from there. */
const field = (name: keyof typeof fieldLimits, description: string, more: object = {}) => {
  const [minLength, maxLength] = fieldLimits[name]
  return z.string().meta({ minLength, maxLength, ...more, description })
}

export const userFields = {
  username: field('username', 'Login name: letters, digits and `- _ . @`. No two users have the same.', {
    pattern: '^[-\\w.@]+$',
  }),
  fullname: field('fullname', 'Full name; blanks around it are left out.'),
  email: field('email', 'E-mail address.', { pattern: emailForm.source }),
}

const highestBit = 30
const bitNumber = z.int().min(0).max(highestBit).describe('Number of a bit.')
const bitmap = z.int().min(0).max(0xffff).describe('The bitmap.')
const aStatus = 'must be a list of bit numbers such as [0, 1, 7], or the bitmap itself'
const digits = z
  .string()
  .regex(/^\d{1,5}$/, aStatus)
  .describe('The bitmap as decimal text.')

/** Capabilities as a list of bit numbers, or as the bitmap itself in a number or in digits: clients send all three. */
export const status = z
  .union([z.array(bitNumber).max(highestBit).describe('The numbers of the bits that are set.'), bitmap, digits], {
    error: aStatus,
  })
  .transform((given) =>
    Array.isArray(given) ? given.reduce((capabilities, bit) => capabilities | (1 << bit), 0) : Number(given),
  )
  .describe(
    'Capabilities of the user, as the numbers of the bits or as the bitmap; `GET /utils/statusvalues` names them. Without bit 7 (Active) the user cannot log in.',
  )

const prefix = '[cbdefghijklnrtuvCBDEFGHIJKLNRTUV]{12}'

/**
 * Public ids of hardware tokens, separated by commas, as `userRecord` writes them. Empty text is allowed, so that the
 * record of a user without a token can be sent back whole.
 */
export const otpPrefixes = z
  .string()
  .regex(
    new RegExp(`^(?:${prefix}(?:,${prefix}){0,2})?$`),
    'must be 12 modhex characters (cbdefghijklnrtuv), or up to three such prefixes with commas between',
  )
  .transform((text) => (text === '' ? [] : text.toLowerCase().split(',')))
  .describe(
    'Public ids of hardware tokens that the user is to hold, with commas between: 12 modhex characters each, three at most. Tokens that the user holds and that are not named stay, for an empty text too: `DELETE /user/:userid/otp/:deviceid` removes one.',
  )
