import { randomInt } from 'node:crypto'
import { Fault } from '../fault.ts'
import { encodeRecord } from './key-record.ts'
import type { OpenedRecord } from './record-layouts.ts'

/** Which of the records of one thing this is: each change of the thing makes a later one. */
export interface Generation {
  /** Tells the thing from all others. */
  readonly subject: Buffer
  /** The first record of a thing has 1. */
  readonly number: number
  /** Whether the number is a count, which may grow by more than one. */
  readonly isCount?: boolean
}

/**
 * Of the record that takes the place of one of this number: the clock, in microseconds since 1970, where that is more. So
 * whatever was sealed before a change, and is in no row, is older than the change.
 */
export const nextGeneration = (before: number): number =>
  Math.max(before + randomInt(1, longestStep + 1), clockNumber() - randomInt(momentMicroseconds))

/** Whether a record may have this number after one of that: no number is sealed before its time. */
export const isNextGeneration = (number: number, before: number): boolean =>
  number > before && number <= Math.max(before + longestStep, clockNumber())

// Of two changes that are sealed in one moment, of which one may come to nothing, each has a number of its own.
const momentMicroseconds = 1_000
/** Where the clock is behind: far less than the time that a seal takes, so that no row of them runs ahead of it. */
const longestStep = 16

const clockNumber = (): number => Date.now() * 1000

/** Of a tombstone: nothing comes after it. */
const lastGeneration = Number.MAX_SAFE_INTEGER

/** Undefined for a record that has none. */
export function generationOf({ type, fields, key }: OpenedRecord): Generation | undefined {
  switch (type) {
    case 'deleted vault':
      return { subject: vaultSubject(fields.vault), number: lastGeneration }
    case 'destroyed key':
      return { subject: encodeRecord(['transparent key 2', fields.identity]), number: lastGeneration }
    case 'user':
    case 'service account':
      return { subject: encodeRecord(['user', fields.identity]), number: fields.generation }
    case 'application key':
    case 'one-time link':
      return { subject: encodeRecord([type, fields.identity]), number: fields.generation }
    // Revoked or not: of what else it says nothing changes.
    case 'validation client':
      return key && { subject: encodeRecord([type, key.blob]), number: fields.revokedAt === null ? 1 : 2 }
    case 'membership':
    case 'scoped membership':
      return { subject: encodeRecord(['membership', fields.vault, fields.user]), number: fields.generation }
    case 'transparent key 2':
      return { subject: encodeRecord([type, fields.identity]), number: fields.generation }
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

/** How far the versions of a key were trimmed, which only grows; undefined where a record does not say that any was. */
export function trimmedTo({ type, fields }: OpenedRecord): Generation | undefined {
  if (type !== 'transparent key 2' || fields.oldestVersion === 1) return undefined
  return { subject: encodeRecord(['oldest version', fields.identity]), number: fields.oldestVersion }
}

/** Whether records of these types may be of one thing, so that either follows the other. */
export const followEachOther = (one: OpenedRecord['type'], other: OpenedRecord['type']): boolean =>
  one === other || (isMembership(one) && isMembership(other))

const isMembership = (type: OpenedRecord['type']): type is 'membership' | 'scoped membership' =>
  type === 'membership' || type === 'scoped membership'

/** Any generation of the vault that a record is in, so that what is in a deleted vault is older than its end. */
export function vaultGenerationOf({ type, fields }: OpenedRecord): Generation | undefined {
  if (type === 'deleted vault' || !('vault' in fields) || !Buffer.isBuffer(fields.vault)) return undefined
  return { subject: vaultSubject(fields.vault), number: 1 }
}

/** The tombstones of vaults lie side by side in the file of the floors. */
export const vaultSubjects = encodeRecord(['vault'])
const vaultSubject = (vault: Buffer): Buffer => Buffer.concat([vaultSubjects, encodeRecord([vault])])
export const vaultOfSubject = (subject: Buffer): Buffer =>
  subject.subarray(vaultSubjects.length + encodeRecord([Buffer.alloc(0)]).length)

/** Refuses records that are older than what the keeper of this machine was shown. */
export interface FloorCheck {
  /** @throws Fault `hsm.outdated`, also for what is in a deleted vault */
  check(...records: readonly OpenedRecord[]): void
  /**
   * Whether the keeper was shown this record, or a later one of the same thing, and of a trimmed key one that was newest and
   * trimmed as far; of one without generations true.
   */
  knows(record: OpenedRecord): boolean
  /** The vaults that were deleted since the last call; at the first, all. */
  newlyDeleted(): readonly Buffer[]
  close(): void
}

/** @throws Fault `hsm.outdated` for a generation below the floor */
export function checkFloor({ number }: Generation, floor: number | undefined): void {
  if (number < (floor ?? 0)) throw outdated()
}

export const outdated = (): Fault =>
  new Fault(
    'hsm.outdated',
    'The database holds an older state than this appliance has seen: if the operator has restored a backup, strongroom database accept-restored; if not, suspect an attacker.',
  )
