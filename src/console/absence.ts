import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { operatorName } from '../config/environment.ts'
import { errorCodeOf } from '../fault.ts'

/** The reason why a file or folder cannot be seen, and advice to the operator. */
export interface Absence {
  readonly detail: string
  readonly remedy: string
}

/**
 * Undefined if the file or folder exists. A folder that this user may not enter makes its files look missing: then the
 * advice must not be to create them again.
 */
export function absenceOf(path: string, setting: string): Absence | undefined {
  try {
    statSync(path)
    return undefined
  } catch (error) {
    if (errorCodeOf(error) !== 'EACCES')
      return {
        detail: `${path} does not exist`,
        remedy: `Mount its disk, restore it, or correct ${setting}. On a new appliance run "strongroom init".`,
      }
    const folder = closedFolderAbove(path)
    const owner = ownerOf(folder)
    return {
      detail: `${path} (${setting}) cannot be reached by user ${operatorName()}: ${folder} belongs to ${owner} and is closed to others`,
      remedy: `Run this as root (sudo strongroom …) or as ${owner}.`,
    }
  }
}

/** The nearest folder above that this user can see; its permissions hide `path`. */
function closedFolderAbove(path: string): string {
  const folder = dirname(path)
  try {
    statSync(folder)
    return folder
  } catch {
    return closedFolderAbove(folder)
  }
}

function ownerOf(folder: string): string {
  const { uid } = statSync(folder)
  try {
    return execFileSync('id', ['-nu', String(uid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return `uid ${uid}`
  }
}
