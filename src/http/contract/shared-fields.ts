import { z } from 'zod'

/*
 * Members that many contracts have: their form and its description, once. Each call says what the member means there.
 */

/** An id as answers write it. */
export const idText = (what: string) => z.string().regex(/^\d+$/).describe(`${what} Decimal digits.`)

/**
 * An id in the path. It is not validated: what is no id is the id of nothing, and gets the answer of what does not
 * exist.
 */
export const idSegment = (what: string) =>
  z.string().meta({ pattern: '^[1-9]\\d{0,14}$', description: `${what} Decimal digits.` })

export const vaultSegment = () => idSegment('Id of the vault, as `GET /vault` lists it.')
export const userSegment = () => idSegment('Id of the user, as `GET /user` lists it.')

/** A number as answers write it. */
export const numberText = (what: string) => z.string().regex(/^\d+$/).describe(what)

/** Bytes in JSON (RFC 4648 §4). */
export const base64 = (what: string) =>
  z.string().meta({ contentEncoding: 'base64', description: `${what} Base64 with padding.` })

/** PEM (RFC 7468). */
export const pem = (what: string) =>
  z.string().meta({ contentMediaType: 'application/x-pem-file', description: `${what} PEM.` })

/** A moment in answers (RFC 3339). */
export const moment = (what: string) => z.iso.datetime().describe(`${what} UTC.`)

/** A number of things in answers. */
export const howMany = (what: string) => z.int().min(0).describe(what)

/** A bitmap of capabilities in answers, as a number. */
export const bitmap = (what: string) =>
  z.int().min(0).max(0xffff).describe(`${what} A bitmap, whose bits \`GET /utils/statusvalues\` names.`)

/** The same as text. */
export const bitmapText = (what: string) =>
  numberText(`${what} A bitmap as decimal text, whose bits \`GET /utils/statusvalues\` names.`)

export const message = z.string().describe('What was done, in a sentence for people.')

/** The answer of calls that have nothing else to say. */
export const messageSchema = z.object({ message })
