import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Transfers } from '../transfers.ts'
import { pemOf } from '../../../encoding/pem.ts'

/**
 * `GET /transparent/wrapping_key`: the public key to wrap keys to that are to be imported (RSA-OAEP with SHA-1, then
 * AES-KWP).
 */
export const readWrappingKey = (transfers: Transfers) =>
  endpoint({
    operation: 'transparent.wrapping.key',
    handler: 'EncryptionHandler',
    method: 'GET',
    path: '/transparent/wrapping_key',
    summary: 'Read the public key that keys to import are wrapped to',
    access: { kind: 'session' },
    success: 200,
    reply: {
      callinfo: z.object({ public_key: z.string().describe('PEM'), public_key_der: z.string().describe('base64') }),
    },
    params: z.object({}),
    body: z.object({}),
    async run() {
      const spki = await transfers.wrappingKey()
      return { callinfo: { public_key: pemOf('PUBLIC KEY', spki), public_key_der: spki.toString('base64') } }
    },
  })
