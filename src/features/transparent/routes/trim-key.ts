import { z } from 'zod'
import { numberText } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Keyring } from '../keyring.ts'
import { keyQuery } from '../records.ts'
import { keyNames, keyParams, keyVersion } from './key-parameters.ts'

/**
 * `POST /transparent/:vaultid/keys/:name/trim`: destroys the versions before `min_available_version`; what they have
 * encrypted cannot be decrypted any more.
 */
export const trimKey = (keyring: Keyring) =>
  endpoint({
    operation: 'transparent.key.trim',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/:vaultid/keys/:name/trim',
    summary: 'Destroy old versions of a key',
    details: 'What the destroyed versions encrypted is lost for good: rewrap it before.',
    access: { kind: 'vault', permission: 'Admin', resource: keyQuery },
    faults: ['key.not_found', 'key.version_unknown', 'key.tampered'],
    reply: {
      callinfo: z.object({
        ...keyNames,
        oldest_version: numberText('Oldest version that remains, as text.'),
      }),
    },
    params: keyParams,
    body: z.object({ min_available_version: keyVersion.describe('Oldest version to keep.') }),
    async run({ body, resource, commit }) {
      const key = await keyring.trim(resource, body.min_available_version, commit)
      return { callinfo: { name: key.name, oldest_version: String(key.oldestVersion), objectid: String(key.id) } }
    },
  })
