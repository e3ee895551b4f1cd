import { z } from 'zod'
import { numberText } from '../../../http/contract/shared-fields.ts'
import { endpoint, flag } from '../../../http/contract/endpoint.ts'
import type { Keyring } from '../keyring.ts'
import { keyQuery } from '../records.ts'
import { keyNames, keyParams, keyVersionSegment } from './key-parameters.ts'

/** `PUT /transparent/:vaultid/keys/:name/versions/:version`: disables or enables one version for all uses. */
export const setKeyVersion = (keyring: Keyring) =>
  endpoint({
    operation: 'transparent.key.version',
    handler: 'EncryptionHandler',
    method: 'PUT',
    path: '/transparent/:vaultid/keys/:name/versions/:version',
    summary: 'Disable or enable one version of a key',
    access: { kind: 'vault', permission: 'Write', resource: keyQuery },
    faults: ['key.not_found', 'key.version_unknown', 'key.tampered'],
    reply: {
      callinfo: z.object({
        ...keyNames,
        key_version: numberText('The version, as text.'),
        enabled: z.boolean().describe('Whether it may be used now.'),
      }),
    },
    params: keyParams.extend({ version: keyVersionSegment }),
    body: z.object({ enabled: flag.describe('Whether it may be used from now on.') }),
    async run({ params, body, resource, commit }) {
      const key = await keyring.setDisabled(resource, params.version, !body.enabled, commit)
      return {
        callinfo: {
          name: key.name,
          key_version: String(params.version),
          enabled: body.enabled,
          objectid: String(key.id),
        },
      }
    },
  })
