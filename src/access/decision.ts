import { Fault } from '../fault.ts'
import { includes, type Permission, permissionFromBit } from './permission.ts'

/**
 * What is to be done with a key. `write`: encrypt, sign, make an HMAC; `read`: decrypt, verify; `otp`: judge a one-time
 * password, which the keeper alone does; `validation`: sign for a client of the validator.
 */
export type KeyUse = 'write' | 'read' | 'export' | 'export-plain' | 'backup' | 'otp' | 'validation'

/** For so long the keeper grants at once: what was revoked meanwhile goes on until then, where a worker keeps silent. */
export const longestGrantMs = 60_000
/** By which the clocks of the machines that share a token may differ. */
export const clockSkewMs = 60_000

/** What a session may do in one vault for a short time: what the keeper granted it. */
export interface VaultGrant {
  readonly vault: Buffer | null
  readonly permission: number
  readonly expiresAt: number
}

/** A version of a named key as its records say. */
export interface KeyVersionState {
  readonly version: number
  readonly disabled: number
  readonly policy: KeyPolicyState
}

export interface KeyPolicyState {
  readonly deletedAt: number | null
  readonly oldestVersion: number
  readonly latestVersion: number
  readonly minEncryptionVersion: number
  readonly minDecryptionVersion: number
  readonly allowExport: number
  readonly allowPlaintextExport: number
  readonly allowBackup: number
}

export interface KeyInVault {
  /** Its identity. */
  readonly vault: Buffer
  /** Of a named key; undefined for the key of the vault itself, by which objects are encrypted. */
  readonly version: KeyVersionState | undefined
}

/**
 * Why a key of a vault may not be used so at this time; undefined when it may. Whoever uses a key asks, whoever asked
 * for the use: what neither grant nor policy allow, nobody gets.
 */
export function decide(grant: VaultGrant | undefined, key: KeyInVault, use: KeyUse, now: number): Fault | undefined {
  if (grant === undefined) return new Fault('access.permission', 'A key of a vault is used on a grant alone.')
  return grantRefusal(grant, key, use, now) ?? policyRefusal(key, use)
}

/** What a member needs for it. Whoever may read in a vault uses its keys, and only a writer puts objects there. */
const needed = {
  named: { write: 'Read', read: 'Read', export: 'Admin', 'export-plain': 'Admin', backup: 'Admin' },
  ownOfVault: { write: 'Write', read: 'Read' },
} as const satisfies Readonly<Record<string, Needed>>

type Needed = { readonly [use in KeyUse]?: Permission }

/** One that was made by a clock that was ahead would be good for as long as that clock was ahead. */
export const isGrantInTime = (expiresAt: number, now: number): boolean =>
  expiresAt >= now && expiresAt <= now + longestGrantMs + clockSkewMs

function grantRefusal(grant: VaultGrant, { vault, version }: KeyInVault, use: KeyUse, now: number): Fault | undefined {
  // As long as it waited here, it was not renewed in time: the next one is good.
  if (!isGrantInTime(grant.expiresAt, now))
    return new Fault('hsm.unavailable', 'The grant of this call is not good at this time: try again.')
  if (grant.vault?.equals(vault) !== true)
    return new Fault('access.permission', 'The caller has no grant for the vault of this key.')
  const permissions: Needed = version === undefined ? needed.ownOfVault : needed.named
  const permission = permissions[use]
  const held = permissionFromBit(grant.permission)
  if (permission === undefined || (held !== undefined && includes(held, permission))) return undefined
  return new Fault('access.permission', `This use of a key needs ${permission} in its vault.`)
}

/** What the key's own records forbid. */
function policyRefusal({ version }: KeyInVault, use: KeyUse): Fault | undefined {
  const sentence = version === undefined ? ownKeySentence(use) : versionSentence(version, use)
  return sentence === undefined ? undefined : new Fault('hsm.rejected', sentence)
}

function ownKeySentence(use: KeyUse): string | undefined {
  return use === 'write' || use === 'read' ? undefined : 'The key of a vault never leaves the token.'
}

function versionSentence({ version, disabled, policy }: KeyVersionState, use: KeyUse): string | undefined {
  if (policy.deletedAt !== null) return 'The key is deleted.'
  // A backup carries that along.
  if (disabled !== 0 && use !== 'backup') return 'This version of the key is disabled.'
  if (version < policy.oldestVersion || version > policy.latestVersion) return 'The key has no such version.'
  switch (use) {
    case 'write':
      return version >= policy.minEncryptionVersion ? undefined : 'The version is too old to encrypt or sign with.'
    case 'read':
      return version >= policy.minDecryptionVersion ? undefined : 'The version is too old to decrypt or verify with.'
    case 'export':
      return policy.allowExport === 1 ? undefined : 'The key may not be exported.'
    case 'export-plain':
      return policy.allowExport === 1 && policy.allowPlaintextExport === 1
        ? undefined
        : 'The key may not be exported in plain.'
    case 'backup':
      return policy.allowBackup === 1 ? undefined : 'The key may not be backed up.'
    case 'otp':
    case 'validation':
      return 'A key of a vault makes no one-time passwords.'
    default:
      return 'There is no such use of a key.'
  }
}
