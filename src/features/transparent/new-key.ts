import { Fault } from '../../fault.ts'
import type { KeyType } from './key-type.ts'
import type { TransparentKey } from './records.ts'

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

/** The row of a new key. @throws Fault `key.residency`, `key.flag_off` for flags that contradict each other */
export function newRow(
  { type, allowExport, allowPlaintextExport, allowBackup, allowDelete, ...key }: NewKey,
  createdAt: number,
): Omit<TransparentKey, 'id' | 'seal'> {
  if (key.residency === 'token' && (allowExport || allowBackup))
    throw new Fault(
      'key.residency',
      'A key that resides in the token can be neither exported nor backed up: turn allow_export and allow_backup off.',
    )
  if (allowPlaintextExport && !allowExport)
    throw new Fault('key.flag_off', 'allow_plaintext_export needs allow_export.')
  return {
    ...key,
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
