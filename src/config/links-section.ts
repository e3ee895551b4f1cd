import { z } from 'zod'
import { longestLinkMs } from '../access/link-limits.ts'

/** One-time links: secrets that a user encrypts for one person without an account. */
export const links = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe('Whether users may make one-time links, which anyone who has one can open, once and without a login.'),
  maxBytes: z
    .number()
    .int()
    .min(1024)
    .max(1024 * 1024)
    .default(64 * 1024)
    .describe('Largest ciphertext of one link, in bytes.'),
  perUser: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(100)
    .describe('Links of one user that may wait to be opened at once.'),
  longestMs: z
    .number()
    .int()
    .min(60_000)
    .max(longestLinkMs)
    .default(604_800_000)
    .describe('Longest time that a link may wait to be opened.'),
})
