import { z } from 'zod'
import { whole } from './value-shapes.ts'
import { longestLinkMs } from '../access/link-limits.ts'

/** One-time links: secrets that a user encrypts for one person without an account. */
export const links = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe('Whether users may make one-time links, which anyone who has one can open, once and without a login.'),
  maxBytes: whole(1024, 1024 * 1024)
    .default(64 * 1024)
    .describe('Largest ciphertext of one link, in bytes.'),
  perUser: whole(1, 10_000).default(100).describe('Links of one user that may wait to be opened at once.'),
  longestMs: whole(60_000, longestLinkMs)
    .default(604_800_000)
    .describe('Longest time that a link may wait to be opened.'),
})
