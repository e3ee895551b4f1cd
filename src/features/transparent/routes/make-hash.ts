import { z } from 'zod'
import { base64 } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { hash } from 'node:crypto'
import { base64Member } from './key-parameters.ts'

const algorithms = { 'sha2-256': 'sha256', 'sha2-384': 'sha384', 'sha2-512': 'sha512' } as const

/** `POST /transparent/hash`: the hash of `input`. It involves no key and no token. */
export const makeHash = () =>
  endpoint({
    operation: 'transparent.hash',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/hash',
    summary: 'Hash data',
    access: { kind: 'session' },
    reply: { callinfo: z.object({ sum: z.string().describe('The hash, in `format`.') }) },
    body: z.object({
      input: base64('The data.'),
      algorithm: z.enum(['sha2-256', 'sha2-384', 'sha2-512']).describe('The hash algorithm.').default('sha2-256'),
      format: z.enum(['base64', 'hex']).describe('How the answer writes bytes.').default('base64'),
    }),
    run({ body }) {
      const sum = hash(algorithms[body.algorithm], base64Member('input', body.input), body.format)
      return Promise.resolve({ callinfo: { sum } })
    },
  })
