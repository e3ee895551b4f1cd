import { clockSkewMs } from '../../access/decision.ts'
import { includes, type Permission, permissionFromBit } from '../../access/permission.ts'
import { allows, scopeOf } from '../../access/scope.ts'
import { importJobMs } from '../import-limits.ts'
import { isKeyPairKind, kindOfType, tokenObjectKek } from '../key-kind.ts'
import type { KeyIdentity } from '../made-key.ts'
import { type FieldsOf, identityBytes, type OpenedRecord } from '../record-layouts.ts'
import { isRotationPeriod, longestLease, mostInvocations } from '../rotation-due.ts'
import { type Change, isEqual, isNow, isSame, refused, type Rule } from './record-change.ts'

type Policy = FieldsOf<'transparent key 2'>
type Version = FieldsOf<'transparent key version 2'>

export type Asker = Pick<Change, 'origin' | 'grant' | 'rotation' | 'isLowered' | 'now'>

/**
 * Which records of named keys may be sealed: for members of the vault by their permission, and for rotations that a
 * key's policy is due for.
 */
export const keyRules: {
  readonly [T in 'transparent key 2' | 'transparent key version 2' | 'invocations 2' | 'import job']: Rule<T>
} = {
  'transparent key 2': (change) => (change.previous === undefined ? isNewKey(change) : isChangedKey(change)),

  // The first record of a version follows the policy of its key (`checkNewVersion`).
  'transparent key version 2': (change) =>
    change.previous !== undefined &&
    isVersionKey(change.next) &&
    isSameKey(change.next, change.previous) &&
    isSame(change.next, change.previous, 'identity', 'vault') &&
    keepsVersion(change.next.fields, change.previous.fields) &&
    isMember(change, change.next.fields.vault, 'Write'),

  // A count never decreases. A member who may use the key may have encryptions reserved; the first count is decided by
  // `mayBegin`.
  'invocations 2': (change) =>
    change.previous !== undefined &&
    encrypts(change) &&
    isSame(change.next, change.previous, 'identity', 'vault', 'version') &&
    (isReserved(change.next.fields.invocations - change.previous.fields.invocations) || isClosed(change)) &&
    isMember(change, change.next.fields.vault, 'Read'),

  // Never changed: users may have wrapped a key to it, relying on its end, policy and vault.
  'import job': (change) =>
    change.previous === undefined &&
    change.next.fields.kind === kindOfType(change.next.fields.type) &&
    change.next.fields.kek.startsWith('strict.') &&
    change.next.fields.expiresAt <= change.now + importJobMs + clockSkewMs &&
    isMember(change, change.next.fields.vault, 'Write'),
}

/** The operator, or a caller with this permission in this vault. */
function isMember({ origin, grant }: Asker, vault: Buffer, needed: Permission): boolean {
  if (origin === 'operator') return true
  const held = grant?.vault?.equals(vault) === true ? permissionFromBit(grant.permission) : undefined
  return held !== undefined && includes(held, needed)
}

/**
 * A narrowed member whose grants allow no encryption at all gets nothing reserved. Token hosts check which keys they
 * allow, since the count's record has no name.
 */
const encrypts = ({ grant }: Asker): boolean =>
  typeof grant?.grants !== 'string' ||
  (['key.encrypt', 'key.rewrap', 'key.datakey'] as const).some((use) => allows(scopeOf(String(grant.grants)), use))

/** Whether the rotation allows this version of the key. */
function isAskedFor({ rotation }: Asker, key: KeyIdentity, version: number): boolean {
  return rotation !== undefined && isOfKey(rotation, key) && version === rotation.latestVersion + 1
}

const isOfKey = (one: KeyIdentity, other: KeyIdentity): boolean =>
  one.identity.equals(other.identity) && one.vault.equals(other.vault)

function isNewKey({ next, ...change }: Change<'transparent key 2'>): boolean {
  const { identity, vault, deletedAt, createdAt } = next.fields
  return (
    identity.length === identityBytes &&
    vault.length === identityBytes &&
    isNewPolicy(next.fields) &&
    mayRotate(change, next.fields) &&
    deletedAt === null &&
    // Token hosts import material only for a new key.
    isNow(createdAt, change) &&
    isMember(change, vault, 'Write')
  )
}

function isChangedKey({ next, previous, ...change }: Change<'transparent key 2'>): boolean {
  if (previous === undefined || !isSame(next, previous, 'identity', 'vault')) return false
  const [after, before] = [next.fields, previous.fields]
  if (after.deletedAt !== before.deletedAt)
    return isDeletion(after, before, change) && isMember(change, after.vault, 'Admin')
  if (after.autoRotatePeriodMs !== before.autoRotatePeriodMs && !mayRotate(change, after)) return false
  // A deleted key has to be taken back before anything else is changed.
  if (before.deletedAt !== null || !keepsPolicy(after, before)) return false
  const isTrimmed = after.oldestVersion > before.oldestVersion
  return (
    isMember(change, after.vault, isTrimmed ? 'Admin' : 'Write') ||
    (isAskedFor(change, after, after.latestVersion) && isOnly(after, before, 'latestVersion'))
  )
}

/**
 * A key can be deleted only as of now, because its recovery window is counted from then. Otherwise the deletion time
 * stays as it is, or the key is taken back.
 */
function isDeletion(next: Policy, previous: Policy, clock: Pick<Change, 'now'>): boolean {
  return (
    isOnly(next, previous, 'deletedAt') &&
    (next.deletedAt === null ||
      (previous.deletedAt === null && previous.allowDelete === 1 && isNow(next.deletedAt, clock)))
  )
}

/** Whether no other field has changed. */
function isOnly(next: Policy, previous: Policy, changed: keyof Policy): boolean {
  const after = new Map<string, unknown>(Object.entries(next))
  return Object.entries(previous).every(
    ([name, value]) => name === changed || name === 'generation' || isEqual(after.get(name), value),
  )
}

/**
 * The first record of a version follows the policy of its key, which must count this version and allow what the
 * material can do.
 * @throws Fault `hsm.rejected`
 */
export function checkNewVersion(
  next: Change<'transparent key version 2'>['next'],
  { fields: policy }: Change<'transparent key 2'>['next'],
  change: Asker,
): void {
  const { fields, key } = next
  const { version, disabled, createdAt } = fields
  const isOfPolicy =
    isVersionKey(next) &&
    isSameKey(next, undefined) &&
    isEqual(fields.publicKey, key?.publicKey ?? null) &&
    isOfKey(fields, policy) &&
    fields.type === policy.type &&
    version >= policy.oldestVersion &&
    version <= policy.latestVersion &&
    createdAt <= change.now + clockSkewMs
  const isAllowed =
    (key?.kek === tokenObjectKek) === (policy.residency === 'token') &&
    (policy.allowExport === 1 || key?.kek.startsWith('exportable.') === false) &&
    (policy.allowBackup === 1 || fields.backupKek === null)
  const isAsSuch = change.rotation === undefined || (disabled === 0 && isNow(createdAt, change))
  if (!isOfPolicy || !isAllowed || !isAsSuch || !mayAddVersion(change, policy, version))
    throw refused(next.type, change)
}

/** Whether this version may be made: for a member with Write, or for a rotation that the key's policy asks for. */
export function mayAddVersion(change: Asker, policy: KeyIdentity, version: number): boolean {
  return isAskedFor(change, policy, version) || isMember(change, policy.vault, 'Write')
}

/** Whether a version may begin with this count. `isNewKey`: whether the key is being made. */
export function mayBegin(
  { isNewKey, ...change }: Asker & { readonly isNewKey: boolean },
  { version, invocations, ...key }: FieldsOf<'invocations 2'>,
): boolean {
  const mayWrite = isMember(change, key.vault, 'Write')
  // Versions of a backup, which makes a new key, come with their counts. Any other would be due for rotation at once.
  return isReserved(invocations) ? mayWrite || isAskedFor(change, key, version) : mayWrite && isNewKey
}

/** The operator closes a version for encryption by setting its count to the maximum. */
const isClosed = ({ origin, next }: Change<'invocations 2'>): boolean =>
  origin === 'operator' && next.fields.invocations === mostInvocations

const isReserved = (invocations: number): boolean => invocations >= 0 && invocations <= longestLease

export function isSameKey({ key }: OpenedRecord, previous: OpenedRecord | undefined): boolean {
  if (key === undefined || (isKeyPairKind(key.kind) && key.publicKey === undefined)) return false
  const before = previous?.key
  return (
    before === undefined ||
    (before.kind === key.kind &&
      before.kek === key.kek &&
      before.blob.equals(key.blob) &&
      isEqual(before.publicKey, key.publicKey))
  )
}

/**
 * Name and vault of a key never change, export and backup can only be turned off, and the range of versions only moves
 * forward.
 */
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

/** Flags are 0 or 1 and do not contradict each other, and limits lie within the range of versions. */
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

/** As in the interface: a shorter period would make a version, and a key in the token, at each use. */
const mayRotate = ({ origin }: Asker, { autoRotatePeriodMs: period }: Policy): boolean =>
  origin === 'operator' || period === 0 || isRotationPeriod(period)

/** A version can be disabled and enabled, and lose its backup. Nothing else changes. */
function keepsVersion(next: Version, previous: Version | undefined): boolean {
  if (previous === undefined) return true
  const hasSameBackup =
    isEqual(next.backupKek, previous.backupKek) && isEqual(next.backupBlob ?? null, previous.backupBlob ?? null)
  const hasNoBackup = next.backupKek === null && next.backupBlob === null
  return (
    (['type', 'version', 'createdAt'] as const).every((name) => next[name] === previous[name]) &&
    isEqual(next.publicKey ?? null, previous.publicKey ?? null) &&
    (hasSameBackup || hasNoBackup)
  )
}

/**
 * The key material has the kind of the key's type. It is wrapped (by a backup KEK where it was restored) or an object
 * of the token, and never the data key of a vault.
 */
function isVersionKey({ key, fields }: OpenedRecord & { readonly fields: Pick<Version, 'type'> }): boolean {
  return (
    key?.kind !== undefined &&
    key.kind === kindOfType(fields.type) &&
    /^(token$|(backup-)?exportable\.|strict\.|backup\.)/.test(key.kek)
  )
}
