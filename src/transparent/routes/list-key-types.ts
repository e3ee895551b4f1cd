import { z } from 'zod'
import { endpoint } from '../../api/endpoint.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { keyTypes } from '../key-type.ts'

/** `GET /transparent/types`: the key types there are, and which of them this token serves. */
export const listKeyTypes = (hsm: Pick<Hsm, 'offers'>) =>
  endpoint({
    operation: 'transparent.types',
    handler: 'EncryptionHandler',
    method: 'GET',
    path: '/transparent/types',
    summary: 'List the key types and what this token can do of them',
    access: { kind: 'session' },
    success: 200,
    params: z.object({}),
    body: z.object({}),
    async run() {
      const offers = await hsm.offers()
      const types = keyTypes.map(({ name, kind, cipher, signature, mac }) => {
        const missing = offers.get(kind)
        return {
          type: name,
          available: String(missing === undefined),
          ...(missing === undefined ? {} : { missing_mechanism: missing }),
          supports_encryption: String(cipher !== undefined),
          supports_aad: String((cipher?.tagBytes ?? 0) > 0),
          supports_signing: String(signature !== undefined),
          supports_hmac: String(mac === true),
        }
      })
      return { members: { TYPES: types } }
    },
  })
