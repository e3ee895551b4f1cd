import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Hsm } from '../../../hsm/hsm.ts'
import type { Vaults } from '../../vaults/vault.ts'

const range = 'must be 1 to 65536'

/** `POST /transparent/random`: random bytes from the token. */
export const makeRandom = (hsm: Pick<Hsm, 'random'>, vaults: Pick<Vaults, 'listFor'>) =>
  endpoint({
    operation: 'transparent.random',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/random',
    summary: 'Draw random bytes from the token',
    access: {
      kind: 'session',
      service: {
        operation: 'random',
        scopesOf: async (userId) => (await vaults.listFor(userId)).flatMap(({ scope }) => scope ?? []),
      },
    },
    reply: { callinfo: z.object({ random_bytes: z.string().describe('The bytes, in `format`.') }) },
    body: z.object({
      bytes: z
        .union(
          [
            z.int().meta({ minimum: 1, maximum: 65_536 }),
            z
              .string()
              .regex(/^\d{1,5}$/)
              .transform(Number),
          ],
          range,
        )
        .refine((count) => count >= 1 && count <= 65_536, range)
        .describe('How many bytes, 1 to 65536.')
        .default(32),
      format: z.enum(['base64', 'hex']).describe('How the answer writes bytes.').default('base64'),
    }),
    async run({ body }) {
      return { callinfo: { random_bytes: (await hsm.random(body.bytes)).toString(body.format) } }
    },
  })
