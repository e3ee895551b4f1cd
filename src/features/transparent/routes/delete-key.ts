import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { KeyDeletion } from '../key-deletion.ts'
import { keyQuery } from '../records.ts'
import { keyNames, keyParams, namesOf } from './key-parameters.ts'

/**
 * `DELETE /transparent/:vaultid/keys/:name`: ends every use of a key. It can be taken back until its recovery window
 * has passed.
 */
export const deleteKey = (keys: KeyDeletion) =>
  endpoint({
    operation: 'transparent.key.delete',
    handler: 'EncryptionHandler',
    method: 'DELETE',
    path: '/transparent/:vaultid/keys/:name',
    summary: 'Delete a key; an Admin can take it back for a while',
    details:
      'Every use of the key ends at once. Until its recovery window has passed (the setting `keys.recoveryWindowMs`) it can be taken back; then it is destroyed with all that it encrypted.',
    access: { kind: 'vault', permission: 'Admin', resource: keyQuery },
    faults: ['key.not_found', 'key.delete_forbidden', 'key.tampered'],
    reply: { callinfo: z.object(keyNames) },
    params: keyParams,
    async run({ resource, commit }) {
      const key = await keys.remove(resource, commit)
      return { callinfo: namesOf(key) }
    },
  })
