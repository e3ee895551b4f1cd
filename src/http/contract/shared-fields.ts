import { z } from 'zod'
import { pathId } from '../../access/resource.ts'

/* Form and description of members that many contracts have. Each call adds what the member means there. */

/** An id in an answer. */
export const idText = (what: string) => z.string().regex(/^\d+$/).describe(`${what} Decimal digits.`)

/** An id in a path. It is not validated: a malformed id gets the answer of an id that does not exist. */
export const idSegment = (what: string) =>
  z.string().meta({ pattern: '^[1-9]\\d{0,14}$', description: `${what} Decimal digits.` })

export const vaultSegment = () => idSegment('Id of the vault, as `GET /vault` lists it.')
export const userSegment = () => idSegment('Id of the user, as `GET /user` lists it.')
export const userParams = z.object({ userid: userSegment() })

/** @throws Fault `user.not_found` for anything that is not an id */
export const userIdOf = (text: string): number => pathId(text, 'user.not_found')

/** A number in an answer. */
export const numberText = (what: string) => z.string().regex(/^\d+$/).describe(what)

/** Bytes in JSON (RFC 4648 §4). */
export const base64 = (what: string) =>
  z.string().meta({ contentEncoding: 'base64', description: `${what} Base64 with padding.` })

/** PEM (RFC 7468). */
export const pem = (what: string) =>
  z.string().meta({ contentMediaType: 'application/x-pem-file', description: `${what} PEM.` })

/** Text for people, on one line and without blanks around it. */
export const lineOfText = z
  .string()
  .regex(/^\P{Cc}*$/u, 'must not hold control characters')
  .trim()

/** A time in an answer (RFC 3339). */
export const moment = (what: string) => z.iso.datetime().describe(`${what} UTC.`)

/** A number of items in an answer. */
export const howMany = (what: string) => z.int().min(0).describe(what)

/** A bitmap of capabilities in an answer, as a number. */
export const bitmap = (what: string) =>
  z.int().min(0).max(0xffff).describe(`${what} A bitmap, whose bits \`GET /utils/statusvalues\` names.`)

/** The same as text. */
export const bitmapText = (what: string) =>
  numberText(`${what} A bitmap as decimal text, whose bits \`GET /utils/statusvalues\` names.`)

export const message = z.string().describe('What was done, in a sentence for people.')

/** The reply of calls that answer with a message only. */
export const messageSchema = z.object({ message })
