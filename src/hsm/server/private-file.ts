import { closeSync, constants, fchownSync, fstatSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { asOwnerOf } from '../../folder-owner.ts'

/**
 * Creates a file that only its owner may use, where there is none. SQLite gives its journals the same mode. When root
 * runs an administrator's command, the file is given to the owner of the folder, as whom keeper and token hosts run. An
 * attacker who is that user must not be given another file through a link that he placed there.
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
 * Opens a database in such a file and executes `begin`, which must leave it locked for good or in WAL mode. Root does
 * both with the rights of the folder's owner. Otherwise that user could make root follow his link, or delete the file
 * that his journal names: SQLite reads a journal before the first statement, and in these modes never again.
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
