import { z } from 'zod'

/* Lists that are read page by page. Each page says what to send for the next one. */

export const anyNext = 'must be what the page before named'

/** @param otherwise the number of items without this member */
export const pageLimit = (what: string, otherwise: string) =>
  z
    .string()
    .regex(/^([1-9]\d{0,2}|1000)$/, 'must be 1 to 1000')
    .transform(Number)
    .describe(`Most ${what} of the page, 1 to 1000. ${otherwise}`)
    .optional()

export const pageNext = (description: string) =>
  z
    .string()
    .regex(/^[\w-]{1,32}$/, anyNext)
    .describe(description)
    .optional()

/** The member of an answer that names the next page. */
export const followingPage = () =>
  z.string().describe('What to send as `next` for the next page; absent where nothing is left.').optional()
