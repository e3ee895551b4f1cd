import { Fault } from '../fault.ts'
import { includes, type Permission, permissionFromBit } from './permission.ts'
import { allows, entriesFor, type KeyOperation, scopeOf } from './scope.ts'

/**
 * What is to be done with a key. A rewrapping decrypts with one version and encrypts with another; `otp`: judge a one-time
 * password, which the keeper alone does; `validation`: sign for a client of the validator.
 */
export type KeyUse = MakingUse | OpeningUse | 'export' | 'export-plain' | 'backup' | 'otp' | 'validation'

/** With a version that is new enough to make something. */
type MakingUse = 'encrypt' | 'rewrap-to' | 'datakey' | 'sign' | 'hmac'
/** With one that is new enough to open or judge what was made. */
type OpeningUse = 'decrypt' | 'rewrap-from' | 'verify'

/** For so long the keeper grants at once: what was revoked meanwhile goes on until then, where a worker keeps silent. */
export const longestGrantMs = 60_000
/** By which the clocks of the machines that share a token may differ. */
export const clockSkewMs = 60_000

/** What a session may do in one vault for a short time: what the keeper granted it. */
export interface VaultGrant {
  readonly vault: Buffer | null
  readonly permission: number
  readonly expiresAt: number
  /** What narrows it further; null for nothing. */
  readonly grants: string | null
}

/** A version of a named key as its records say. */
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
  /** Its identity. */
  readonly vault: Buffer
  /** Of a named key; undefined for the key of the vault itself, by which objects are encrypted. */
  readonly version: KeyVersionState | undefined
}

/**
 * Why a key of a vault may not be used so at this time; undefined when it may. A host or the keeper asks before each
 * use, whichever worker wants it: what neither grant nor policy allow, no caller gets.
 * @param aad the additional data; undefined while they are not looked at, for a use that takes none, and of objects
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

/** What a member needs for it. A member who may read in a vault uses its keys, and only a writer puts objects there. */
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

/** What grants have to allow for a use of a named key; they allow no other. */
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

/** What narrows a membership is for all of it: what no entry names is refused. */
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

/** What the key's own records forbid. */
function policyRefusal({ version }: KeyInVault, use: KeyUse): Fault | undefined {
  const sentence = version === undefined ? ownKeySentence(use) : versionSentence(version, use)
  return sentence === undefined ? undefined : new Fault('hsm.rejected', sentence)
}

function ownKeySentence(use: KeyUse): string | undefined {
  return use in needed.ownOfVault ? undefined : 'The key of a vault never leaves the token.'
}

function versionSentence({ version, disabled, policy }: KeyVersionState, use: KeyUse): string | undefined {
  if (policy.deletedAt !== null) return 'The key is deleted.'
  // A backup carries that along.
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
