import { Fault } from '../../fault.ts'
import { checkFloor, type Generation, outdated } from '../record-generation.ts'
import type { RecordType } from '../record-layouts.ts'
import { recordDigest } from '../sealed-record.ts'
import { createDeadRecords } from './dead-records.ts'
import { createFirstRecords } from './first-records.ts'
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
  /** Notes the first record of a subject, which is dead unless its commit is shown within an hour. */
  noteFirst(record: Buffer, generation: Generation): void
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

/**
 * Whether the daemon shows all new records of this type from time to time, which makes up for the showing of a commit
 * that failed.
 */
export const isShownAnew = (type: RecordType): boolean => hasSuccession(type) && !isOfKeys.has(type)

const isOfKeys: ReadonlySet<RecordType> = new Set(['application key', 'transparent key 2'] as const)

/** Number of changes of one subject in one commit; beyond it a change waits for the next commit. */
const longestSuccession = 1_000

/** A change whose commit was not shown within this time counts as failed: its generation may be used again. */
const longestCommitMs = 600_000

export function createSealedRecords(
  state: KeeperState,
  floors: Pick<WritableFloors, 'of' | 'isTold'>,
  now: () => number,
): SealedRecords {
  const sealings = openSealings(state)
  const dead = createDeadRecords(state)
  const firsts = createFirstRecords(state, floors, now)

  /**
   * Whether each record was sealed in place of the one before it, back to the floor (0 if there is none), and none of
   * them is dead. Records that were sealed elsewhere are not looked at.
   */
  function succeeds(subject: Buffer, first: number, floor: number): boolean {
    let number = first
    for (let steps = 0; number > floor && steps < longestSuccession; steps++) {
      const sealing = sealings.find(subject, number)
      if (sealing === undefined) return true
      if (dead.has(sealing.digest, { subject, number })) return false
      number = sealing.previous
    }
    return number === floor
  }

  /** A different record of this generation comes from another machine, unless the one sealed here was committed. */
  function isDead(record: Buffer, { subject, number }: Generation, floor: number): boolean {
    const digest = recordDigest(record)
    if (dead.has(digest, { subject, number })) return true
    const isOwn = sealings.find(subject, number)?.digest.equals(digest)
    if (isOwn === undefined) return false
    return isOwn ? !succeeds(subject, number, floor) : number === floor && !floors.isTold(subject)
  }

  function note(record: Buffer, { subject, number }: Generation, previous: number): void {
    const digest = recordDigest(record)
    const sealing = sealings.find(subject, number)
    if (sealing?.digest.equals(digest) === true) return
    if (sealing !== undefined) {
      const isLate = Math.abs(now() - sealing.sealed_at) > longestCommitMs
      // Records that were sealed in place of the earlier one would pass as successors of the later one.
      const isFree = isLate && number > (floors.of(subject) ?? 0) && !sealings.isFollowed(subject, number)
      if (!isFree) throw new Fault('store.conflict')
      dead.add(sealing.digest, { subject, number })
    }
    sealings.keep(subject, number, digest, previous, now())
  }

  return {
    note,
    noteFirst(record, generation) {
      note(record, generation, 0)
      firsts.note(recordDigest(record), generation)
    },
    check(record, generation) {
      for (const late of firsts.takeLate()) dead.add(late.digest, late)
      const floor = floors.of(generation.subject)
      checkFloor(generation, floor)
      if (isDead(record, generation, floor ?? 0)) throw outdated()
    },
    isSettled: ({ subject, number }) =>
      (floors.of(subject) ?? 0) >= number || sealings.find(subject, number) === undefined,
    settle(record, { subject, number }) {
      if (floors.of(subject) !== number) return
      const sealing = sealings.find(subject, number)
      if (sealing?.digest.equals(recordDigest(record)) === false) {
        dead.add(sealing.digest, { subject, number })
        sealings.drop(subject, number)
      }
      sealings.prune(subject, number)
      dead.prune(subject, number)
    },
    forget() {
      sealings.forget()
      dead.forget()
      firsts.forget()
    },
  }
}

function openSealings(state: KeeperState) {
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
  const follows = state.prepare('SELECT 1 FROM sealed_records WHERE subject = ? AND previous = ? LIMIT 1')
  const prune = state.prepare('DELETE FROM sealed_records WHERE subject = ? AND number < ?')
  return {
    keep: (...row: readonly [subject: Buffer, number: number, digest: Buffer, previous: number, sealedAt: number]) =>
      void keep.run(...row),
    find: (subject: Buffer, number: number) => find.get(subject, number),
    /** Whether another record was sealed in place of it. */
    isFollowed: (subject: Buffer, number: number) => follows.get(subject, number) !== undefined,
    drop: (subject: Buffer, number: number) => void drop.run(subject, number),
    /** Deletes the generations below `number`. */
    prune: (subject: Buffer, number: number) => void prune.run(subject, number),
    forget: () => void state.exec('DELETE FROM sealed_records'),
  }
}
