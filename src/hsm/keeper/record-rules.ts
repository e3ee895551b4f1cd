import { holds } from '../../access/capabilities.ts'
import { permissionBits } from '../../access/permission.ts'
import { Fault } from '../../fault.ts'
import { importJobMs } from '../import-limits.ts'
import { isKeyPairKind, kindOfType } from '../key-kind.ts'
import { type FieldsOf, identityBytes, type OpenedRecord, type RecordType } from '../record-layouts.ts'

/** Who asks the keeper: a worker of the daemon, or the operator's console over a socket of its own. */
export type Origin = 'worker' | 'operator'

interface Change<T extends RecordType = RecordType> {
  readonly next: Extract<OpenedRecord, { type: T }>
  /** The sealed record that it takes the place of; undefined for a new one. */
  readonly previous: Extract<OpenedRecord, { type: T }> | undefined
  readonly origin: Origin
  /** What the caller may do for whom the worker asks; undefined where it names none. */
  readonly grant: FieldsOf<'grant'> | undefined
}

type Rule<T extends RecordType> = (change: Change<T>) => boolean

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
  'vault key': ({ next, previous }) =>
    next.key?.kind === 'aes256-gcm' && previous === undefined && /^(vault$|strict\.)/.test(next.key.kek),
  // Of keys that were made before there were identities: changed, never made.
  'transparent key': ({ next, previous }) =>
    previous !== undefined && isSame(next, previous, 'id') && keepsPolicy(next.fields, previous.fields),
  'transparent key version': ({ next, previous }) =>
    isVersionKey(next) &&
    isSameKey(next, previous) &&
    isSame(next, previous, 'keyId') &&
    keepsVersion(next.fields, previous?.fields),
  // Never another end, policy or place for a key to which somebody has wrapped his own.
  'import job': ({ next, previous }) =>
    previous === undefined &&
    next.fields.kind === kindOfType(next.fields.type) &&
    next.fields.kek.startsWith('strict.') &&
    next.fields.expiresAt <= Date.now() + importJobMs + skewMs,
  'accepted backup': ({ origin, previous }) => origin === 'operator' && previous === undefined,
  // What was used up stays used up.
  invocations: ({ next, previous }) =>
    isSame(next, previous, 'keyId', 'version') && next.fields.invocations >= (previous?.fields.invocations ?? 0),
  'transparent key 2': ({ next, previous }) =>
    next.fields.identity.length === identityBytes &&
    (previous === undefined
      ? isNewPolicy(next.fields)
      : isSame(next, previous, 'identity') && keepsPolicy(next.fields, previous.fields)),
  'transparent key version 2': ({ next, previous }) =>
    isVersionKey(next) &&
    isSameKey(next, previous) &&
    isSame(next, previous, 'identity') &&
    keepsVersion(next.fields, previous?.fields),
  'invocations 2': ({ next, previous }) =>
    isSame(next, previous, 'identity', 'version') && next.fields.invocations >= (previous?.fields.invocations ?? 0),
  user: ({ next, previous, origin, grant }) => {
    if (!isSame(next, previous, 'identity', 'id') || next.fields.recoveries < (previous?.fields.recoveries ?? 0))
      return false
    if (origin === 'operator' || (grant !== undefined && holds(grant.capabilities, 'admin'))) return true
    // A user changes the own pass phrase.
    return previous !== undefined && isOf(grant, next) && isSame(next, previous, 'username', 'capabilities')
  },
  'application key': ({ next, previous, origin }) =>
    origin === 'operator' && isSame(next, previous, 'identity', 'name', 'keyCheck'),
  vault: ({ next, origin, grant }) =>
    origin === 'operator' ||
    (grant !== undefined && holds(grant.capabilities, 'createVault') && grant.user.equals(next.fields.creator)),
  membership: ({ next, previous, origin, grant }) =>
    isSame(next, previous, 'vault', 'user') &&
    [0, 1, 2, 4].includes(next.fields.permission) &&
    (origin === 'operator' ||
      (grant?.vault?.equals(next.fields.vault) === true &&
        (grant.permission === permissionBits.Admin || (next.fields.permission === 0 && isOf(grant, next))))),
  session: ({ next, previous }) =>
    isSame(next, previous, 'identity', 'user', 'applicationKey', 'recoveries', 'certificate', 'createdAt', 'expiresAt'),
  // The keeper composes grants; it seals none for others.
  grant: () => false,
}

/** Whether the caller of the grant is the user whom the record names. */
function isOf(grant: FieldsOf<'grant'> | undefined, { type, fields }: Named): boolean {
  return grant?.user.equals(type === 'user' ? fields.identity : fields.user) === true
}

type Named = Extract<OpenedRecord, { type: 'user' | 'membership' }>

/** @throws Fault `hsm.rejected` for a record that the keeper does not seal in place of `previous` */
export function checkChange(change: AnyChange): void {
  const { next, previous } = change
  // The first member of a vault follows the record of the vault.
  if (previous?.type === 'vault' && next.type === 'membership') return checkFirstMember(next, previous)
  if (previous !== undefined && previous.type !== next.type) throw refused(next.type)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both are of the type of the rule
  const rule = rules[next.type] as (change: AnyChange) => boolean
  if (!rule(change)) throw refused(next.type)
}

/** Whoever made a vault is an Admin of it, once. */
function checkFirstMember(
  { fields }: Extract<OpenedRecord, { type: 'membership' }>,
  { fields: vault }: Extract<OpenedRecord, { type: 'vault' }>,
): void {
  const isCreator = fields.user.equals(vault.creator) && fields.vault.equals(vault.identity)
  if (!isCreator || fields.permission !== permissionBits.Admin || fields.generation !== 1) throw refused('membership')
}

/** A change of a record of any type. */
export interface AnyChange extends Pick<Change, 'origin' | 'grant'> {
  readonly next: OpenedRecord
  readonly previous: OpenedRecord | undefined
}

function isSameKey({ key }: OpenedRecord, previous: OpenedRecord | undefined): boolean {
  if (key === undefined || (isKeyPairKind(key.kind) && key.publicKey === undefined)) return false
  const before = previous?.key
  return before === undefined || (before.kind === key.kind && before.kek === key.kek && before.blob.equals(key.blob))
}

function isSame<T extends { readonly fields: object }>(
  next: T,
  previous: T | undefined,
  ...names: readonly (keyof T['fields'])[]
): boolean {
  if (previous === undefined) return true
  const [after, before]: readonly [T['fields'], T['fields']] = [next.fields, previous.fields]
  return names.every((name) => isEqual(after[name], before[name]))
}

function isEqual(one: unknown, other: unknown): boolean {
  return Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : one === other
}

type Policy = Omit<FieldsOf<'transparent key'>, 'id'>

/** What a key is called and where it lies stays; export and backup are turned off, never on; versions only come and go. */
function keepsPolicy(next: Policy, previous: Policy): boolean {
  const { allowExport, allowPlaintextExport, allowBackup, oldestVersion, latestVersion } = next
  return (
    (['vaultId', 'name', 'type', 'residency', 'createdAt'] as const).every((name) => next[name] === previous[name]) &&
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

type Version = Omit<FieldsOf<'transparent key version'>, 'keyId'>

/** A version is disabled and enabled, and its backup is taken away; all else stays. */
function keepsVersion(next: Version, previous: Version | undefined): boolean {
  if (previous === undefined) return true
  const hasSameBackup =
    isEqual(next.backupKek, previous.backupKek) && isEqual(next.backupBlob ?? null, previous.backupBlob ?? null)
  const hasNoBackup = next.backupKek === null && next.backupBlob === null
  return (
    (['vaultId', 'type', 'version', 'createdAt'] as const).every((name) => next[name] === previous[name]) &&
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

/** By which clocks of the machines that share a token may differ. */
const skewMs = 60_000

const isOtpKey = (kind: string | undefined): boolean => kind?.startsWith('otp-') === true

function refused(type: string): Fault {
  return new Fault('hsm.rejected', `The keeper does not seal this ${type}.`)
}
