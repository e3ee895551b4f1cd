import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { keyQuery } from '../records.ts'
import type { Transfers } from '../transfers.ts'
import { newKeyMembers, newKeyOf, type KeyDefaults } from './create-key.ts'
import { bytesOf, keyNames, keyParams, optionalBytesOf } from './key-parameters.ts'

/**
 * `POST /transparent/import/:vaultid/:name`: a key from outside, wrapped to the public key of
 * `/transparent/wrapping_key`.
 */
export const importKey = (transfers: Transfers, defaults: KeyDefaults) =>
  endpoint({
    operation: 'transparent.import',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/import/:vaultid/:name',
    summary: 'Import a key that was made elsewhere',
    access: { kind: 'vault', permission: 'Write', resource: keyQuery },
    success: 201,
    faults: ['key.exists', 'key.type_unknown', 'key.flag_off', 'import.invalid', 'key.residency'],
    reply: { callinfo: z.object(keyNames) },
    params: keyParams,
    body: z.object({ ...newKeyMembers(defaults), wrapped_key: z.string(), public_key: z.string().optional() }),
    quota: 'keys',
    async run({ params, body, vault, resource, commit }) {
      if (resource) throw new Fault('key.exists')
      if (body.residency === 'token')
        throw new Fault('key.residency', 'A key that was made elsewhere cannot reside in the token.')
      const fresh = newKeyOf({ vaultId: vault.id, name: params.name }, body, defaults)
      const key = await transfers.importKey(
        fresh,
        bytesOf('wrapped_key', body.wrapped_key),
        optionalBytesOf('public_key', body.public_key),
        commit,
      )
      return { callinfo: { name: key.name, objectid: String(key.id) } }
    },
  })
