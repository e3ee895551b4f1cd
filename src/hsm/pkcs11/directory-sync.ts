import { closeSync, fsyncSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** File systems keep times coarsely, down to two seconds. */
const clockGrainMs = 2_000

/**
 * Writes to the disk what a software token changed in its folder since `sinceMs` (epoch): SoftHSM2 never calls fsync,
 * and a vault key that a power cut takes away takes the vault's data with it.
 */
function syncRecentFiles(directory: string, sinceMs: number): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) syncRecentFiles(path, sinceMs)
    else if (entry.isFile() && isRecent(path, sinceMs)) syncPath(path)
  }
  if (isRecent(directory, sinceMs)) syncPath(directory)
}

/** Runs `work`, which makes or destroys objects of the token, and has the change on the disk when it returns. */
export function withDirectorySync<T>(tokenDirectory: string | undefined, work: () => T): T {
  const sinceMs = Date.now()
  const result = work()
  if (tokenDirectory !== undefined) syncRecentFiles(tokenDirectory, sinceMs)
  return result
}

function isRecent(path: string, sinceMs: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat !== undefined && stat.mtimeMs >= sinceMs - clockGrainMs
}

/** A file, or the names in a folder. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
