import type Database from 'better-sqlite3'
import { errorCodeOf } from '../../fault.ts'
import { openPrivate } from '../server/private-file.ts'

/** The keeper's own database, for what must survive a restart. Changes are on the disk before the keeper answers. */
export type KeeperState = Database.Database

/** Opens or creates the file. @throws Error while another process has it open */
export function openKeeperState(path: string): KeeperState {
  try {
    return openPrivate(path, 'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  } catch (cause) {
    if (errorCodeOf(cause) !== 'SQLITE_BUSY') throw cause
    const message = `Another process has ${path} open (hsm.keeper.state): end the other keeper, or the program that reads the file.`
    throw new Error(message, { cause })
  }
}
