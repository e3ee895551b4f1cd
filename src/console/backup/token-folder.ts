import { readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { entryFolders } from './appliance-places.ts'
import type { TarEntry } from '../../backup/tar.ts'
import { errorCodeOf } from '../../fault.ts'
import { fileOf } from '../../backup/backup-writer.ts'
import { diskEntry, filesBelow } from './file-entries.ts'

/** SoftHSM2 writes an object within about a millisecond. A file that has not changed for this long is complete. */
const restMs = 200
const mostTries = 50

/**
 * The files of a software token that are not in `taken` yet. Objects are created and destroyed meanwhile. So the token
 * is copied before the database and again after it (`isLast`): one of the copies has each key that the database names.
 */
export async function* tokenEntries(folder: string, taken: Set<string>, isLast: boolean): AsyncGenerator<TarEntry> {
  for (const name of listed(folder)) {
    if (taken.has(name)) continue
    const path = join(folder, name)
    const entry = isLast ? await resting(name, path) : youngLeft(name, path)
    if (entry === undefined) continue
    taken.add(name)
    yield entry
  }
}

/** All files but SoftHSM2's locks, which are empty, and the files of the keeper and of token hosts. */
const listed = (folder: string): string[] =>
  filesBelow(folder).filter((name) => !/\.lock$|^(?:keeper|floors|refused-pins)\.sqlite/.test(basename(name)))

/** Leaves a file that is being written to the second copy. */
function youngLeft(name: string, path: string): TarEntry | undefined {
  return isResting(path) === true ? wholeEntry(name, path) : undefined
}

async function resting(name: string, path: string): Promise<TarEntry | undefined> {
  for (let tries = 0; tries < mostTries && isResting(path) === false; tries++) await sleep(restMs / 4)
  return wholeEntry(name, path)
}

/** Whether the file has not changed recently; undefined if it is gone. */
function isResting(path: string): boolean | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat && stat.size > 0 && Math.abs(Date.now() - stat.mtimeMs) > restMs
}

/** Reads the file at once, so that its later removal does no harm; undefined if it is already gone. */
function wholeEntry(name: string, path: string): TarEntry | undefined {
  try {
    const { mode, owner, group, modifiedAt } = diskEntry(name, path)
    return { ...fileOf(`${entryFolders.token}/${name}`, readFileSync(path)), mode, owner, group, modifiedAt }
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
