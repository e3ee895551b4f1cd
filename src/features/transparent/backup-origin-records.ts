import { EntitySchema } from 'typeorm'
import { bytes, integer, named, primary, text, time } from '../../store/columns.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** A backup that the operator allowed into a vault. */
export interface AcceptedBackup {
  readonly vaultId: number
  /** SHA-256 of the backup, in hexadecimal digits. */
  readonly digest: string
  readonly acceptedAt: number
  readonly seal: Buffer
}

export const AcceptedBackupTable = new EntitySchema<AcceptedBackup>({
  name: 'AcceptedBackup',
  tableName: 'accepted_backups',
  columns: {
    vaultId: named('vault_id', primary(integer)),
    digest: primary(text),
    acceptedAt: named('accepted_at', time),
    seal: bytes,
  },
})

/** An existing row gets the new seal. */
export async function saveAccepted(tx: Tx, accepted: AcceptedBackup): Promise<void> {
  await tx.upsert(AcceptedBackupTable, accepted, ['vaultId', 'digest'])
}

export function findAccepted(reader: Reader, vaultId: number, digest: string): Promise<AcceptedBackup | null> {
  return reader.findOneBy(AcceptedBackupTable, { vaultId, digest })
}
