import Database from 'better-sqlite3'

/** What the keeper must not forget, in a file of its own: it is on the disk before the keeper answers. */
export type KeeperState = Database.Database

/** Opens the file, and makes it where there is none. Throws while another keeper has it open. */
export function openKeeperState(path: string): KeeperState {
  const state = new Database(path)
  state.pragma('locking_mode = EXCLUSIVE')
  state.pragma('journal_mode = WAL')
  state.pragma('synchronous = FULL')
  return state
}
