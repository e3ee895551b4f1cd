import { closeSync, fsyncSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Resolution of file times: some file systems store them in steps of two seconds. */
const clockGrainMs = 2_000

/**
 * Syncs to the disk the files in the folder of a software token that changed since `sinceMs` (epoch). SoftHSM2 never
 * calls fsync, and a power failure that loses the key of a vault would lose the vault's data.
 */
function syncRecentFiles(directory: string, sinceMs: number): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) syncRecentFiles(path, sinceMs)
    else if (entry.isFile() && isRecent(path, sinceMs)) syncPath(path)
  }
  if (isRecent(directory, sinceMs)) syncPath(directory)
}

/** Runs `work`, which makes or destroys objects in the token. The change is on the disk when this returns. */
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

/** Syncs a file, or the entries of a folder. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
