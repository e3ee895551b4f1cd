import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Hsm } from '../../../hsm/hsm.ts'

const range = 'must be 1 to 65536'

/** `POST /transparent/random`: random bytes from the token. */
export const makeRandom = (hsm: Pick<Hsm, 'random'>) =>
  endpoint({
    operation: 'transparent.random',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/random',
    summary: 'Draw random bytes from the token',
    access: { kind: 'session' },
    success: 200,
    reply: { callinfo: z.object({ random_bytes: z.string() }) },
    params: z.object({}),
    body: z.object({
      bytes: z
        .union(
          [
            z.int(),
            z
              .string()
              .regex(/^\d{1,5}$/)
              .transform(Number),
          ],
          range,
        )
        .refine((count) => count >= 1 && count <= 65_536, range)
        .default(32),
      format: z.enum(['base64', 'hex']).default('base64'),
    }),
    async run({ body }) {
      return { callinfo: { random_bytes: (await hsm.random(body.bytes)).toString(body.format) } }
    },
  })
