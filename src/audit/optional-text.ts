import { readFile } from 'node:fs/promises'
import { errorCodeOf } from '../fault.ts'

/** The text of a file; undefined where there is none. */
export async function textIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCodeOf(error) === 'ENOENT') return undefined
    throw error
  })
}
