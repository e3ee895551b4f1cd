import { EntitySchema, LessThanOrEqual } from 'typeorm'
import { bytes, integer, named, primary, text, time } from '../../store/columns.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** The properties that one imported key will have, and the key pair that it must be wrapped to. */
export interface ImportJob {
  /** 32 hexadecimal digits. */
  readonly id: string
  readonly vaultId: number
  readonly name: string
  readonly type: string
  readonly info: string
  /** 0 or 1, like the next three. */
  readonly allowExport: number
  readonly allowPlaintextExport: number
  readonly allowBackup: number
  readonly allowDelete: number
  readonly autoRotatePeriodMs: number
  /** The private key, wrapped. */
  readonly kek: string
  readonly blob: Buffer
  /** DER SubjectPublicKeyInfo. */
  readonly publicKey: Buffer
  readonly createdAt: number
  readonly expiresAt: number
  readonly seal: Buffer
}

export const ImportJobTable = new EntitySchema<ImportJob>({
  name: 'ImportJob',
  tableName: 'import_jobs',
  columns: {
    id: primary(text),
    vaultId: named('vault_id', integer),
    name: text,
    type: text,
    info: text,
    allowExport: named('allow_export', integer),
    allowPlaintextExport: named('allow_plaintext_export', integer),
    allowBackup: named('allow_backup', integer),
    allowDelete: named('allow_delete', integer),
    autoRotatePeriodMs: named('auto_rotate_period_ms', integer),
    kek: text,
    blob: bytes,
    publicKey: named('public_key', bytes),
    createdAt: named('created_at', time),
    expiresAt: named('expires_at', time),
    seal: bytes,
  },
})

export async function insertJob(tx: Tx, job: ImportJob): Promise<void> {
  await tx.insert(ImportJobTable, job)
}

/** The job with this id, if it is for the key of this name. */
export function findJob(reader: Reader, key: Pick<ImportJob, 'id' | 'vaultId' | 'name'>): Promise<ImportJob | null> {
  return reader.findOneBy(ImportJobTable, key)
}

/** True for exactly one of several parallel imports by one job. */
export async function useUpJob(tx: Tx, id: string): Promise<boolean> {
  return (await tx.delete(ImportJobTable, { id })).affected === 1
}

/** Resolves to the number of deleted jobs. */
export async function deleteJobsBefore(tx: Tx, time: number): Promise<number> {
  return (await tx.delete(ImportJobTable, { expiresAt: LessThanOrEqual(time) })).affected ?? 0
}
