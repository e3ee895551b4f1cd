import { join } from 'node:path'
import { z } from 'zod'
import { readState, writeState } from '../state-file.ts'
import type { ReadPoints } from './witness/head-reader.ts'

/** How far a receiver outside the machine has the trail, and since when sending fails. */
export interface DeliveryState {
  readonly points: ReadPoints
  /** The time of the last success, in milliseconds since the Unix epoch; 0 if there was none. */
  readonly sentAt: number
  readonly failing?: { readonly since: number; readonly reason: string } | undefined
}

/** A receiver outside the machine: a witness of heads, or one of all records. */
export interface Receiver {
  /** A file in the folder of the trail that records how far the receiver has the trail. */
  readonly stateFile: string
  /** Shown in the journal and by `strongroom doctor`. */
  readonly address: string
}

const nothing: DeliveryState = { points: {}, sentAt: 0 }
const wholeNumber = z.number().int().min(0)
const shape = z.object({
  address: z.string(),
  points: z.record(z.string(), z.object({ segment: wholeNumber, bytes: wholeNumber })),
  sentAt: wholeNumber,
  failing: z.object({ since: wholeNumber, reason: z.string() }).optional(),
})

const fileOf = (directory: string, { stateFile }: Receiver): string => join(directory, stateFile)

/**
 * Reads the state; empty if the file is missing, is damaged, or is about a receiver at another address. What was
 * sent is then sent again.
 */
export async function readDeliveryState(directory: string, receiver: Receiver): Promise<DeliveryState> {
  const { address, ...state } = (await readState(fileOf(directory, receiver), shape)) ?? { ...nothing, address: '' }
  return address === receiver.address ? state : nothing
}

/** Writes the state. If a power cut loses it, what was sent is sent again. */
export async function writeDeliveryState(directory: string, receiver: Receiver, state: DeliveryState): Promise<void> {
  await writeState(fileOf(directory, receiver), { address: receiver.address, ...state })
}
