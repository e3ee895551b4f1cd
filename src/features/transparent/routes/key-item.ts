import { z } from 'zod'
import { keyTypeOf } from '../key-type.ts'
import type { KeyVersion, TransparentKey } from '../records.ts'
import { pemOf } from '../../../encoding/pem.ts'

/** Flags are text in answers. */
export const flagText = z.enum(['true', 'false'])

/** `keyItem`, for the documentation. */
export const keySchema = z.object({
  name: z.string(),
  key_version: z.string().describe('the latest'),
  type: z.string(),
  allow_backup: flagText,
  allow_export: flagText,
  allow_delete: flagText,
  supports_signing: flagText,
  info: z.string(),
  objectid: z.string(),
  residency: z.enum(['database', 'token']),
  oldest_version: z.string(),
  min_encryption_version: z.string(),
  min_decryption_version: z.string(),
  auto_rotate_period: z.string().describe('seconds, 0 for never'),
})

/** `versionItem`, for the documentation. */
export const versionSchema = z.object({
  key_version: z.string(),
  enabled: flagText,
  created: z.iso.datetime(),
  public_key: z.string().optional().describe('PEM'),
})

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
