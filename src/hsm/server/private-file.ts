import { closeSync, constants, fchownSync, fstatSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a file that its owner alone may use, where there is none: SQLite gives its journals the same mode. What an
 * administrator's command makes as root belongs to the owner of the folder, as whom keeper and token hosts run.
 * An attacker who is that user must not be given another file by a link that he has laid there.
 */
export function makePrivate(path: string): void {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
  const descriptor = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
  try {
    const { uid, gid } = statSync(dirname(path))
    if (process.getuid?.() === 0 && fstatSync(descriptor).nlink === 1) fchownSync(descriptor, uid, gid)
  } finally {
    closeSync(descriptor)
  }
}
