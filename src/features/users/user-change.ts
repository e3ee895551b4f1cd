import {
  capabilityBits,
  capabilitiesOf,
  mayAdminister,
  mayLogIn,
  type Capabilities,
} from '../../access/capabilities.ts'
import { Fault } from '../../fault.ts'
import type { Tx } from '../../store/store.ts'
import { checkCapabilities, checkOwnChange } from './capability-rules.ts'
import { checkNameFree } from './names.ts'
import { findUserById, hasOtherAdministrator, holdUsers, lockUser, updateUser, type User } from './records.ts'
import type { SecondFactors } from './second-factors.ts'

/** What is undefined stays as it is. */
export interface UserChanges {
  readonly username?: string | undefined
  readonly fullname?: string | undefined
  readonly email?: string | undefined
  /** The new bitmap, made of the one that stands when the change is made. */
  readonly capabilities?: ((current: Capabilities) => Capabilities) | undefined
  /** Public id of a hardware token: taken away where the user holds it, given to him where nobody does. */
  readonly otpPrefix?: string | undefined
}

/** For `UserChanges.capabilities`: takes the capability to log in. */
export const deactivated = (current: Capabilities): Capabilities => current & ~(1 << capabilityBits.active)
/** For `UserChanges.capabilities`: gives it back. */
export const activated = (current: Capabilities): Capabilities => current | capabilitiesOf(['active'])

export interface ChangeDependencies {
  readonly secondFactors: SecondFactors
  /** Ends all sessions of a user. */
  readonly endSessions: (tx: Tx, userId: number) => Promise<unknown>
}

/** One change of one user, inside its transaction; see `Users.change`. */
export async function applyChange(
  tx: Tx,
  { secondFactors, endSessions }: ChangeDependencies,
  id: number,
  { username, fullname, email, capabilities, otpPrefix }: UserChanges,
  actorId: number | undefined,
): Promise<User> {
  await holdUsers(tx)
  if (actorId !== undefined) await checkActor(tx, actorId)
  const user = (await lockUser(tx, id)) ? await findUserById(tx, id) : null
  if (user === null) throw new Fault('user.not_found')
  const next = capabilities?.(user.capabilities) ?? user.capabilities
  await checkCapabilityChange(tx, user, next, actorId === id)
  if (username !== undefined) await checkNameFree(tx, username, id)
  const changed = await updateUser(tx, user, {
    username: username ?? user.username,
    fullname: fullname ?? user.fullname,
    email: email ?? user.email,
    capabilities: next,
  })
  // Also those that nobody uses meanwhile: else they would be good again with the user.
  if (!mayLogIn(next)) await endSessions(tx, id)
  if (otpPrefix !== undefined) await secondFactors.togglePrefix(tx, id, otpPrefix)
  return changed
}

/** Permissions are those of the moment: two administrators may be disabling each other. */
async function checkActor(tx: Tx, actorId: number): Promise<void> {
  const actor = await findUserById(tx, actorId)
  if (actor === null || !mayAdminister(actor.capabilities)) throw new Fault('access.capability')
}

async function checkCapabilityChange(tx: Tx, user: User, next: Capabilities, own: boolean): Promise<void> {
  if (next === user.capabilities) return
  checkCapabilities(next)
  if (own) checkOwnChange(user.capabilities, next)
  if (!mayAdminister(user.capabilities) || mayAdminister(next)) return
  if (!(await hasOtherAdministrator(tx, user.id)))
    throw new Fault('user.invalid', `${user.username} is the last active administrator: make another one first.`)
}
