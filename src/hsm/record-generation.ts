import { Fault } from '../fault.ts'
import { encodeRecord } from './key-record.ts'
import type { OpenedRecord } from './record-layouts.ts'

/** Which of the records of one thing this is: each change of the thing makes the next. */
export interface Generation {
  /** Tells the thing from all others. */
  readonly subject: Buffer
  /** The first record of a thing has 1. */
  readonly number: number
  /** Whether the number is a count, which may grow by more than one. */
  readonly isCount?: boolean
}

/** Undefined for a record that has none. */
export function generationOf({ type, fields }: OpenedRecord): Generation | undefined {
  switch (type) {
    case 'user':
    case 'application key':
      return { subject: encodeRecord([type, fields.identity]), number: fields.generation }
    case 'membership':
      return { subject: encodeRecord([type, fields.vault, fields.user]), number: fields.generation }
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

/** Refuses records that are older than what the keeper of this machine was shown. */
export interface FloorCheck {
  /** @throws Fault `hsm.outdated` */
  check(...records: readonly OpenedRecord[]): void
  close(): void
}

/** @throws Fault `hsm.outdated` for a generation below the floor */
export function checkFloor({ number }: Generation, floor: number | undefined): void {
  if (number < (floor ?? 0))
    throw new Fault(
      'hsm.outdated',
      'The database holds an older state than this appliance has seen: if the operator has restored a backup, strongroom database accept-restored; else somebody put it back.',
    )
}
