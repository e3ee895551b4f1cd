import { Fault } from '../../fault.ts'
import type { KeyType } from './key-type.ts'
import type { TransparentKey } from './records.ts'

export { isRotationPeriod, rotationPeriods } from '../../hsm/rotation-due.ts'

/** A key to be created, with its flags. */
export interface NewKey {
  readonly vaultId: number
  readonly name: string
  readonly type: KeyType
  readonly info: string
  readonly residency: 'database' | 'token'
  readonly allowExport: boolean
  readonly allowPlaintextExport: boolean
  readonly allowBackup: boolean
  readonly allowDelete: boolean
  /** 0 for never. */
  readonly autoRotatePeriodMs: number
}

/** A row before it is sealed; the seal gives it its identity. */
export type NewKeyRow = Omit<TransparentKey, 'id' | 'identity' | 'vault' | 'generation' | 'seal'>

/** The row of a new key. @throws Fault `key.residency`, `key.flag_off` for flags that contradict each other */
export function newKeyRow(
  {
    vaultId,
    name,
    type,
    info,
    residency,
    allowExport,
    allowPlaintextExport,
    allowBackup,
    allowDelete,
    autoRotatePeriodMs,
  }: NewKey,
  createdAt: number,
): NewKeyRow {
  if (residency === 'token' && (allowExport || allowBackup))
    throw new Fault(
      'key.residency',
      'A key that resides in the token can be neither exported nor backed up: turn allow_export and allow_backup off.',
    )
  if (allowPlaintextExport && !allowExport)
    throw new Fault('key.flag_off', 'allow_plaintext_export needs allow_export.')
  return {
    vaultId,
    name,
    info,
    residency,
    autoRotatePeriodMs,
    type: type.name,
    allowExport: Number(allowExport),
    allowPlaintextExport: Number(allowPlaintextExport),
    allowBackup: Number(allowBackup),
    allowDelete: Number(allowDelete),
    oldestVersion: 1,
    latestVersion: 1,
    minEncryptionVersion: 1,
    minDecryptionVersion: 1,
    createdAt,
    deletedAt: null,
  }
}

/** Changes of a key. Export and backup can be turned off, never on. */
export interface KeyChanges {
  readonly info?: string | undefined
  readonly allowExport?: boolean | undefined
  readonly allowBackup?: boolean | undefined
  readonly allowDelete?: boolean | undefined
  readonly autoRotatePeriodMs?: number | undefined
  readonly minEncryptionVersion?: number | undefined
  readonly minDecryptionVersion?: number | undefined
}

/** The key with its changes. @throws Fault `key.flag_off`, `key.version_unknown` */
export function changedKey(current: TransparentKey, changes: KeyChanges): TransparentKey {
  const next = { ...current, ...changedRow(current, changes) }
  checkLimits(next)
  return next
}

function changedRow(current: TransparentKey, changes: KeyChanges): Partial<TransparentKey> {
  if (changes.allowExport === true && current.allowExport === 0)
    throw new Fault('key.flag_off', 'allow_export cannot be turned on again: make another key.')
  if (changes.allowBackup === true && current.allowBackup === 0)
    throw new Fault('key.flag_off', 'allow_backup cannot be turned on again: make another key.')
  const allowExport = changes.allowExport === undefined ? current.allowExport : Number(changes.allowExport)
  return {
    info: changes.info ?? current.info,
    allowExport,
    allowPlaintextExport: allowExport === 0 ? 0 : current.allowPlaintextExport,
    allowBackup: changes.allowBackup === undefined ? current.allowBackup : Number(changes.allowBackup),
    allowDelete: changes.allowDelete === undefined ? current.allowDelete : Number(changes.allowDelete),
    autoRotatePeriodMs: changes.autoRotatePeriodMs ?? current.autoRotatePeriodMs,
    minEncryptionVersion: changes.minEncryptionVersion ?? current.minEncryptionVersion,
    minDecryptionVersion: changes.minDecryptionVersion ?? current.minDecryptionVersion,
  }
}

function checkLimits({
  oldestVersion,
  latestVersion,
  minEncryptionVersion,
  minDecryptionVersion,
}: TransparentKey): void {
  for (const [name, value] of Object.entries({
    min_encryption_version: minEncryptionVersion,
    min_decryption_version: minDecryptionVersion,
  })) {
    if (value < oldestVersion || value > latestVersion)
      throw new Fault('key.version_unknown', `${name} must be between ${oldestVersion} and ${latestVersion}.`)
  }
}
