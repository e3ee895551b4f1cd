import type { FieldsOf, OpenedRecord } from './record-layouts.ts'

/** What is to be done with a key of a record. `write`: encrypt, sign, make an HMAC; `read`: decrypt, verify. */
export type KeyUse = 'write' | 'read' | 'export' | 'export-plain' | 'backup' | 'otp'

/**
 * Why a key may not be used so, as a sentence; undefined when it may. The host asks before every use, whoever asked the
 * host: what a policy forbids, no worker gets.
 */
export function useRefusal(use: KeyUse, key: OpenedRecord, policy: OpenedRecord | undefined): string | undefined {
  switch (key.type) {
    case 'transparent key version':
      return policy?.type === 'transparent key' && policy.fields.id === key.fields.keyId
        ? versionRefusal(use, key.fields, policy.fields)
        : 'The policy is not that of the key.'
    case 'transparent key version 2':
      return policy?.type === 'transparent key 2' && policy.fields.identity.equals(key.fields.identity)
        ? versionRefusal(use, key.fields, policy.fields)
        : 'The policy is not that of the key.'
    case 'vault key':
      return use === 'write' || use === 'read' ? undefined : 'The key of a vault never leaves the token.'
    case 'otp':
    case 'validation client':
      return use === 'otp' ? undefined : 'The key of a one-time password serves nothing else.'
    default:
      return 'A record that holds no key cannot be used as one.'
  }
}

type Version = Omit<FieldsOf<'transparent key version'>, 'keyId'>
type Policy = Omit<FieldsOf<'transparent key'>, 'id'>

function versionRefusal(use: KeyUse, version: Version, policy: Policy): string | undefined {
  if (policy.vaultId !== version.vaultId || policy.type !== version.type) return 'The policy is not that of the key.'
  if (policy.deletedAt !== null) return 'The key is deleted.'
  // A backup carries that along.
  if (version.disabled !== 0 && use !== 'backup') return 'This version of the key is disabled.'
  if (version.version < policy.oldestVersion || version.version > policy.latestVersion)
    return 'The key has no such version.'
  switch (use) {
    case 'write':
      return version.version >= policy.minEncryptionVersion
        ? undefined
        : 'The version is too old to encrypt or sign with.'
    case 'read':
      return version.version >= policy.minDecryptionVersion
        ? undefined
        : 'The version is too old to decrypt or verify with.'
    case 'export':
      return policy.allowExport === 1 ? undefined : 'The key may not be exported.'
    case 'export-plain':
      return policy.allowExport === 1 && policy.allowPlaintextExport === 1
        ? undefined
        : 'The key may not be exported in plain.'
    case 'backup':
      return policy.allowBackup === 1 ? undefined : 'The key may not be backed up.'
    case 'otp':
      return 'A key of a vault makes no one-time passwords.'
    default:
      return 'There is no such use of a key.'
  }
}
