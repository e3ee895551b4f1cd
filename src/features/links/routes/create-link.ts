import { z } from 'zod'
import { decodeBase64, strictBase64 } from '../../../encoding/base64.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { base64 } from '../../../http/contract/shared-fields.ts'
import type { Links } from '../links.ts'
import { linkRecordOf, linkSchema } from './link-record.ts'

const aLifetime = 'must be a number of seconds'

const body = z.object({
  ciphertext: base64Field(),
  lifetime: z
    .union([z.int(), z.string().regex(/^\d{1,9}$/, aLifetime)], aLifetime)
    .transform(Number)
    .optional()
    .describe('How long it can be opened, in seconds; without it a day, or as long as the operator allows.'),
  label: z
    .string()
    .max(128, 'must have 128 characters at most')
    .refine((label) => !/\p{Cc}/u.test(label), 'must have no control characters')
    .default('')
    .describe('What its maker calls it: it is stored in the open, and is not shown to the person who opens the link.'),
})

function base64Field() {
  return base64('The secret, encrypted by the caller under a key that stays out of this call.').transform(
    (text, context) => {
      const bytes = decodeBase64(text)
      if (bytes !== undefined) return bytes
      context.addIssue(`must be ${strictBase64}`)
      return z.NEVER
    },
  )
}

/** `POST /link`. */
export const createLink = (links: Links) =>
  endpoint({
    operation: 'link.create',
    handler: 'LinkHandler',
    method: 'POST',
    path: '/link',
    summary: 'Make a one-time link',
    details:
      'Encrypt the secret on your side, and hand over only the ciphertext. The link that you give away holds `opener` and the key in its fragment (`#/link/<opener>/<key>`), which browsers send to no server. Anyone who has it can open it once (`POST /link/open`).',
    access: { kind: 'session' },
    success: 201,
    faults: ['link.disabled', 'link.invalid', 'link.limit'],
    reply: {
      callinfo: z.object({
        link: linkSchema.describe('The new link.'),
        opener: z
          .string()
          .regex(/^[\w-]{22}$/)
          .describe('What opens it, of 22 characters; shown this once.'),
      }),
    },
    body,
    unechoed: ['ciphertext'],
    quota: 'links',
    async run({ body: { ciphertext, lifetime, label }, caller, note, commit }) {
      const link = { userId: caller.userId, label, ciphertext, lifetimeMs: lifetime && lifetime * 1_000 }
      const { opener, ...made } = await links.create(link, commit, (id) => note({ target: `link ${id}` }))
      return { callinfo: { link: linkRecordOf(made, made.createdAt), opener } }
    },
  })
