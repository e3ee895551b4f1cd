import { encodeRecord } from './key-record.ts'
import type { OpenedRecord } from './record-layouts.ts'

/** Which of the records of one thing this is: each change of the thing makes the next. */
export interface Generation {
  /** Tells the thing from all others. */
  readonly subject: Buffer
  /** The first record of a thing has 1. */
  readonly number: number
}

/** Undefined for a record that has none. */
export function generationOf({ type, fields }: OpenedRecord): Generation | undefined {
  switch (type) {
    case 'user':
    case 'application key':
      return { subject: encodeRecord([type, fields.identity]), number: fields.generation }
    case 'membership':
      return { subject: encodeRecord([type, fields.vault, fields.user]), number: fields.generation }
    default:
      return undefined
  }
}
