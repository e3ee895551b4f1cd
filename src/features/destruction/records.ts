import { EntitySchema, MoreThan } from 'typeorm'
import type { SealedRecord } from '../../hsm/sealed-record.ts'
import { bytes, id, named, primary, text, time } from '../../store/columns.ts'
import type { Reader, Tx } from '../../store/store.ts'

/**
 * An object of the token whose key has ended: from the change that ended it until the token has destroyed it. Records and
 * seals are empty where a release before wrote it down.
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

/** That a vault or a key has ended, under the keeper's seal. Kept for good: its rows are gone. */
interface Tombstone extends SealedRecord {
  readonly id: number
}

export const TombstoneTable = new EntitySchema<Tombstone>({
  name: 'Tombstone',
  tableName: 'tombstones',
  columns: { id, record: bytes, seal: bytes },
})

/** The record of a key, and what says that it has ended. */
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

/** Those that a release before wrote down: the data keys of deleted vaults. */
export async function findUnmarked(reader: Reader): Promise<string[]> {
  const rows = await reader.find(PendingDestructionTable)
  return rows.filter((row) => !isMarked(row)).map(({ objectId }) => objectId)
}

const isMarked = ({ markSeal }: PendingDestruction): boolean => markSeal.length > 0

/** Gives one of those the mark by which it is destroyed, which names the object itself. */
export async function markPending(tx: Tx, objectId: string, { record, seal }: SealedRecord): Promise<void> {
  const records = { keyRecord: record, keySeal: seal, markRecord: record, markSeal: seal }
  await tx.update(PendingDestructionTable, { objectId }, records)
}

/** Every one, for the operator. */
export async function pendingObjectIds(reader: Reader): Promise<string[]> {
  return (await reader.find(PendingDestructionTable)).map(({ objectId }) => objectId)
}

export async function forgetPending(tx: Tx, objectId: string): Promise<void> {
  await tx.delete(PendingDestructionTable, { objectId })
}

export async function insertTombstone(tx: Tx, { record, seal }: SealedRecord): Promise<void> {
  await tx.insert(TombstoneTable, { record, seal })
}

/** In the order in which they were made, from the one after `after` on. */
export function findTombstones(reader: Reader, after: number, most: number): Promise<Tombstone[]> {
  return reader.find(TombstoneTable, { where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: most })
}
