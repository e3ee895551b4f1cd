import type { SealedRecord } from './sealed-record.ts'

/** The id of a machine. */
export const machineForm = /^[0-9a-f]{32}$/

/** The number of the last batch of each machine in the database, by the machine's id in hexadecimal. */
export type FloorHeads = Readonly<Record<string, number>>

/** The state of this machine's keeper in the exchange with others. */
export interface FloorStanding {
  /** Its id, drawn at random. */
  readonly machine: string
  /** The time of the last restored database that was accepted, here or elsewhere: others are forgotten then. */
  readonly epoch: number
  /** The last batch of each other machine that it has taken in. */
  readonly known: FloorHeads
  readonly others: readonly { readonly name: string; readonly toldAt: number }[]
  /** Batches of this machine below this number are not needed any more. */
  readonly prune: number
  /** Faults of batches since the operator last accepted a restored database. */
  readonly faults: readonly string[]
}

export interface FloorNews extends FloorStanding {
  /** The batch to store, if there is one. */
  readonly batch: { readonly number: number; readonly sealed: SealedRecord } | undefined
}
