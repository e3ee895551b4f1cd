import { Fault, isFault } from '../../fault.ts'
import type { Tx } from '../../store/store.ts'
import { findByUsername } from './records.ts'

/** @throws Fault `user.exists` when another user than `exceptId` has the name */
export async function checkNameFree(tx: Tx, username: string, exceptId?: number): Promise<void> {
  const holder = await findByUsername(tx, username)
  if (holder !== null && holder.id !== exceptId) throw taken(username)
}

/** Of two that take a name at the same moment, the index lets one through. */
export async function unlessTaken<T>(username: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw username !== undefined && isFault(error, 'store.conflict') ? taken(username) : error
  }
}

function taken(username: string): Fault {
  return new Fault('user.exists', `The user name ${username} is taken.`)
}
