import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Keyring } from '../keyring.ts'
import { keyQuery } from '../records.ts'
import { keyNames, keyParams, latestVersion, quotaOf } from './key-parameters.ts'

/** `POST /transparent/:vaultid/keys/:name/rotate` (spec: Rotate key). */
export const rotateKey = (keyring: Keyring) =>
  endpoint({
    operation: 'transparent.key.rotate',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/:vaultid/keys/:name/rotate',
    summary: 'Give a key a new version',
    details: 'New data is encrypted with the new version; what older versions encrypted can still be decrypted.',
    access: { kind: 'vault', permission: 'Write', resource: keyQuery },
    success: 201,
    faults: ['key.not_found', 'key.tampered', 'key.versions', 'key.token_full', 'store.conflict'],
    reply: { callinfo: z.object({ ...keyNames, key_version: latestVersion }) },
    params: keyParams,
    quota: ({ resource }) => quotaOf(resource?.key.type),
    async run({ vault, resource, commit }) {
      const { key } = await keyring.rotate(vault, resource, commit)
      return { callinfo: { name: key.name, key_version: String(key.latestVersion), objectid: String(key.id) } }
    },
  })
