import { z } from 'zod'
import { endpoint, flag } from '../../../http/contract/endpoint.ts'
import type { Keyring } from '../keyring.ts'
import { keyQuery } from '../records.ts'
import { keyNames, keyParams, keyVersion } from './key-parameters.ts'

/** `PUT /transparent/:vaultid/keys/:name/versions/:version`: forbids every use of one version, or allows it again. */
export const setKeyVersion = (keyring: Keyring) =>
  endpoint({
    operation: 'transparent.key.version',
    handler: 'EncryptionHandler',
    method: 'PUT',
    path: '/transparent/:vaultid/keys/:name/versions/:version',
    summary: 'Disable or enable one version of a key',
    access: { kind: 'vault', permission: 'Write', resource: keyQuery },
    success: 200,
    faults: ['key.not_found', 'key.version_unknown'],
    reply: { callinfo: z.object({ ...keyNames, key_version: z.string(), enabled: z.boolean() }) },
    params: keyParams.extend({ version: keyVersion }),
    body: z.object({ enabled: flag }),
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
