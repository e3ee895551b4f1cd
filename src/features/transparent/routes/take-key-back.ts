import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { KeyDeletion } from '../key-deletion.ts'
import { keyQuery } from '../records.ts'
import { keyNames, keyParams, namesOf } from './key-parameters.ts'

/** `POST /transparent/:vaultid/keys/:name/undelete`: takes a deleted key back with all its versions. */
export const takeKeyBack = (keys: KeyDeletion) =>
  endpoint({
    operation: 'transparent.key.takeback',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/:vaultid/keys/:name/undelete',
    summary: 'Take a deleted key back',
    details: 'With all its versions, as long as its recovery window has not passed.',
    access: { kind: 'vault', permission: 'Admin', resource: keyQuery },
    faults: ['key.not_found', 'key.tampered'],
    reply: { callinfo: z.object(keyNames) },
    params: keyParams,
    async run({ resource, commit }) {
      const key = await keys.takeBack(resource, commit)
      return { callinfo: namesOf(key) }
    },
  })
