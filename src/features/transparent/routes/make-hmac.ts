import { z } from 'zod'
import { base64 } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { writeCiphertext } from '../ciphertext.ts'
import { keyQuery } from '../records.ts'
import type { Signatures } from '../signatures.ts'
import { base64Member, keyNames, keyParams, keyVersion, namesOf, signatureText, usedVersion } from './key-parameters.ts'

/** `POST /transparent/:vaultid/hmac/:name`: HMAC-SHA-256 of `input` with a named key. */
export const makeHmac = (signatures: Signatures) =>
  endpoint({
    operation: 'transparent.hmac',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/:vaultid/hmac/:name',
    summary: 'Make an HMAC with a named key',
    details: 'HMAC-SHA-256 with a key of type `hmac-sha256`. `verify` checks it.',
    access: { kind: 'vault', permission: 'Read', resource: keyQuery },
    scopedUse: 'key.hmac',
    faults: ['key.not_found', 'key.wrong_type', 'key.version_unknown', 'key.version_disabled', 'key.tampered'],
    reply: { callinfo: z.object({ ...keyNames, key_version: usedVersion, hmac: signatureText('The HMAC') }) },
    params: keyParams,
    body: z.object({ input: base64('The data.'), key_version: keyVersion.optional() }),
    async run({ body, vault, resource, note }) {
      const { key, version, bytes } = await signatures.hmac(
        vault,
        resource,
        body.key_version,
        base64Member('input', body.input),
      )
      note({ keyVersion: version })
      return {
        callinfo: {
          hmac: writeCiphertext({ version, bytes }),
          key_version: String(version),
          ...namesOf(key),
        },
      }
    },
  })
