import { z } from 'zod'
import { endpoint } from '../../api/endpoint.ts'
import { keyTypeOf } from '../key-type.ts'
import type { Keyring } from '../keyring.ts'
import { keySubject, type TransparentKey } from '../records.ts'
import { keyParams } from './parameters.ts'

/** `GET /transparent/:vaultid/keys/:name` (spec: Read key): what is known of a key, never the key. */
export const readKey = (keyring: Keyring) =>
  endpoint({
    operation: 'transparent.key.read',
    handler: 'EncryptionHandler',
    method: 'GET',
    path: '/transparent/:vaultid/keys/:name',
    summary: 'Read what is known of a key',
    access: { kind: 'vault', permission: 'Read', subject: keySubject },
    success: 200,
    params: keyParams,
    body: z.object({}),
    async run({ subject }) {
      const key = await keyring.read(subject)
      return {
        callinfo: { version: String(key.latestVersion), objectid: String(key.id) },
        members: { KEYS: [keyItem(key)] },
      }
    },
  })

/** A KEYS item (spec: Resources, Encryption key): every value is text. */
function keyItem(key: TransparentKey): Record<string, string> {
  return {
    name: key.name,
    key_version: String(key.latestVersion),
    type: key.type,
    allow_backup: String(key.allowBackup === 1),
    allow_export: String(key.allowExport === 1),
    allow_delete: String(key.allowDelete === 1),
    supports_signing: String(keyTypeOf(key.type).supportsSigning),
    info: key.info,
    objectid: String(key.id),
  }
}
