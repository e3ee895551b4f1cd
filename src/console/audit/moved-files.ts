import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { archivesFile } from '../../audit/archive/archived-files.ts'
import { listSegments } from '../../audit/segment.ts'
import { errorCodeOf } from '../../fault.ts'

const mostTries = 5

/**
 * Verifies trails, and repeats that if files were archived meanwhile, because the verification may then have missed
 * them. `verify` must read all that it needs itself.
 */
export async function despiteArchiving<Found extends { readonly sound: boolean }>(
  directories: readonly string[],
  verify: () => Promise<Found>,
): Promise<Found> {
  for (let tries = 1; ; tries += 1) {
    const before = await startsOf(directories)
    const isFinal = async () => tries === mostTries || (await startsOf(directories)) === before
    try {
      const found = await verify()
      if (found.sound || (await isFinal())) return found
    } catch (error) {
      if (errorCodeOf(error) !== 'ENOENT' || (await isFinal())) throw error
    }
  }
}

/**
 * The first files of all chains in these folders, and the size of the list of archives: they differ after an archiving.
 */
async function startsOf(directories: readonly string[]): Promise<string> {
  const starts = directories.map(async (directory) => [
    [...(await listSegments(directory))].map(([chain, segments]) => [chain, segments[0]?.number]),
    await stat(join(directory, archivesFile)).then(
      ({ size }) => size,
      () => 0,
    ),
  ])
  return JSON.stringify(await Promise.all(starts))
}
