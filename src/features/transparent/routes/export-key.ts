import { z } from 'zod'
import { base64, numberText } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { createPublicKey } from 'node:crypto'
import { Fault } from '../../../fault.ts'
import { keyQuery } from '../records.ts'
import type { ExportKey } from '../key-exports.ts'
import { keyNames, keyParams, keyTypeText, keyVersionSegment, latestVersion } from './key-parameters.ts'

const materialSchema = z.object({
  name: keyNames.name,
  key_version: numberText('The version, as text.'),
  type: keyTypeText,
  wrapped_key: base64(
    'The key, wrapped to `public_key`, where the call gave one: RSA-OAEP with SHA-1, then AES-KWP.',
  ).optional(),
  key: base64('The key in the open, where the call gave no `public_key`.').optional(),
})

/**
 * `GET /transparent/export/:vaultid/:name[/:key_version]`: the material of an exportable key, wrapped to `public_key`
 * (PEM or base64 of DER); in plain only where the key was created with `allow_plaintext_export`.
 */
export const exportKey = (exportVersions: ExportKey, oneVersion: boolean) =>
  endpoint({
    operation: oneVersion ? 'transparent.export.version' : 'transparent.export',
    handler: 'EncryptionHandler',
    method: 'GET',
    path: `/transparent/export/:vaultid/:name${oneVersion ? '/:version' : ''}`,
    summary: 'Export an exportable key',
    details:
      'Wrapped to `public_key`; without it in the open, where the key was created with `allow_plaintext_export`.',
    access: { kind: 'vault', permission: 'Admin', resource: keyQuery },
    faults: ['key.not_found', 'key.export_forbidden', 'key.version_unknown', 'key.version_disabled', 'key.tampered'],
    reply: {
      callinfo: z.object({ ...keyNames, version: latestVersion }),
      members: z.object({ KEYS: z.array(materialSchema).describe('Its versions, or the one that was asked for.') }),
    },
    params: oneVersion ? keyParams.extend({ version: keyVersionSegment }) : keyParams,
    body: z.object({
      public_key: z
        .string()
        .max(8_192, 'must have 8192 characters at most')
        .describe('RSA public key of 2048 to 8192 bits to wrap the key to: PEM, or base64 of DER SubjectPublicKeyInfo.')
        .optional(),
    }),
    async run({ params, body, vault, resource, note }) {
      const version = 'version' in params ? Number(params.version) : undefined
      if (version !== undefined) note({ keyVersion: version })
      const recipient = body.public_key === undefined ? undefined : readPublicKey(body.public_key)
      const { key, versions } = await exportVersions(vault, resource, { version, recipient })
      const member = recipient ? 'wrapped_key' : 'key'
      const items = versions.map((one) => ({
        name: key.name,
        key_version: String(one.version),
        type: key.type,
        [member]: one.material.toString('base64'),
      }))
      for (const { material } of versions) material.fill(0)
      return {
        callinfo: { name: key.name, version: String(key.latestVersion), objectid: String(key.id) },
        members: { KEYS: items },
      }
    },
  })

// Node would derive a public key from a private one. A private key is refused, so that no client learns to send it.
const publicPem = /^\s*-----BEGIN (RSA )?PUBLIC KEY-----/

/** DER SubjectPublicKeyInfo of an RSA key of 2048 to 8192 bits. @throws Fault `request.invalid` */
function readPublicKey(text: string): Buffer {
  try {
    const key = publicPem.test(text)
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
    if (key.asymmetricKeyType === 'rsa' && bits >= 2048 && bits <= 8192)
      return key.export({ format: 'der', type: 'spki' })
  } catch {
    // Falls through to the sentence below, whatever the error was.
  }
  throw new Fault(
    'request.invalid',
    'public_key must be an RSA public key of 2048 to 8192 bits, as PEM or as base64 of DER SubjectPublicKeyInfo.',
  )
}
