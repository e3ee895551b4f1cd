import { Fault } from '../../fault.ts'
import { checkFloor, type Generation, outdated } from '../record-generation.ts'
import type { RecordType } from '../record-layouts.ts'
import { recordDigest } from '../sealed-record.ts'
import type { WritableFloors } from './floors.ts'
import type { KeeperState } from './keeper-state.ts'
import type { Recoverers } from './recoverers.ts'

/**
 * What was sealed in place of what, of accounts, memberships and keys. A worker may have several records sealed in place
 * of one row: once one of them was committed the others are dead, and so is what was sealed in place of these.
 */
export interface SealedRecords {
  /**
   * Of a record that is about to be sealed in place of another; undefined for the first of a thing.
   * @throws Fault `store.conflict` where another record of the number was sealed a moment ago, or was committed
   */
  note(record: Buffer, generation: Generation, previous: Replaced | undefined): void
  /** @throws Fault `hsm.outdated` for a record that is older than the floor, or dead */
  check(record: Buffer, generation: Generation): void
  /** Whether it was shown as committed, as far as it was sealed here. */
  isSettled(generation: Generation): boolean
  /**
   * The record was committed, and is the floor of the thing: what is older tells nothing any more. `before`: the floor until
   * then; undefined where there was none.
   */
  settle(record: Buffer, generation: Generation, before: number | undefined): void
  /** The operator has accepted older records. */
  forget(): void
}

interface Replaced {
  readonly record: Buffer
  readonly number: number
}

/** Those of which a fork would matter, and of which there are few for each thing. */
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
  /** Negative of a record that was not sealed here, whatever was sealed here under its number. */
  readonly previous: number
  readonly sealed_at: number
}

/** Changes of one thing that wait for one commit; of more, the last waits for its turn. */
const longestSuccession = 1_000

/** A change that was not shown as committed for so long has come to nothing: its number may serve again. */
const longestCommitMs = 600_000

/** @param recoverers told of the records that were committed one after another, where all of them were sealed here */
export function createSealedRecords(
  state: KeeperState,
  floors: Pick<WritableFloors, 'of' | 'isTold'>,
  now: () => number,
  recoverers: Pick<Recoverers, 'keepCommitted'>,
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

  const isOwn = (record: Buffer, subject: Buffer, number: number): boolean | undefined =>
    find.get(subject, number)?.digest.equals(recordDigest(record))

  /** What it was sealed in place of; undefined where that cannot be told. */
  function beforeIt(subject: Buffer, number: number, floor: number): number | undefined {
    const previous = find.get(subject, number)?.previous
    return previous === undefined || (previous < 0 && -previous > floor) ? undefined : Math.abs(previous)
  }

  /** The numbers above the floor, each sealed in place of the next; `end` is undefined where one was not sealed here. */
  function chainOf(subject: Buffer, first: number, floor: number) {
    const numbers: number[] = []
    let end: number | undefined = first
    while (end !== undefined && end > floor && numbers.length < longestSuccession) {
      numbers.push(end)
      end = beforeIt(subject, end, floor)
    }
    return { numbers, end }
  }

  /** Whether each was sealed in place of the one before it, from the floor on; as far as they were sealed here. */
  function succeeds(subject: Buffer, first: number, floor: number): boolean {
    const { end } = chainOf(subject, first, floor)
    return end === undefined || end === floor
  }

  /** Another record of the number comes from another machine, unless the one that was sealed here was committed. */
  function isDead(record: Buffer, { subject, number }: Generation, floor: number): boolean {
    const isOurs = isOwn(record, subject, number)
    if (isOurs === undefined) return false
    return isOurs ? !succeeds(subject, number, floor) : number === floor && !floors.isTold(subject)
  }

  return {
    note(record, { subject, number }, previous) {
      const digest = recordDigest(record)
      const sealing = find.get(subject, number)
      if (sealing?.digest.equals(digest) === true) return
      const isLate = sealing !== undefined && Math.abs(now() - sealing.sealed_at) > longestCommitMs
      if (sealing !== undefined && !(isLate && number > (floors.of(subject) ?? 0))) throw new Fault('store.conflict')
      const before = previous?.number ?? 0
      const isBeforeOwn = previous !== undefined && isOwn(previous.record, subject, before) === true
      keep.run(subject, number, digest, isBeforeOwn ? before : 0 - before, now())
    },
    check(record, generation) {
      const floor = floors.of(generation.subject)
      checkFloor(generation, floor)
      // Below any floor it is as if nothing had been.
      if (floor !== undefined && isDead(record, generation, floor)) throw outdated()
    },
    isSettled: ({ subject, number }) => (floors.of(subject) ?? 0) >= number || find.get(subject, number) === undefined,
    settle(record, { subject, number }, before = 0) {
      if (floors.of(subject) !== number) return
      const { numbers, end } = chainOf(subject, number, before)
      if (before < number && end === before) recoverers.keepCommitted(subject, before, number, numbers)
      if (isOwn(record, subject, number) === false) drop.run(subject, number)
      prune.run(subject, number)
    },
    forget: () => void state.exec('DELETE FROM sealed_records'),
  }
}
