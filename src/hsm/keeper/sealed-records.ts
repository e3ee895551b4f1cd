import { Fault } from '../../fault.ts'
import { checkFloor, type Generation, outdated } from '../record-generation.ts'
import type { RecordType } from '../record-layouts.ts'
import { recordDigest } from '../sealed-record.ts'
import type { WritableFloors } from './floors.ts'
import type { KeeperState } from './keeper-state.ts'

/**
 * Which record was sealed in place of which, for accounts, memberships and keys. A worker may have several records
 * sealed in place of one row. Once one of them is committed the others are dead, and so are records sealed in place of
 * those.
 */
export interface SealedRecords {
  /**
   * Notes a record that is about to be sealed in place of generation `previous`, 0 for the first of its subject.
   * @throws Fault `store.conflict` where another record of this generation was sealed a moment ago, or was committed
   */
  note(record: Buffer, generation: Generation, previous: number): void
  /** @throws Fault `hsm.outdated` for a record that is older than the floor, or dead */
  check(record: Buffer, generation: Generation): void
  /** Whether a commit of the record was shown, if it was sealed here. */
  isSettled(generation: Generation): boolean
  /** The record was committed and is the floor of its subject: what is noted of older ones is deleted. */
  settle(record: Buffer, generation: Generation): void
  /** Forgets everything: the operator has accepted older records. */
  forget(): void
}

/** The types for which a fork matters, and of which there are few records per subject. */
export const hasSuccession = (type: RecordType): boolean => successive.has(type)

const successive: ReadonlySet<RecordType> = new Set([
  'user',
  'service account',
  'application key',
  'membership',
  'scoped membership',
  'transparent key 2',
] as const)

interface Sealing {
  readonly digest: Buffer
  readonly previous: number
  readonly sealed_at: number
}

/** Number of changes of one subject in one commit; beyond it a change waits for the next commit. */
const longestSuccession = 1_000

/** A change whose commit was not shown within this time counts as failed: its generation may be used again. */
const longestCommitMs = 600_000

export function createSealedRecords(
  state: KeeperState,
  floors: Pick<WritableFloors, 'of' | 'isTold'>,
  now: () => number,
): SealedRecords {
  state.exec(
    `CREATE TABLE IF NOT EXISTS sealed_records (subject BLOB NOT NULL, number INTEGER NOT NULL, digest BLOB NOT NULL,
     previous INTEGER NOT NULL, sealed_at INTEGER NOT NULL, PRIMARY KEY (subject, number)) STRICT, WITHOUT ROWID`,
  )
  const keep = state.prepare(
    'INSERT OR REPLACE INTO sealed_records (subject, number, digest, previous, sealed_at) VALUES (?, ?, ?, ?, ?)',
  )
  const find = state.prepare<[Buffer, number], Sealing>(
    'SELECT digest, previous, sealed_at FROM sealed_records WHERE subject = ? AND number = ?',
  )
  const drop = state.prepare('DELETE FROM sealed_records WHERE subject = ? AND number = ?')
  const prune = state.prepare('DELETE FROM sealed_records WHERE subject = ? AND number < ?')

  /**
   * Whether each record was sealed in place of the one before it, back to the floor, as far as they were sealed here.
   */
  function succeeds(subject: Buffer, first: number, floor: number): boolean {
    let number = first
    for (let steps = 0; number > floor && steps < longestSuccession; steps++) {
      const sealing = find.get(subject, number)
      if (sealing === undefined) return true
      number = sealing.previous
    }
    return number === floor
  }

  /** A different record of this generation comes from another machine, unless the one sealed here was committed. */
  function isDead(record: Buffer, { subject, number }: Generation, floor: number): boolean {
    const isOwn = find.get(subject, number)?.digest.equals(recordDigest(record))
    if (isOwn === undefined) return false
    return isOwn ? !succeeds(subject, number, floor) : number === floor && !floors.isTold(subject)
  }

  return {
    note(record, { subject, number }, previous) {
      const digest = recordDigest(record)
      const sealing = find.get(subject, number)
      if (sealing?.digest.equals(digest) === true) return
      const isLate = sealing !== undefined && Math.abs(now() - sealing.sealed_at) > longestCommitMs
      if (sealing !== undefined && !(isLate && number > (floors.of(subject) ?? 0))) throw new Fault('store.conflict')
      keep.run(subject, number, digest, previous, now())
    },
    check(record, generation) {
      const floor = floors.of(generation.subject)
      checkFloor(generation, floor)
      // Without a floor nothing is known to be committed.
      if (floor !== undefined && isDead(record, generation, floor)) throw outdated()
    },
    isSettled: ({ subject, number }) => (floors.of(subject) ?? 0) >= number || find.get(subject, number) === undefined,
    settle(record, { subject, number }) {
      if (floors.of(subject) !== number) return
      if (find.get(subject, number)?.digest.equals(recordDigest(record)) === false) drop.run(subject, number)
      prune.run(subject, number)
    },
    forget: () => void state.exec('DELETE FROM sealed_records'),
  }
}
