import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { includes } from '../../../access/permission.ts'
import { Fault } from '../../../fault.ts'
import type { DataKeys } from '../data-keys.ts'
import { writeCiphertext } from '../ciphertext.ts'
import { keyQuery } from '../records.ts'
import { keyNames, keyParams, keyVersion, optionalBytesOf } from './key-parameters.ts'

/**
 * `POST /transparent/:vaultid/datakey/:type/:name`: a new key for large data of one's own, encrypted under a named
 * key; `plaintext` gives it in the open as well.
 */
export const makeDataKey = (dataKeys: DataKeys) =>
  endpoint({
    operation: 'transparent.datakey',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/:vaultid/datakey/:type/:name',
    summary: 'Make a data key under a named key',
    access: { kind: 'vault', permission: 'Read', resource: keyQuery },
    success: 200,
    faults: [
      'access.permission',
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
        key_version: z.string(),
        ciphertext: z.string(),
        plaintext: z.string().optional().describe('base64'),
      }),
    },
    params: keyParams.extend({ type: z.enum(['plaintext', 'wrapped']) }),
    body: z.object({
      bits: z
        .union([z.literal([128, 256, 512]), z.enum(['128', '256', '512']).transform(Number)], 'must be 128, 256 or 512')
        .default(256),
      key_version: keyVersion.optional(),
      aad: z.string().optional(),
    }),
    async run({ params, body, vault, resource, note }) {
      const open = params.type === 'plaintext'
      if (open && !includes(vault.permission, 'Write'))
        throw new Fault('access.permission', 'A data key in the open needs Write in the vault.')
      const made = await dataKeys.make(vault, resource, {
        bytes: body.bits / 8,
        version: body.key_version,
        aad: optionalBytesOf('aad', body.aad),
        open,
      })
      const { version } = made.ciphertext
      note({ keyVersion: version })
      const names = { key_version: String(version), name: made.key.name, objectid: String(made.key.id) }
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
