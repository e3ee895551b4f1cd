import { Fault } from '../../fault.ts'
import type { TransparentKey } from './records.ts'

/** What may be changed of a key. Export and backup can be turned off, never on. */
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
export function changed(current: TransparentKey, changes: KeyChanges): TransparentKey {
  const next = { ...current, ...changedRow(current, changes) }
  checkLimits(next)
  return next
}

function changedRow(current: TransparentKey, changes: KeyChanges): Partial<TransparentKey> {
  if (changes.allowExport === true && current.allowExport === 0)
    throw new Fault('key.flag_off', 'allow_export cannot be turned on again.')
  if (changes.allowBackup === true && current.allowBackup === 0)
    throw new Fault('key.flag_off', 'allow_backup cannot be turned on again.')
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
