import { readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { entryFolders } from './appliance-places.ts'
import type { TarEntry } from '../../backup/tar.ts'
import { errorCodeOf } from '../../fault.ts'
import { fileOf } from '../../backup/backup-writer.ts'
import { diskEntry, filesBelow } from './file-entries.ts'

/** SoftHSM2 writes an object in some writes of one millisecond or so: a file that rests is whole. */
const restMs = 200
const mostTries = 50

/**
 * The files of a software token that are not in `taken` yet. Objects are made and destroyed meanwhile: the token is copied
 * before the database and again after it, so that all keys which the database names are in one of the copies.
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

/** Without SoftHSM2's locks, which name no other place and hold nothing. */
const listed = (folder: string): string[] =>
  filesBelow(folder).filter((name) => !/\.lock$|^(?:keeper|floors|refused-pins)\.sqlite/.test(basename(name)))

/** One that is being written is left for the second time. */
function youngLeft(name: string, path: string): TarEntry | undefined {
  return isResting(path) === true ? wholeEntry(name, path) : undefined
}

async function resting(name: string, path: string): Promise<TarEntry | undefined> {
  for (let tries = 0; tries < mostTries && isResting(path) === false; tries++) await sleep(restMs / 4)
  return wholeEntry(name, path)
}

/** Undefined for a file that is gone. */
function isResting(path: string): boolean | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat && stat.size > 0 && Math.abs(Date.now() - stat.mtimeMs) > restMs
}

/** Read at once, so that it may go meanwhile; undefined for one that has gone. */
function wholeEntry(name: string, path: string): TarEntry | undefined {
  try {
    const { mode, owner, group, modifiedAt } = diskEntry(name, path)
    return { ...fileOf(`${entryFolders.token}/${name}`, readFileSync(path)), mode, owner, group, modifiedAt }
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
