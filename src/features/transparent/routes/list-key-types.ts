import { z } from 'zod'
import { keyTypeText } from './key-parameters.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Hsm } from '../../../hsm/hsm.ts'
import type { KindSupport } from '../../../hsm/key-kind.ts'
import { flagText } from './key-item.ts'
import { keyTypes } from '../key-type.ts'

const nothing: KindSupport = { wrapped: 'all', tokenObject: 'all' }

const typeSchema = z
  .object({
    type: keyTypeText,
    available: flagText('Whether such keys can be made here, with residency `database`.'),
    available_in_token: flagText('Whether such keys can be made here, with residency `token`.'),
    missing_mechanism: z
      .string()
      .describe('PKCS#11 mechanism that the token would need; absent where it is available.')
      .optional(),
    supports_encryption: flagText('Whether such keys encrypt and decrypt.'),
    supports_aad: flagText('Whether they authenticate what they encrypt, and take `aad`.'),
    supports_signing: flagText('Whether such keys sign and verify.'),
    supports_hmac: flagText('Whether such keys make HMACs.'),
  })
  .meta({ id: 'KeyType', description: 'A key type, and what this token can do of it.' })

/**
 * `GET /transparent/types`: all key types, and which of them this token supports: `available` with residency
 * `database`, `available_in_token` with residency `token`.
 */
export const listKeyTypes = (hsm: Pick<Hsm, 'kindSupport'>) =>
  endpoint({
    operation: 'transparent.types',
    handler: 'EncryptionHandler',
    method: 'GET',
    path: '/transparent/types',
    summary: 'List the key types and what this token can do of them',
    access: { kind: 'session' },
    reply: { members: z.object({ TYPES: z.array(typeSchema).describe('The key types.') }) },
    async run() {
      const offers = await hsm.kindSupport()
      const types = keyTypes.map(({ name, kind, cipher, signature, mac }) => {
        const { wrapped, tokenObject } = offers.get(kind) ?? nothing
        return {
          type: name,
          available: String(wrapped === undefined),
          available_in_token: String(tokenObject === undefined),
          ...(wrapped === undefined ? {} : { missing_mechanism: wrapped }),
          supports_encryption: String(cipher !== undefined),
          supports_aad: String((cipher?.tagBytes ?? 0) > 0),
          supports_signing: String(signature !== undefined),
          supports_hmac: String(mac === true),
        }
      })
      return { members: { TYPES: types } }
    },
  })
