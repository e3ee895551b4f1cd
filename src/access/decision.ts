import { Fault } from '../fault.ts'
import { includes, type Permission, permissionFromBit } from './permission.ts'
import { allows, entriesFor, type KeyOperation, scopeOf } from './scope.ts'

/**
 * A use of a key. Rewrapping decrypts with one version (`rewrap-from`) and encrypts with another (`rewrap-to`). `otp`:
 * check a one-time password, by the keeper only. `validation`: sign for a client of the validator.
 */
export type KeyUse = MakingUse | OpeningUse | 'export' | 'export-plain' | 'backup' | 'otp' | 'validation'

/** Uses that create something; they need a version from `minEncryptionVersion` on. */
type MakingUse = 'encrypt' | 'rewrap-to' | 'datakey' | 'sign' | 'hmac'
/** Uses of something that was created before; they need a version from `minDecryptionVersion` on. */
type OpeningUse = 'decrypt' | 'rewrap-from' | 'verify'

/**
 * How long a grant of the keeper is valid. A right that was revoked meanwhile can be used until then by a worker that
 * hides the revocation.
 */
export const longestGrantMs = 60_000
/** How much the clocks of machines that share a token may differ. */
export const clockSkewMs = 60_000

/** The rights of a session in one vault for a short time, as the keeper granted them. */
export interface VaultGrant {
  readonly vault: Buffer | null
  readonly permission: number
  readonly expiresAt: number
  /** The grants that narrow it; null where nothing does. */
  readonly grants: string | null
}

/** The state of a version of a named key, by its sealed records. */
export interface KeyVersionState {
  readonly version: number
  readonly disabled: number
  readonly policy: KeyPolicyState
}

export interface KeyPolicyState {
  readonly name: string
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
  /** The identity of the vault. */
  readonly vault: Buffer
  /** For a named key; undefined for the data key of a vault, with which objects are encrypted. */
  readonly version: KeyVersionState | undefined
}

/**
 * Why a key of a vault may not be used this way now; undefined when it may. Token hosts and the keeper ask before each
 * use, whichever worker requests it, so that no caller gets what grant or policy forbid.
 * @param aad the additional data; undefined where they are not to be checked yet, for a use without any, and for objects
 */
export function decide(
  grant: VaultGrant | undefined,
  key: KeyInVault,
  use: KeyUse,
  now: number,
  aad?: Buffer,
): Fault | undefined {
  if (grant === undefined) return new Fault('access.permission', 'A key of a vault is used only on a grant.')
  return grantRefusal(grant, key, use, now) ?? scopeRefusal(grant, key, use, aad) ?? policyRefusal(key, use)
}

/**
 * The permission that a use needs. A member with Read may use the keys of a vault; only one with Write may put objects
 * there.
 */
const needed = {
  named: {
    encrypt: 'Read',
    'rewrap-to': 'Read',
    datakey: 'Read',
    sign: 'Read',
    hmac: 'Read',
    decrypt: 'Read',
    'rewrap-from': 'Read',
    verify: 'Read',
    export: 'Admin',
    'export-plain': 'Admin',
    backup: 'Admin',
  },
  ownOfVault: { encrypt: 'Write', decrypt: 'Read', 'rewrap-from': 'Read', 'rewrap-to': 'Write' },
} as const satisfies Readonly<Record<string, Needed>>

type Needed = { readonly [use in KeyUse]?: Permission }

/**
 * Also rejects an expiry too far ahead: the grant of a fast clock would otherwise stay valid for as long as the clock
 * is ahead.
 */
export const isGrantInTime = (expiresAt: number, now: number): boolean =>
  expiresAt >= now && expiresAt <= now + longestGrantMs + clockSkewMs

function grantRefusal(grant: VaultGrant, { vault, version }: KeyInVault, use: KeyUse, now: number): Fault | undefined {
  // A grant that expired while the request waited is not the caller's fault: a new one will do.
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

/**
 * The operation that grants must allow for a use of a named key. Uses that are missing here are not available to
 * narrowed members.
 */
const scopedAs: { readonly [use in KeyUse]?: KeyOperation } = {
  encrypt: 'encrypt',
  decrypt: 'decrypt',
  'rewrap-from': 'rewrap',
  'rewrap-to': 'rewrap',
  datakey: 'datakey',
  sign: 'sign',
  verify: 'verify',
  hmac: 'hmac',
}

/** What the grants of a narrowed member forbid: everything that no entry names. */
function scopeRefusal(
  { grants }: VaultGrant,
  { version }: KeyInVault,
  use: KeyUse,
  aad: Buffer | undefined,
): Fault | undefined {
  if (grants === null) return undefined
  const scope = scopeOf(grants)
  if (version === undefined)
    return use === 'decrypt' && allows(scope, 'object.decrypt') ? undefined : notGranted(`${use} objects`)
  const { name } = version.policy
  const operation = scopedAs[use]
  if (operation === undefined || entriesFor(scope, operation, { name }).length === 0)
    return notGranted(`${operation ?? use} with the key ${name}`)
  return entriesFor(scope, operation, { name, aad }).length > 0
    ? undefined
    : notGranted(`${operation} with the key ${name} and these additional data (aad)`)
}

const notGranted = (what: string): Fault =>
  new Fault('access.permission', `What is granted to you in this vault does not let you ${what}.`)

/** What the sealed records of the key forbid. */
function policyRefusal({ version }: KeyInVault, use: KeyUse): Fault | undefined {
  const sentence = version === undefined ? ownKeySentence(use) : versionSentence(version, use)
  return sentence === undefined ? undefined : new Fault('hsm.rejected', sentence)
}

function ownKeySentence(use: KeyUse): string | undefined {
  return use in needed.ownOfVault ? undefined : 'The key of a vault never leaves the token.'
}

function versionSentence({ version, disabled, policy }: KeyVersionState, use: KeyUse): string | undefined {
  if (policy.deletedAt !== null) return 'The key is deleted.'
  // A backup contains disabled versions, and the fact that they are disabled.
  if (disabled !== 0 && use !== 'backup') return 'This version of the key is disabled.'
  if (version < policy.oldestVersion || version > policy.latestVersion) return 'The key has no such version.'
  switch (use) {
    case 'encrypt':
    case 'rewrap-to':
    case 'datakey':
    case 'sign':
    case 'hmac':
      return version >= policy.minEncryptionVersion ? undefined : 'The version is too old to encrypt or sign with.'
    case 'decrypt':
    case 'rewrap-from':
    case 'verify':
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
