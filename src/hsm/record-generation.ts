import { randomInt } from 'node:crypto'
import { Fault } from '../fault.ts'
import { encodeRecord } from './key-record.ts'
import type { OpenedRecord, RecordType } from './record-layouts.ts'

/** The position of a record among all records of one subject: each change of the subject has a higher number. */
export interface Generation {
  /** Identifies the subject. */
  readonly subject: Buffer
  /** 1 for the first record of a subject. */
  readonly number: number
  /** Whether the number is a count, which may grow by more than one. */
  readonly isCount?: boolean
}

/**
 * The generation that follows `before`: one more, or the clock in microseconds since 1970 if that is higher. So a
 * record that was sealed earlier and never committed is older than a later change.
 */
export const nextGeneration = (before: number): number =>
  Math.max(before + randomInt(1, longestStep + 1), clockNumber() - randomInt(momentMicroseconds))

/** Whether a record may have this generation after `before`. Nothing is sealed with a generation in the future. */
export const isNextGeneration = (number: number, before: number): boolean =>
  number > before && number <= Math.max(before + longestStep, clockNumber())

// Gives two changes that are sealed at the same moment, of which one may fail, different numbers.
const momentMicroseconds = 1_000
/**
 * Allowed step where the clock is behind: far less than the time that sealing takes, so that no series of changes runs
 * ahead of the clock.
 */
const longestStep = 16

/** The highest generation that is sealed at this time, as far as clocks are right. */
export const generationAt = (ms: number): number => ms * 1000

const clockNumber = (): number => generationAt(Date.now())

/** Whether records of this type are tombstones, which are the last of their subject. */
export const isTombstone = (type: RecordType): boolean => type === 'deleted vault' || type === 'destroyed key'

/** Generation of a tombstone: nothing follows it. */
export const lastGeneration = Number.MAX_SAFE_INTEGER

/** Whether a record of this generation was sealed after this time: not so for counts, which are far lower, and tombstones. */
export const isSealedAfter = (number: number, ms: number): boolean =>
  number > generationAt(ms) && number < lastGeneration

/** Undefined for a record without generations. */
export function generationOf({ type, fields, key }: OpenedRecord): Generation | undefined {
  switch (type) {
    case 'deleted vault':
      return { subject: vaultSubject(fields.vault), number: lastGeneration }
    case 'destroyed key':
      return { subject: keySubject(fields.identity), number: lastGeneration }
    case 'user':
    case 'service account':
      return { subject: accountSubject(fields.identity), number: fields.generation }
    case 'application key':
    case 'one-time link':
      return { subject: encodeRecord([type, fields.identity]), number: fields.generation }
    // Revocation is the only change of this record.
    case 'validation client':
      return key && { subject: encodeRecord([type, key.blob]), number: fields.revokedAt === null ? 1 : 2 }
    case 'membership':
    case 'scoped membership':
      return { subject: membershipSubject(fields.vault, fields.user), number: fields.generation }
    case 'transparent key 2':
      return { subject: keySubject(fields.identity), number: fields.generation }
    case 'transparent key version 2':
      return { subject: encodeRecord([type, fields.identity, fields.version]), number: fields.generation }
    case 'invocations 2':
      return {
        subject: encodeRecord([type, fields.identity, fields.vault, fields.version]),
        number: fields.invocations,
        isCount: true,
      }
    default:
      return undefined
  }
}

/** The subject of the records of a user or service account. */
export const accountSubject = (identity: Buffer): Buffer => encodeRecord(['user', identity])
/** The subject of the policy of a named key. */
export const keySubject = (identity: Buffer): Buffer => encodeRecord(['transparent key 2', identity])
export const membershipSubject = (vault: Buffer, user: Buffer): Buffer => encodeRecord(['membership', vault, user])

/** A common prefix, so that these subjects are adjacent in the file of floors. */
export const newestRoots = encodeRecord(['newest root key'])
/** The subject of the newest version of a root key that the operator has had made. */
export const newestRootSubject = (role: string): Buffer => Buffer.concat([newestRoots, encodeRecord([role])])

const beginnings = [encodeRecord(['user']), encodeRecord(['membership'])]

/** Whether this is the subject of an account or a membership. */
export const isSubjectOfPeople = (subject: Buffer): boolean =>
  beginnings.some((beginning) => subject.subarray(0, beginning.length).equals(beginning))

/** The version up to which a key was trimmed, which only grows; undefined for a record without trimmed versions. */
export function trimmedTo({ type, fields }: OpenedRecord): Generation | undefined {
  if (type !== 'transparent key 2' || fields.oldestVersion === 1) return undefined
  return { subject: encodeRecord(['oldest version', fields.identity]), number: fields.oldestVersion }
}

/** Whether records of these types can have the same subject, so that either may follow the other. */
export const followEachOther = (one: OpenedRecord['type'], other: OpenedRecord['type']): boolean =>
  one === other || (isMembership(one) && isMembership(other))

const isMembership = (type: OpenedRecord['type']): type is 'membership' | 'scoped membership' =>
  type === 'membership' || type === 'scoped membership'

/**
 * A generation of the vault that a record belongs to, so that records of a deleted vault are older than its tombstone.
 */
export function vaultGenerationOf({ type, fields }: OpenedRecord): Generation | undefined {
  if (type === 'deleted vault' || !('vault' in fields) || !Buffer.isBuffer(fields.vault)) return undefined
  return { subject: vaultSubject(fields.vault), number: 1 }
}

/** A common prefix, so that the tombstones of vaults are adjacent in the file of floors. */
export const vaultSubjects = encodeRecord(['vault'])
const vaultSubject = (vault: Buffer): Buffer => Buffer.concat([vaultSubjects, encodeRecord([vault])])
export const vaultOfSubject = (subject: Buffer): Buffer =>
  subject.subarray(vaultSubjects.length + encodeRecord([Buffer.alloc(0)]).length)

/** Refuses records that are older than those shown to the keeper of this machine. */
export interface FloorCheck {
  /** @throws Fault `hsm.outdated`, also for records of a deleted vault */
  check(...records: readonly OpenedRecord[]): void
  /**
   * Whether the keeper was shown this record or a later one of the same subject, and for a trimmed key one that was
   * newest and trimmed as far. True for records without generations.
   */
  knows(record: OpenedRecord): boolean
  /** The vaults that were deleted since the last call; at the first call, all. */
  newlyDeleted(): readonly Buffer[]
  /** The newest version of a root key that the operator has had made; undefined where the keeper knows of none. */
  newestRoot(role: string): number | undefined
  close(): void
}

/** @throws Fault `hsm.outdated` for a generation below the floor */
export function checkFloor({ number }: Generation, floor: number | undefined): void {
  if (number < (floor ?? 0)) throw outdated()
}

/** @param found what was found in the database */
export const outdated = (found = 'The database holds an older state than this appliance has seen'): Fault =>
  new Fault(
    'hsm.outdated',
    `${found}: if the operator has restored a backup, strongroom database accept-restored; if not, suspect an attacker.`,
  )
