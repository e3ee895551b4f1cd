import { Fault } from '../../fault.ts'
import { checkFloor, type Generation, outdated } from '../record-generation.ts'
import type { RecordType } from '../record-layouts.ts'
import { recordDigest } from '../sealed-record.ts'
import { type AcceptedRestore, createAcceptedRestore } from './accepted-restore.ts'
import { createDeadRecords } from './dead-records.ts'
import { type Clocks, createFirstRecords } from './first-records.ts'
import type { WritableFloors } from './floors.ts'
import type { KeeperState } from './keeper-state.ts'
import type { Recoverers } from './recoverers.ts'
import { addColumn } from './risen-rows.ts'

/**
 * Which record was sealed in place of which, for accounts, memberships and keys. A worker may have several records
 * sealed in place of one row. Once one of them is committed the others are dead, and so are records sealed in place of
 * those.
 */
export interface SealedRecords {
  /**
   * Notes a record that is about to be sealed in place of `previous`; undefined for the first of its subject.
   * @param versionsFrom see `newVersionsFrom`
   * @throws Fault `store.conflict` where another record of this generation was sealed a moment ago, or was committed
   */
  note(record: Buffer, generation: Generation, previous: Replaced | undefined, versionsFrom?: number): void
  /** Notes the first record of a subject, which is dead unless its commit is shown within an hour. */
  noteFirst(record: Buffer, generation: Generation): void
  /** Notes a tombstone, likewise. */
  noteTombstone(record: Buffer, generation: Generation): void
  /** @throws Fault `hsm.outdated` for a tombstone whose commit was not shown within an hour */
  checkTombstone(record: Buffer, generation: Generation): void
  /**
   * The first version of a key that begins with this policy, while its change is under way; undefined where none does:
   * for a policy that was not sealed here, or whose commit was shown or counts as failed.
   * @param policy undefined for the one of this generation that was sealed here
   */
  newVersionsFrom(policy: Buffer | undefined, generation: Generation): number | undefined
  /** @throws Fault `hsm.outdated` for a record that is older than the floor, or dead */
  check(record: Buffer, generation: Generation): void
  /** Whether a commit of the record was shown, if it was sealed here. */
  isSettled(generation: Generation): boolean
  /**
   * The record was committed and is the floor of its subject: what is noted of older ones is deleted. `before` is the
   * previous floor; undefined where there was none.
   */
  settle(record: Buffer, generation: Generation, before: number | undefined): void
  /**
   * The operator accepted older records at this time: those are newest. Forgets everything but what may be under way. To
   * be called before the floors are forgotten.
   */
  forget(at: number): void
  /** All accepted records were shown: those of other subjects that were known before are dead. */
  noteAllShown(): void
}

interface Replaced {
  readonly record: Buffer
  readonly number: number
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
  /** The generation of the replaced record; negative where another keeper sealed that record. */
  readonly previous: number
  readonly sealed_at: number
  readonly versions_from: number | null
}

/** The generations above a floor, each sealed in place of the next one. */
interface Succession {
  readonly numbers: readonly number[]
  /** The generation where it ends; `elsewhere` at a record that another keeper sealed, `dead` at one that is dead. */
  readonly end: number | 'elsewhere' | 'dead'
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

const isLate = (sealing: Sealing, now: number): boolean => Math.abs(now - sealing.sealed_at) > longestCommitMs

/** The first version that begins with this policy, until the change counts as failed. */
function versionsUnderWay(
  { find }: Pick<Noted['sealings'], 'find'>,
  policy: Buffer | undefined,
  { subject, number }: Generation,
  now: number,
): number | undefined {
  const sealing = find(subject, number)
  if (sealing === undefined || isLate(sealing, now)) return undefined
  const isThis = policy === undefined || sealing.digest.equals(recordDigest(policy))
  return isThis ? (sealing.versions_from ?? undefined) : undefined
}

/** @param recoverers told which records of a subject were committed, where all of them were sealed here */
export function createSealedRecords(
  state: KeeperState,
  floors: Pick<WritableFloors, 'of' | 'isTold' | 'subjects'>,
  { now, elapsed }: Clocks,
  recoverers: Pick<Recoverers, 'keepCommitted'>,
): SealedRecords {
  const sealings = openSealings(state)
  const dead = createDeadRecords(state)
  const firsts = createFirstRecords(state, floors, elapsed)
  const accepted = createAcceptedRestore(state)
  const noted = { sealings, dead, accepted, floors }

  const isShown = ({ subject, number }: Generation): boolean => (floors.of(subject) ?? 0) >= number

  function note(record: Buffer, generation: Generation, previous: Replaced | undefined, versionsFrom?: number): void {
    const { subject, number } = generation
    const digest = recordDigest(record)
    const sealing = sealings.find(subject, number)
    if (sealing?.digest.equals(digest) === true) return
    if (sealing !== undefined) {
      // Records that were sealed in place of the earlier one would pass as successors of the later one.
      const isFree = isLate(sealing, now()) && !isShown(generation) && !sealings.isFollowed(subject, number)
      if (!isFree) throw new Fault('store.conflict')
      dead.add(sealing.digest, generation)
    }
    const before = previous?.number ?? 0
    const isBeforeOwn =
      previous !== undefined && isOwn(sealings, recordDigest(previous.record), { subject, number: before }) === true
    sealings.keep(subject, number, digest, isBeforeOwn ? before : 0 - before, now(), versionsFrom ?? null)
  }

  const buryLate = (): void => firsts.removeLate((late) => dead.add(late.digest, late))

  return {
    note,
    noteFirst(record, generation) {
      note(record, generation, undefined)
      firsts.note(recordDigest(record), generation)
    },
    newVersionsFrom: (policy, generation) =>
      isShown(generation) ? undefined : versionsUnderWay(sealings, policy, generation, now()),
    noteTombstone: (record, generation) => firsts.note(recordDigest(record), generation),
    checkTombstone(record, generation) {
      buryLate()
      if (dead.has(recordDigest(record), generation)) throw outdated()
    },
    check(record, generation) {
      buryLate()
      const floor = floors.of(generation.subject)
      checkFloor(generation, floor)
      if (isDead(noted, record, generation, floor)) throw outdated()
    },
    isSettled: ({ subject, number }) => isShown({ subject, number }) || sealings.find(subject, number) === undefined,
    settle(record, { subject, number }, before = 0) {
      if (floors.of(subject) !== number) return
      const { numbers, end } = successionOf(noted, { subject, number }, before)
      if (before < number && end === before) recoverers.keepCommitted(subject, before, number, numbers)
      const sealing = sealings.find(subject, number)
      if (sealing?.digest.equals(recordDigest(record)) === false) {
        dead.add(sealing.digest, { subject, number })
        sealings.drop(subject, number)
      }
      sealings.prune(subject, number)
      dead.prune(subject, number)
    },
    forget(at) {
      const late = sealings.forget(now() - longestCommitMs)
      accepted.begin(at, [...floors.subjects(), ...late, ...dead.subjects()])
      dead.forget()
    },
    noteAllShown: () => accepted.noteShown((subject) => floors.of(subject) !== undefined),
  }
}

interface Noted {
  readonly sealings: ReturnType<typeof openSealings>
  readonly dead: ReturnType<typeof createDeadRecords>
}

/** Whether this is the record of its generation that was sealed here; undefined where none was. */
const isOwn = ({ find }: Noted['sealings'], digest: Buffer, { subject, number }: Generation): boolean | undefined =>
  find(subject, number)?.digest.equals(digest)

/**
 * A different record of this generation comes from another machine, unless the one sealed here was committed.
 * @param shown the floor of its subject
 */
function isDead(
  {
    accepted,
    floors,
    ...noted
  }: Noted & { readonly accepted: AcceptedRestore; readonly floors: Pick<WritableFloors, 'isTold'> },
  record: Buffer,
  generation: Generation,
  shown: number | undefined,
): boolean {
  const { subject, number } = generation
  const digest = recordDigest(record)
  if (noted.dead.has(digest, generation)) return true
  if (shown === undefined && accepted.isLost(subject)) return true
  const floor = shown ?? 0
  const isSealedHere = isOwn(noted.sealings, digest, generation)
  const isEarlier = shown !== undefined && number > floor && accepted.precedes(number)
  if (isEarlier) return isSealedHere !== true || successionOf(noted, generation, floor).end !== floor
  if (isSealedHere === undefined) return false
  if (!isSealedHere) return number === floor && !floors.isTold(subject)
  const { end } = successionOf(noted, generation, floor)
  return end !== 'elsewhere' && end !== floor
}

function successionOf({ sealings, dead }: Noted, { subject, number: first }: Generation, floor: number): Succession {
  const numbers: number[] = []
  let number = first
  let isFromHere = false
  while (number > floor && numbers.length < longestSuccession) {
    numbers.push(number)
    const sealing = sealings.find(subject, number)
    if (sealing !== undefined && dead.has(sealing.digest, { subject, number })) return { numbers, end: 'dead' }
    if (sealing === undefined || -sealing.previous > floor) return { numbers, end: 'elsewhere' }
    number = Math.abs(sealing.previous)
    isFromHere = sealing.previous > 0
  }
  // The record of the floor may be another machine's, which was committed in place of the one that was sealed here.
  const isDead = isFromHere && sealings.find(subject, number) === undefined && dead.hasAny(subject, number)
  return { numbers, end: isDead ? 'dead' : number }
}

function openSealings(state: KeeperState) {
  state.exec(
    `CREATE TABLE IF NOT EXISTS sealed_records (subject BLOB NOT NULL, number INTEGER NOT NULL, digest BLOB NOT NULL,
     previous INTEGER NOT NULL, sealed_at INTEGER NOT NULL, PRIMARY KEY (subject, number)) STRICT, WITHOUT ROWID`,
  )
  addColumn(state, 'sealed_records', 'versions_from', 'INTEGER')
  const keep = state.prepare(
    `INSERT OR REPLACE INTO sealed_records (subject, number, digest, previous, sealed_at, versions_from)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const find = state.prepare<[Buffer, number], Sealing>(
    'SELECT digest, previous, sealed_at, versions_from FROM sealed_records WHERE subject = ? AND number = ?',
  )
  const drop = state.prepare('DELETE FROM sealed_records WHERE subject = ? AND number = ?')
  const follows = state.prepare('SELECT 1 FROM sealed_records WHERE subject = ? AND previous = ? LIMIT 1')
  const prune = state.prepare('DELETE FROM sealed_records WHERE subject = ? AND number < ?')
  const forget = state
    .prepare<[number], Buffer>('DELETE FROM sealed_records WHERE sealed_at < ? RETURNING subject')
    .pluck()
  return {
    keep: (
      subject: Buffer,
      number: number,
      digest: Buffer,
      previous: number,
      sealedAt: number,
      versionsFrom: number | null,
    ) => void keep.run(subject, number, digest, previous, sealedAt, versionsFrom),
    find: (subject: Buffer, number: number) => find.get(subject, number),
    /** Whether another record was sealed in place of it. */
    isFollowed: (subject: Buffer, number: number) => follows.get(subject, number) !== undefined,
    drop: (subject: Buffer, number: number) => void drop.run(subject, number),
    /** Deletes the generations below `number`. */
    prune: (subject: Buffer, number: number) => void prune.run(subject, number),
    /** Deletes those that were sealed before this time, and returns their subjects. */
    forget: (before: number) => forget.all(before),
  }
}
