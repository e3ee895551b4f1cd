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
        subject: encodeRecord([type, fields.identity, fields.version]),
        number: fields.invocations,
        isCount: true,
      }
    default:
      return undefined
  }
}
