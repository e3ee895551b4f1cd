import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { ReadPoints } from './head-reader.ts'

/** How far a witness, or a receiver of records, has the trail, and since when sending fails. */
export interface WitnessState {
  readonly points: ReadPoints
  /** The time of the last success, in milliseconds since the Unix epoch; 0 if there was none. */
  readonly sentAt: number
  readonly failing?: { readonly since: number; readonly reason: string } | undefined
}

interface Named {
  /** Its state file, in the folder of the trail. */
  readonly stateFile: string
  readonly address: string
}

const nothing: WitnessState = { points: {}, sentAt: 0 }
const wholeNumber = z.number().int().min(0)
const shape = z.object({
  address: z.string(),
  points: z.record(z.string(), z.object({ segment: wholeNumber, bytes: wholeNumber })),
  sentAt: wholeNumber,
  failing: z.object({ since: wholeNumber, reason: z.string() }).optional(),
})

const fileOf = (directory: string, { stateFile }: Named): string => join(directory, stateFile)

/**
 * Reads the state; empty if the file is missing, is damaged, or is about a witness at another address. Heads are then
 * sent again.
 */
export async function readWitnessState(directory: string, witness: Named): Promise<WitnessState> {
  try {
    const { address, ...state } = shape.parse(JSON.parse(await readFile(fileOf(directory, witness), 'utf8')))
    return address === witness.address ? state : nothing
  } catch {
    return nothing
  }
}

/** Writes the state without a flush: if a power cut loses it, heads are sent again. */
export async function writeWitnessState(directory: string, witness: Named, state: WitnessState): Promise<void> {
  const file = fileOf(directory, witness)
  await writeFile(`${file}.new`, JSON.stringify({ address: witness.address, ...state }), { mode: 0o600 })
  await rename(`${file}.new`, file)
}
