import { z } from 'zod'
import { decodeBase64, strictBase64 } from '../../../encoding/base64.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { detectMimeType } from '../mime-types.ts'

/** Limit of the decoded bytes (spec: Limits). */
const mostBytes = 64
const mostCharacters = 25

const body = z.object({
  data: z
    .string()
    .refine((text) => decodeBase64(text) !== undefined, `must be ${strictBase64}`)
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((bytes) => bytes.length <= mostBytes, `must be ${mostBytes} bytes at most: the first of the file`)
    .meta({
      contentEncoding: 'base64',
      maxLength: Math.ceil(mostBytes / 3) * 4,
      description: `The first bytes of the file, ${mostBytes} at most. Base64 with padding.`,
    }),
  extension: z
    .string()
    // One published client sends the dot, too.
    .transform((text) => text.replace(/^\./, '').toLowerCase())
    .refine((text) => Array.from(text).length <= mostCharacters, `must have ${mostCharacters} characters at most`)
    .refine((text) => !/[\p{Cc}/\\]/u.test(text), 'must not hold control characters or slashes')
    .describe(`Extension of its name, ${mostCharacters} characters at most; without the dot, or with it.`),
  size: z
    .union(
      [
        z.int().min(0),
        z
          .string()
          .regex(/^\d{1,15}$/)
          .transform(Number),
      ],
      'must be a number of bytes',
    )
    .describe('Length that the file is to have, in bytes: a file that is too large for the appliance is refused.')
    .optional(),
})

const resultSchema = z.object({
  mimetype: z.string().describe('Media type of the file.'),
  size: z.int().min(0).describe('The size that was sent.').optional(),
  max_file_size: z.int().min(0).describe('Largest file that the appliance takes, in bytes.'),
})

/** `POST /utils/get_mime_type` (spec: Detect MIME type). */
export const detectType = (maxFileBytes: number) =>
  endpoint({
    operation: 'utils.mimetype',
    handler: 'UtilsHandler',
    method: 'POST',
    path: '/utils/get_mime_type',
    summary: 'Detect the MIME type of a file',
    details: 'The first bytes decide, and the extension where several formats begin alike.',
    access: { kind: 'session' },
    reply: { members: z.object({ RESULT: resultSchema.describe('What was found.') }) },
    body,
    async run({ body: { data, extension, size } }) {
      if (size !== undefined && size > maxFileBytes)
        throw new Fault(
          'request.too_large',
          `A file of ${size} bytes is larger than this appliance accepts: ${maxFileBytes} bytes (the setting files.maxBytes).`,
        )
      const mimetype = await detectMimeType(data, extension)
      return { members: { RESULT: { mimetype, ...(size !== undefined && { size }), max_file_size: maxFileBytes } } }
    },
  })
