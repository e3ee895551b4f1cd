import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { keyQuery } from '../records.ts'
import type { Signatures } from '../signatures.ts'
import { base64Member, keyNames, keyParams, namesOf, usedVersion } from './key-parameters.ts'
import { readSignature, readSigning, signingMembers } from './sign.ts'

/** `POST /transparent/:vaultid/verify/:name`: whether a `signature`, or an `hmac`, is one of this key over `input`. */
export const verify = (signatures: Signatures) =>
  endpoint({
    operation: 'transparent.verify',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/:vaultid/verify/:name',
    summary: 'Verify a signature or an HMAC',
    details: 'Say the same of hash, padding and form as when it was signed.',
    access: { kind: 'vault', permission: 'Read', resource: keyQuery },
    scopedUse: 'key.verify',
    faults: [
      'key.not_found',
      'key.wrong_type',
      'signature.malformed',
      'key.version_unknown',
      'key.version_disabled',
      'key.tampered',
    ],
    reply: {
      callinfo: z.object({
        ...keyNames,
        key_version: usedVersion,
        valid: z.boolean().describe('Whether it is good. A wrong one is not an error of the call.'),
      }),
    },
    params: keyParams,
    body: z
      .object({
        ...signingMembers,
        signature: z.string().describe('A signature, as `sign` answered it.').optional(),
        hmac: z.string().describe('An HMAC, as `hmac` answered it.').optional(),
      })
      .meta({
        oneOf: [
          { title: 'A signature', required: ['signature'] },
          { title: 'An HMAC', required: ['hmac'] },
        ],
      }),
    async run({ body, vault, resource, note }) {
      const text = body.signature ?? body.hmac
      if (text === undefined || (body.signature !== undefined && body.hmac !== undefined))
        throw new Fault('request.invalid', 'Send signature or hmac, one of the two.')
      const signature = readSignature(text)
      const { version } = signature
      note({ keyVersion: version })
      const { key, valid } =
        body.hmac === undefined
          ? await signatures.verify(vault, resource, readSigning(body), signature)
          : await signatures.verifyHmac(vault, resource, base64Member('input', body.input), signature)
      return { callinfo: { valid, key_version: String(version), ...namesOf(key) } }
    },
  })
