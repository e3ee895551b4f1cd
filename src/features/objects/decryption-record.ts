import { statusBits, type VaultObject } from './records.ts'

/** What the trail says of a field that was decrypted. */
export interface DecryptionRecord {
  readonly operation: string
  readonly target: string
  /** Whether the operator is told at once. */
  readonly isAlarm: boolean
}

/** Puts it on the disk. */
export type RecordDecryption = (decryption: DecryptionRecord) => Promise<void>

/** @param what the field, or `its file` */
export function decryptionRecord(
  { id, status }: Pick<VaultObject, 'id' | 'status'>,
  what: string,
  canAlarm: boolean,
): DecryptionRecord {
  const isAlarm = canAlarm && (status & statusBits.alarm) !== 0
  return { operation: isAlarm ? 'object.decrypt.alarm' : 'object.decrypt', target: `object ${id}: ${what}`, isAlarm }
}
