import { z } from 'zod'
import { endpoint } from '../../api/endpoint.ts'
import { Fault } from '../../fault.ts'
import { defaultKeyType } from '../key-type.ts'
import type { Keyring } from '../keyring.ts'
import { keySubject } from '../records.ts'
import { flag, keyParams, keyTypeNamed } from './parameters.ts'

/** What a new key may do when its creator does not say: settings of the appliance. */
export interface KeyDefaults {
  readonly allowExport: boolean
  readonly allowBackup: boolean
  readonly allowDelete: boolean
}

/** `POST /transparent/:vaultid/keys/:name` (spec: Create key). */
export const createKey = (keyring: Keyring, defaults: KeyDefaults) =>
  endpoint({
    operation: 'transparent.key.create',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/:vaultid/keys/:name',
    summary: 'Create a key',
    access: { kind: 'vault', permission: 'Write', subject: keySubject },
    success: 201,
    params: keyParams,
    body: z.object({
      type: z.string().default(defaultKeyType),
      info: z.string().max(4096, 'must have 4096 characters at most').default(''),
      allow_export: flag.default(defaults.allowExport),
      allow_backup: flag.default(defaults.allowBackup),
      allow_delete: flag.default(defaults.allowDelete),
    }),
    async run({ params, body, vault, subject, commit }) {
      if (subject) throw new Fault('key.exists')
      const { key } = await keyring.create(
        {
          vaultId: vault.id,
          name: params.name,
          type: keyTypeNamed(body.type),
          info: body.info,
          allowExport: body.allow_export,
          allowBackup: body.allow_backup,
          allowDelete: body.allow_delete,
        },
        commit,
      )
      return { callinfo: { name: key.name, objectid: String(key.id) } }
    },
  })
