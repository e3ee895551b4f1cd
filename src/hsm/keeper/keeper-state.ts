import type Database from 'better-sqlite3'
import { openPrivate } from '../server/private-file.ts'

/** What the keeper must not forget, in a file of its own: it is on the disk before the keeper answers. */
export type KeeperState = Database.Database

/** Opens the file, and makes it where there is none. Throws while another keeper has it open. */
export function openKeeperState(path: string): KeeperState {
  return openPrivate(path, 'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
}
