import { closeSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'

/** What the keeper must not forget, in a file of its own: it is on the disk before the keeper answers. */
export type KeeperState = Database.Database

/** Opens the file, and makes it where there is none. Throws while another keeper has it open. */
export function openKeeperState(path: string): KeeperState {
  makePrivate(path)
  const state = new Database(path)
  state.exec('PRAGMA locking_mode = EXCLUSIVE')
  state.exec('PRAGMA journal_mode = WAL')
  state.exec('PRAGMA synchronous = FULL')
  return state
}

/** Makes a file that its owner alone may use, where there is none: SQLite gives its journals the same mode. */
export function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
}
