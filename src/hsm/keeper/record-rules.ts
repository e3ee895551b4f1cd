import { clockSkewMs } from '../../access/decision.ts'
import { importJobMs } from '../import-limits.ts'
import { isKeyPairKind, kindOfType } from '../key-kind.ts'
import { type FieldsOf, identityBytes, type OpenedRecord, type RecordType } from '../record-layouts.ts'
import { checkFirstMember, peopleRules } from './people-rules.ts'
import { type Change, isEqual, isSame, refused, type Rule } from './record-change.ts'

/** Whether a record may be sealed. A type without a rule is never sealed. */
const rules: { readonly [T in RecordType]: Rule<T> } = {
  template: ({ origin }) => origin === 'operator',
  'user certificate': ({ previous }) => previous === undefined,
  'validation client': ({ origin, next, previous }) => origin === 'operator' && isSameKey(next, previous),
  otp: ({ next, previous }) =>
    isOtpKey(next.key?.kind) &&
    isWrapped(next) &&
    isSameKey(next, previous) &&
    keepsDevice(next.fields, previous?.fields),
  // Of keys that were made before there were identities: changed, never made.
  'vault key': () => false,
  'vault key 2': ({ next, previous }) =>
    next.key?.kind === 'aes256-gcm' &&
    previous === undefined &&
    next.fields.vault.length === identityBytes &&
    /^(vault$|strict\.)/.test(next.key.kek),
  'transparent key': ({ next, previous }) =>
    previous !== undefined && isSame(next, previous, 'id', 'vaultId') && keepsPolicy(next.fields, previous.fields),
  'transparent key version': ({ next, previous }) =>
    isVersionKey(next) &&
    isSameKey(next, previous) &&
    isSame(next, previous, 'keyId', 'vaultId') &&
    keepsVersion(next.fields, previous?.fields),
  // Never another end, policy or place for a key to which somebody has wrapped his own.
  'import job': ({ next, previous }) =>
    previous === undefined &&
    next.fields.kind === kindOfType(next.fields.type) &&
    next.fields.kek.startsWith('strict.') &&
    next.fields.expiresAt <= Date.now() + importJobMs + clockSkewMs,
  'accepted backup': ({ origin, previous }) => origin === 'operator' && previous === undefined,
  // What was used up stays used up. The first of a version is sealed by `sealFirstCount`.
  invocations: ({ next, previous }) =>
    previous !== undefined &&
    isSame(next, previous, 'keyId', 'version') &&
    next.fields.invocations >= previous.fields.invocations,
  'transparent key 2': ({ next, previous }) =>
    next.fields.identity.length === identityBytes &&
    next.fields.vault.length === identityBytes &&
    (previous === undefined
      ? isNewPolicy(next.fields)
      : isSame(next, previous, 'identity', 'vault') && keepsPolicy(next.fields, previous.fields)),
  'transparent key version 2': ({ next, previous }) =>
    isVersionKey(next) &&
    isSameKey(next, previous) &&
    isSame(next, previous, 'identity', 'vault') &&
    keepsVersion(next.fields, previous?.fields),
  'invocations 2': ({ next, previous }) =>
    previous !== undefined &&
    isSame(next, previous, 'identity', 'version') &&
    next.fields.invocations >= previous.fields.invocations,
  ...peopleRules,
  // A login begins sessions (`logins.ts`); a session goes on under another token.
  session: ({ next, previous }) =>
    previous !== undefined &&
    isSame(next, previous, 'identity', 'user', 'applicationKey', 'recoveries', 'certificate', 'createdAt', 'expiresAt'),
  // The keeper composes grants; it seals none for others.
  grant: () => false,
}

/** @throws Fault `hsm.rejected` for a record that the keeper does not seal in place of `previous` */
export function checkChange(change: AnyChange): void {
  const { next, previous } = change
  // The first member of a vault follows the record of the vault.
  if (previous?.type === 'vault' && next.type === 'membership') return checkFirstMember(next, previous, change)
  if (previous !== undefined && previous.type !== next.type) throw refused(next.type)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both are of the type of the rule
  const rule = rules[next.type] as (change: AnyChange) => boolean
  if (!rule(change)) throw refused(next.type)
}

/** A change of a record of any type. */
export interface AnyChange extends Omit<Change, 'next' | 'previous'> {
  readonly next: OpenedRecord
  readonly previous: OpenedRecord | undefined
}

function isSameKey({ key }: OpenedRecord, previous: OpenedRecord | undefined): boolean {
  if (key === undefined || (isKeyPairKind(key.kind) && key.publicKey === undefined)) return false
  const before = previous?.key
  return before === undefined || (before.kind === key.kind && before.kek === key.kek && before.blob.equals(key.blob))
}

type Policy = Omit<FieldsOf<'transparent key'>, 'id' | 'vaultId'>

/** What a key is called and where it lies stays; export and backup are turned off, never on; versions only come and go. */
function keepsPolicy(next: Policy, previous: Policy): boolean {
  const { allowExport, allowPlaintextExport, allowBackup, oldestVersion, latestVersion } = next
  return (
    (['name', 'type', 'residency', 'createdAt'] as const).every((name) => next[name] === previous[name]) &&
    allowExport <= previous.allowExport &&
    allowPlaintextExport <= Math.min(allowExport, previous.allowPlaintextExport) &&
    allowBackup <= previous.allowBackup &&
    oldestVersion >= previous.oldestVersion &&
    [0, 1].includes(latestVersion - previous.latestVersion) &&
    isNewPolicy(next)
  )
}

/** Flags are 0 or 1 and agree with each other; limits lie within the versions. */
function isNewPolicy(policy: Policy): boolean {
  const { allowExport, allowPlaintextExport, allowBackup, allowDelete, oldestVersion, latestVersion } = policy
  return (
    [allowExport, allowPlaintextExport, allowBackup, allowDelete].every((flag) => flag === 0 || flag === 1) &&
    allowPlaintextExport <= allowExport &&
    oldestVersion >= 1 &&
    [policy.minEncryptionVersion, policy.minDecryptionVersion].every(
      (limit) => limit >= oldestVersion && limit <= latestVersion,
    )
  )
}

type Version = Omit<FieldsOf<'transparent key version'>, 'keyId' | 'vaultId'>

/** A version is disabled and enabled, and its backup is taken away; all else stays. */
function keepsVersion(next: Version, previous: Version | undefined): boolean {
  if (previous === undefined) return true
  const hasSameBackup =
    isEqual(next.backupKek, previous.backupKek) && isEqual(next.backupBlob ?? null, previous.backupBlob ?? null)
  const hasNoBackup = next.backupKek === null && next.backupBlob === null
  return (
    (['type', 'version', 'createdAt'] as const).every((name) => next[name] === previous[name]) &&
    (hasSameBackup || hasNoBackup)
  )
}

/**
 * A version's key is of the kind of its type; wrapped, by a backup KEK where it was restored, or an object of its own of
 * the token, and never the key of a vault.
 */
function isVersionKey({ key, fields }: OpenedRecord & { readonly fields: Pick<Version, 'type'> }): boolean {
  return (
    key?.kind !== undefined &&
    key.kind === kindOfType(fields.type) &&
    /^(token$|(backup-)?exportable\.|strict\.|backup\.)/.test(key.kek)
  )
}

const isWrapped = ({ key }: OpenedRecord): boolean => key?.kek.startsWith('strict.') === true

type Device = FieldsOf<'otp'>

/** A device changes its holder, and nothing else: its codes are those that it was enrolled with. */
function keepsDevice(next: Device, previous: Device | undefined): boolean {
  const lasting = ['device', 'publicId', 'privateIdCheck', 'digits', 'periodSeconds'] as const
  return previous === undefined || lasting.every((name) => isEqual(next[name], previous[name]))
}

const isOtpKey = (kind: string | undefined): boolean => kind?.startsWith('otp-') === true
