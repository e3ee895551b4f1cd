import { z } from 'zod'
import { endpoint, flag } from '../../../http/contract/endpoint.ts'
import type { Keyring } from '../keyring.ts'
import { keyQuery } from '../records.ts'
import { keyItem, oneKey } from './key-item.ts'
import { info, keyNames, keyParams, keyVersion, namesOf, rotationPeriod } from './key-parameters.ts'

/**
 * `PUT /transparent/:vaultid/keys/:name`: changes flags and limits of a key. Export and backup can be turned off,
 * never on.
 */
export const updateKey = (keyring: Keyring) =>
  endpoint({
    operation: 'transparent.key.update',
    handler: 'EncryptionHandler',
    method: 'PUT',
    path: '/transparent/:vaultid/keys/:name',
    summary: 'Change flags and limits of a key',
    details: 'It changes what is given and leaves the rest.',
    access: { kind: 'vault', permission: 'Write', resource: keyQuery },
    faults: ['key.not_found', 'key.flag_off', 'key.version_unknown', 'key.tampered'],
    reply: { callinfo: z.object(keyNames), members: z.object({ KEYS: oneKey }) },
    params: keyParams,
    body: z.object({
      info: info.optional(),
      allow_export: flag.describe('Whether an Admin can export it: can be turned off, never on.').optional(),
      allow_backup: flag.describe('Whether it can be backed up: can be turned off, never on.').optional(),
      allow_delete: flag.describe('Whether it can be deleted.').optional(),
      auto_rotate_period: rotationPeriod.optional(),
      min_encryption_version: keyVersion.describe('First version that may encrypt, sign and make HMACs.').optional(),
      min_decryption_version: keyVersion.describe('First version that may decrypt and verify.').optional(),
    }),
    async run({ body, vault, resource, commit }) {
      const changes = {
        info: body.info,
        allowExport: body.allow_export,
        allowBackup: body.allow_backup,
        allowDelete: body.allow_delete,
        autoRotatePeriodMs: body.auto_rotate_period === undefined ? undefined : body.auto_rotate_period * 1_000,
        minEncryptionVersion: body.min_encryption_version,
        minDecryptionVersion: body.min_decryption_version,
      }
      const key = await keyring.update(vault, resource, changes, commit)
      return { callinfo: namesOf(key), members: { KEYS: [keyItem(key)] } }
    },
  })
