import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { operatorName } from '../config/environment.ts'
import { errorCodeOf } from '../fault.ts'

/** Why a file or folder cannot be seen, and what to do about it. */
export interface Absence {
  readonly detail: string
  readonly remedy: string
}

/**
 * Undefined where it is there. What lies in a folder that does not let this user in looks as if it were not there, and
 * is not to be made again.
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

/** The lowest folder above that can be seen: this user may not look into it. */
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
