import { holds } from '../../../access/capabilities.ts'
import type { Caller } from '../../../access/caller.ts'
import { decimalId } from '../../../access/decimal-id.ts'
import { Fault } from '../../../fault.ts'

/**
 * Whose sessions a path is about: the caller's own, or anybody's where the caller is an administrator.
 * @throws Fault `access.capability`, `user.not_found` for what cannot be an id
 */
export function sessionOwner(userid: string, caller: Caller): number {
  const userId = decimalId(userid)
  if (userId === caller.userId) return userId
  if (!holds(caller.capabilities, 'admin')) throw new Fault('access.capability')
  if (userId === undefined) throw new Fault('user.not_found')
  return userId
}
