import { closeSync, constants, fchownSync, fstatSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { asOwnerOf } from '../../folder-owner.ts'

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
    if (process.geteuid?.() === 0 && fstatSync(descriptor).nlink === 1) fchownSync(descriptor, uid, gid)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Opens a database in such a file, and begins with these statements, which have to leave it locked for good or with a log (WAL).
 * Root does both as the owner of the folder: SQLite follows a link that the owner lays in the meantime, and removes the file
 * that a journal of his names, which it reads before the first statement and then no more.
 */
export function openPrivate(path: string, begin: string, options?: Database.Options): Database.Database {
  return asOwnerOf(path, () => {
    makePrivate(path)
    const database = new Database(path, options)
    try {
      database.exec(begin)
    } catch (error) {
      database.close()
      throw error
    }
    return database
  })
}
