import { z } from 'zod'
import { idText, moment, numberText, pem } from '../../../http/contract/shared-fields.ts'
import { keyTypeText, residencyWords } from './key-parameters.ts'
import { keyTypeOf } from '../key-type.ts'
import type { KeyVersion, TransparentKey } from '../records.ts'
import { pemOf } from '../../../encoding/pem.ts'

/** Flags are text in answers. */
export const flagText = (what: string) => z.enum(['true', 'false']).describe(what)

/** `keyItem`, for the documentation. */
export const keySchema = z
  .object({
    name: z.string().describe('Name of the key, unique in its vault.'),
    key_version: numberText('Latest version, as text.'),
    type: keyTypeText,
    allow_backup: flagText('Whether it can be backed up.'),
    allow_export: flagText('Whether an Admin can export it.'),
    allow_delete: flagText('Whether it can be deleted.'),
    supports_signing: flagText('Whether it signs.'),
    info: z.string().describe('What it is for.'),
    objectid: idText('Id of the key.'),
    residency: z.enum(['database', 'token']).describe(residencyWords),
    oldest_version: numberText('First version that was not trimmed.'),
    min_encryption_version: numberText('First version that may still encrypt, sign and make HMACs.'),
    min_decryption_version: numberText('First version that may still decrypt and verify.'),
    auto_rotate_period: numberText('Seconds after which it gets a new version by itself, 0 for never.'),
  })
  .meta({ id: 'Key', description: 'What is known of a key, never the key: every value is text.' })

/** A list with the one key that a call is about. */
export const oneKey = z.array(keySchema).min(1).max(1).describe('The key.')

/** `versionItem`, for the documentation. */
export const versionSchema = z
  .object({
    key_version: numberText('The version, as text.'),
    enabled: flagText('Whether it may be used.'),
    created: moment('When it was made.'),
    public_key: pem('Public key of a key that signs.').optional(),
  })
  .meta({ id: 'KeyVersion', description: 'A version of a key.' })

/** A KEYS item (spec: Resources, Encryption key): every value is text. */
export function keyItem(key: TransparentKey): Record<string, string> {
  return {
    name: key.name,
    key_version: String(key.latestVersion),
    type: key.type,
    allow_backup: String(key.allowBackup === 1),
    allow_export: String(key.allowExport === 1),
    allow_delete: String(key.allowDelete === 1),
    supports_signing: String(keyTypeOf(key.type).signature !== undefined),
    info: key.info,
    objectid: String(key.id),
    residency: key.residency,
    oldest_version: String(key.oldestVersion),
    min_encryption_version: String(key.minEncryptionVersion),
    min_decryption_version: String(key.minDecryptionVersion),
    auto_rotate_period: String(key.autoRotatePeriodMs / 1_000),
  }
}

/** A VERSIONS item: what is known of one version; of a pair, its public key as PEM. */
export function versionItem({ version, disabled, createdAt, publicKey }: KeyVersion): Record<string, string> {
  return {
    key_version: String(version),
    enabled: String(disabled === 0),
    created: new Date(createdAt).toISOString(),
    ...(publicKey ? { public_key: pemOf('PUBLIC KEY', publicKey) } : {}),
  }
}
