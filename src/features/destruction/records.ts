import { EntitySchema, MoreThan } from 'typeorm'
import type { SealedRecord } from '../../hsm/sealed-record.ts'
import { bytes, id, named, primary, text, time } from '../../store/columns.ts'
import type { Reader, Tx } from '../../store/store.ts'

/**
 * A token object whose key has ended, noted from that change until the object is destroyed. Record and seal columns are
 * empty in rows of earlier releases.
 */
interface PendingDestruction {
  /** CKA_ID, hexadecimal. */
  readonly objectId: string
  readonly keyRecord: Buffer
  readonly keySeal: Buffer
  readonly markRecord: Buffer
  readonly markSeal: Buffer
  readonly pendingSince: number
}

export const PendingDestructionTable = new EntitySchema<PendingDestruction>({
  name: 'PendingDestruction',
  tableName: 'pending_destructions',
  columns: {
    objectId: named('object_id', primary(text)),
    keyRecord: named('key_record', bytes),
    keySeal: named('key_seal', bytes),
    markRecord: named('mark_record', bytes),
    markSeal: named('mark_seal', bytes),
    pendingSince: named('pending_since', time),
  },
})

/**
 * States under the keeper's seal that a vault or a key has ended. Kept permanently, because the rows themselves are
 * deleted.
 */
interface Tombstone extends SealedRecord {
  readonly id: number
}

export const TombstoneTable = new EntitySchema<Tombstone>({
  name: 'Tombstone',
  tableName: 'tombstones',
  columns: { id, record: bytes, seal: bytes },
})

/** The sealed record of a key, and the sealed mark that it has ended. */
export interface MarkedObject {
  readonly objectId: string
  readonly key: SealedRecord
  readonly mark: SealedRecord
}

export async function insertPending(tx: Tx, { objectId, key, mark }: MarkedObject, now: number): Promise<void> {
  const records = { keyRecord: key.record, keySeal: key.seal, markRecord: mark.record, markSeal: mark.seal }
  await tx.insert(PendingDestructionTable, { objectId, ...records, pendingSince: now })
}

/** The oldest, a bounded number. */
export async function findPending(reader: Reader, most: number): Promise<MarkedObject[]> {
  const rows = await reader.find(PendingDestructionTable, { order: { pendingSince: 'ASC' }, take: most })
  return rows.filter(isMarked).map(({ objectId, keyRecord, keySeal, markRecord, markSeal }) => ({
    objectId,
    key: { record: keyRecord, seal: keySeal },
    mark: { record: markRecord, seal: markSeal },
  }))
}

/** Those noted by an earlier release: data keys of deleted vaults. */
export async function findUnmarked(reader: Reader): Promise<string[]> {
  const rows = await reader.find(PendingDestructionTable)
  return rows.filter((row) => !isMarked(row)).map(({ objectId }) => objectId)
}

const isMarked = ({ markSeal }: PendingDestruction): boolean => markSeal.length > 0

/** Gives such an object the mark that allows its destruction and names the object itself. */
export async function markPending(tx: Tx, objectId: string, { record, seal }: SealedRecord): Promise<void> {
  const records = { keyRecord: record, keySeal: seal, markRecord: record, markSeal: seal }
  await tx.update(PendingDestructionTable, { objectId }, records)
}

/** All of them, for the operator. */
export async function pendingObjectIds(reader: Reader): Promise<string[]> {
  return (await reader.find(PendingDestructionTable)).map(({ objectId }) => objectId)
}

export async function forgetPending(tx: Tx, objectId: string): Promise<void> {
  await tx.delete(PendingDestructionTable, { objectId })
}

export async function insertTombstone(tx: Tx, { record, seal }: SealedRecord): Promise<void> {
  await tx.insert(TombstoneTable, { record, seal })
}

/** In the order in which they were made, after the one with id `after`. */
export function findTombstones(reader: Reader, after: number, most: number): Promise<Tombstone[]> {
  return reader.find(TombstoneTable, { where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: most })
}
