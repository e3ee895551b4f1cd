import type { SealedRecord } from './sealed-record.ts'

/** The last batch of each machine that the database holds: by the machine, in hexadecimal. */
export type FloorHeads = Readonly<Record<string, number>>

/** How the keeper of this machine stands with those of others. */
export interface FloorStanding {
  /** Its own name among them, drawn at random. */
  readonly machine: string
  /** The last batch that it has taken in of each other machine. */
  readonly known: FloorHeads
  readonly others: readonly { readonly name: string; readonly toldAt: number }[]
  /** Batches of this machine below this number are needed no more. */
  readonly prune: number
  /** What was found wrong with batches since the operator last accepted a restored database. */
  readonly faults: readonly string[]
}

export interface FloorNews extends FloorStanding {
  /** The batch to store, where there is one. */
  readonly batch: { readonly number: number; readonly sealed: SealedRecord } | undefined
}
