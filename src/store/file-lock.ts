import { accessSync, closeSync, constants, fchownSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { errorCodeOf } from '../fault.ts'
import { asOwnerOf, ownerOf } from '../folder-owner.ts'

export interface FileLock {
  /** A second call has no effect. */
  release(): void
}

/** A database that the garbage collector takes is closed, which would end its lock. */
const held = new Set<Database.Database>()

/**
 * Locks a file, which is made if it is missing and stays when the lock is released. Undefined while the file is locked.
 * SQLite's locks are the kernel's (fcntl(2)): they end with their process, hold between containers that share the
 * folder, whose process numbers say nothing to each other, and are not copied with the file. No process may open the
 * file in another way: with the first descriptor of it that a process closes, it loses its lock.
 */
export function tryFileLock(path: string): FileLock | undefined {
  return asOwnerOf(path, () => {
    makeEmpty(path)
    // SQLite would only say that it cannot open the file.
    accessSync(path, constants.W_OK)
    const database = new Database(path, { fileMustExist: true, timeout: 0 })
    try {
      // So nothing is written: a lock needs no room on a disk that is full, and leaves no journal behind.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE')
    } catch (error) {
      database.close()
      if (errorCodeOf(error) === 'SQLITE_BUSY') return undefined
      throw error
    }
    held.add(database)
    return { release: () => void (held.delete(database) && database.close()) }
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
