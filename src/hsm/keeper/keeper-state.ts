import type Database from 'better-sqlite3'
import { openPrivate } from '../server/private-file.ts'

/** The keeper's own database, for what must survive a restart. Changes are on the disk before the keeper answers. */
export type KeeperState = Database.Database

/** Opens or creates the file. @throws Error while another keeper has it open */
export function openKeeperState(path: string): KeeperState {
  return openPrivate(path, 'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
}
