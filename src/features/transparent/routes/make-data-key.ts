import { z } from 'zod'
import { base64 } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { DataKeys } from '../data-keys.ts'
import { writeCiphertext } from '../ciphertext.ts'
import { keyQuery } from '../records.ts'
import {
  aadField,
  ciphertextText,
  keyNames,
  keyParams,
  keyVersion,
  namesOf,
  optionalBase64Member,
  usedVersion,
} from './key-parameters.ts'

/**
 * `POST /transparent/:vaultid/datakey/:type/:name`: a new key for data that the client encrypts itself, returned
 * encrypted under a named key; with type `plaintext` in plain as well.
 */
export const makeDataKey = (dataKeys: DataKeys) =>
  endpoint({
    operation: 'transparent.datakey',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/:vaultid/datakey/:type/:name',
    summary: 'Make a data key under a named key',
    details: 'For data of any size that the application encrypts itself.',
    access: { kind: 'vault', permission: 'Read', resource: keyQuery },
    scopedUse: 'key.datakey',
    demanding: [
      {
        what: 'A data key in the open',
        permission: 'Write',
        isScoped: true,
        isAsked: ({ params }) => params.type === 'plaintext',
      },
    ],
    faults: [
      'key.not_found',
      'key.wrong_type',
      'key.version_unknown',
      'key.version_disabled',
      'key.exhausted',
      'key.tampered',
    ],
    reply: {
      callinfo: z.object({
        ...keyNames,
        key_version: usedVersion,
        ciphertext: ciphertextText.describe('The data key, encrypted: keep it with the data; `decrypt` opens it.'),
        plaintext: base64('The data key in the open, where `type` is `plaintext`: forget it after use.').optional(),
      }),
    },
    params: keyParams.extend({
      type: z
        .enum(['plaintext', 'wrapped'])
        .describe('`wrapped` the data key only in encrypted form, `plaintext` also in the open.'),
    }),
    body: z.object({
      bits: z
        .union([z.literal([128, 256, 512]), z.enum(['128', '256', '512']).transform(Number)], 'must be 128, 256 or 512')
        .describe('Length of the data key in bits: 128, 256 or 512.')
        .default(256),
      key_version: keyVersion.optional(),
      aad: aadField.optional(),
    }),
    async run({ params, body, vault, resource, note }) {
      const open = params.type === 'plaintext'
      const made = await dataKeys.make(vault, resource, {
        bytes: body.bits / 8,
        version: body.key_version,
        aad: optionalBase64Member('aad', body.aad),
        open,
      })
      const { version } = made.ciphertext
      note({ keyVersion: version })
      const names = { key_version: String(version), ...namesOf(made.key) }
      const plaintext = made.plaintext?.toString('base64')
      made.plaintext?.fill(0)
      return {
        callinfo: {
          ciphertext: writeCiphertext(made.ciphertext),
          ...(plaintext === undefined ? {} : { plaintext }),
          ...names,
        },
      }
    },
  })
