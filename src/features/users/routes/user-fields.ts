import { z } from 'zod'
import { decimalId } from '../../../access/resource.ts'
import { Fault } from '../../../fault.ts'

/** The domain checks lengths and letters. */
export const field = z.string()

const highestBit = 30
const bitNumber = z.int().min(0).max(highestBit)
const bitmap = z.int().min(0).max(0xffff)
const aStatus = 'must be a list of bit numbers such as [0, 1, 7], or the bitmap itself'
const digits = z.string().regex(/^\d{1,5}$/, aStatus)

/** Capabilities as a list of bit numbers, or as the bitmap itself in a number or in digits: clients send all three. */
export const status = z
  .union([z.array(bitNumber).max(highestBit), bitmap, digits], { error: aStatus })
  .transform((given) =>
    Array.isArray(given) ? given.reduce((capabilities, bit) => capabilities | (1 << bit), 0) : Number(given),
  )

const prefix = '[cbdefghijklnrtuvCBDEFGHIJKLNRTUV]{12}'

/**
 * Public ids of hardware tokens with commas between, as `userRecord` writes them: a record can be sent back whole, that
 * of a user without a token too.
 */
export const otpPrefixes = z
  .string()
  .regex(
    new RegExp(`^(?:${prefix}(?:,${prefix}){0,2})?$`),
    'must be 12 modhex characters (cbdefghijklnrtuv), or up to three such prefixes with commas between',
  )
  .transform((text) => (text === '' ? [] : text.toLowerCase().split(',')))

export const userParams = z.object({ userid: z.string() })

/** @throws Fault `user.not_found` for what is no id */
export function userIdOf(text: string): number {
  const id = decimalId(text)
  if (id === undefined) throw new Fault('user.not_found')
  return id
}
