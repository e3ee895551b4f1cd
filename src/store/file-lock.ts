import { accessSync, closeSync, constants, fchownSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { errorCodeOf } from '../fault.ts'
import { asOwnerOf, ownerOf } from '../folder-owner.ts'

export interface FileLock {
  /** A second call has no effect. */
  release(): void
}

/**
 * Locks a file, which is made if it is missing and stays when the lock is released. Undefined while the file is locked.
 * SQLite's locks are the kernel's (fcntl(2)): they end with their process, hold between containers that share the
 * folder, whose process numbers say nothing to each other, and are not copied with the file.
 */
export function tryFileLock(path: string): FileLock | undefined {
  return asOwnerOf(path, () => {
    makeEmpty(path)
    // Unlike SQLite, this says what is wrong. No process may open the file in another way: with the first descriptor of
    // it that a process closes, it loses its lock.
    accessSync(path, constants.W_OK)
    const database = new Database(path, { fileMustExist: true, timeout: 0 })
    try {
      // Writes nothing, so that a lock needs no room on a disk that is full.
      database.exec('BEGIN IMMEDIATE')
      return { release: () => void database.close() }
    } catch (error) {
      database.close()
      if (errorCodeOf(error) === 'SQLITE_BUSY') return undefined
      throw error
    }
  })
}

/** Where root makes the file, it is given to the owner of the folder, whose processes lock it later. */
function makeEmpty(path: string): void {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants
  try {
    const descriptor = openSync(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    const { uid, gid } = ownerOf(dirname(path))
    if (process.geteuid?.() === 0) fchownSync(descriptor, uid, gid)
    closeSync(descriptor)
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error
  }
}
