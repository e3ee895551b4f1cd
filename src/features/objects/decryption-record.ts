import { statusBits, type VaultObject } from './records.ts'

/** The audit record of a decrypted field. */
export interface DecryptionRecord {
  readonly operation: string
  readonly target: string
  /** Whether the operator is alerted at once. */
  readonly isAlarm: boolean
}

/** Resolves once the record is on the disk. */
export type RecordDecryption = (decryption: DecryptionRecord) => Promise<void>

/** @param what name of the field, or `its file` */
export function decryptionRecord(
  { id, status }: Pick<VaultObject, 'id' | 'status'>,
  what: string,
  canAlarm: boolean,
): DecryptionRecord {
  const isAlarm = canAlarm && (status & statusBits.alarm) !== 0
  return { operation: isAlarm ? 'object.decrypt.alarm' : 'object.decrypt', target: `object ${id}: ${what}`, isAlarm }
}
