import { z } from 'zod'
import { idText, moment, numberText, pem } from '../../../http/contract/shared-fields.ts'
import { keyTypeText, residencyWords } from './key-parameters.ts'
import { keyTypeOf } from '../key-type.ts'
import type { KeyVersion, StoredKey, TransparentKey } from '../records.ts'
import { publicKeyPem } from '../../../encoding/pem.ts'

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
    allow_plaintext_export: flagText('Whether an Admin can export it in the open as well.'),
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

/** The KEYS of a call that is about one key. */
export const oneKey = z.array(keySchema).min(1).max(1).describe('The key.')

/** `countsOf`, for the documentation. */
const encryptionCounts = {
  encryptions: numberText(
    'Encryptions by this version that are reserved, no fewer than were made; of key types that encrypt.',
  ).optional(),
  max_encryptions: numberText('How many are safe; at nine tenths of them the key is rotated by itself.').optional(),
}

/** `latestItem`, for the documentation. */
export const latestFields = {
  latest_created: moment('Where `details` asks for it: when the latest version was made.').optional(),
  ...encryptionCounts,
}

/** `versionItem`, for the documentation. */
export const versionSchema = z
  .object({
    key_version: numberText('The version, as text.'),
    enabled: flagText('Whether it may be used.'),
    created: moment('When it was made.'),
    ...encryptionCounts,
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
    allow_plaintext_export: String(key.allowPlaintextExport === 1),
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

/** A VERSIONS item: the data of one version; for a key pair with its public key as PEM. */
export const versionItem =
  (type: string) =>
  (version: KeyVersion): Record<string, string> => ({
    key_version: String(version.version),
    enabled: String(version.disabled === 0),
    created: new Date(version.createdAt).toISOString(),
    ...countsOf(type, version),
    ...(version.publicKey ? { public_key: publicKeyPem(version.publicKey) } : {}),
  })

/** The members of a list item about the latest version of a key. */
export const latestItem = ({ key, latest }: StoredKey): Record<string, string> => ({
  latest_created: new Date(latest.createdAt).toISOString(),
  ...countsOf(key.type, latest),
})

function countsOf(type: string, { invocations }: KeyVersion): Record<string, string> {
  const { cipher } = keyTypeOf(type)
  if (cipher === undefined) return {}
  return { encryptions: String(invocations), max_encryptions: String(cipher.maxInvocations) }
}
