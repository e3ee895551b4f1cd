import { closeSync, fchownSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a file that its owner alone may use, where there is none: SQLite gives its journals the same mode. What an
 * administrator's command makes as root belongs to the owner of the folder, as whom keeper and token hosts run.
 */
export function makePrivate(path: string): void {
  const descriptor = openSync(path, 'a', 0o600)
  try {
    const { uid, gid } = statSync(dirname(path))
    if (process.getuid?.() === 0) fchownSync(descriptor, uid, gid)
  } finally {
    closeSync(descriptor)
  }
}
