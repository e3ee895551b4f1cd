import Database from 'better-sqlite3'
import { makePrivate } from '../server/private-file.ts'

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
