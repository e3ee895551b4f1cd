import { readFile, rename, writeFile } from 'node:fs/promises'
import type { z } from 'zod'

/** Reads a small JSON file; undefined if it is missing or damaged. */
export async function readState<T>(path: string, shape: z.ZodType<T>): Promise<T | undefined> {
  try {
    return shape.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return undefined
  }
}

/** Replaces the file as a whole, without a flush: after a power cut the state before may be there again. */
export async function writeState(path: string, state: unknown): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(state), { mode: 0o600 })
  await rename(`${path}.new`, path)
}
