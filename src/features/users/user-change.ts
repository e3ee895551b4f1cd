import {
  capabilityBits,
  capabilitiesOf,
  mayAdminister,
  mayLogIn,
  type Capabilities,
} from '../../access/capabilities.ts'
import { operatorId } from '../../access/confirmation.ts'
import { Fault } from '../../fault.ts'
import type { Tx } from '../../store/store.ts'
import { findUserById, hasOtherAdministrator, holdUsers, lockedUser, type User } from './records.ts'
import type { Sealer } from './sealed-change.ts'
import { checkCapabilities, checkNameFree, checkOwnChange } from './user-fields.ts'
import { changeUser } from './user-seals.ts'

/** Undefined members leave their fields unchanged. */
export interface UserChanges {
  readonly username?: string | undefined
  readonly fullname?: string | undefined
  readonly email?: string | undefined
  /** Makes the new bitmap from the one at the time of the change. */
  readonly capabilities?: ((current: Capabilities) => Capabilities) | undefined
  /** Public ids of hardware tokens that the user gets. None is removed: see `Devices.release`. */
  readonly otpPrefixes?: readonly string[] | undefined
}

/** For `UserChanges.capabilities`: removes the capability to log in. */
export const deactivated = (current: Capabilities): Capabilities => current & ~(1 << capabilityBits.active)
/** For `UserChanges.capabilities`: gives the capability to log in. */
export const activated = (current: Capabilities): Capabilities => current | capabilitiesOf(['active'])

/** Gives users second factors, within the transaction that changes the user. `by` is who gives them. */
export interface SecondFactors {
  /**
   * Gives a user the hardware token that made this OTP, if it is registered and has no holder. The OTP is used up.
   * @throws Fault `otp.device_invalid`
   */
  adoptByOtp(tx: Tx, userId: number, otp: string, by: number): Promise<void>
  /**
   * Gives a user the hardware token with this public id, if it is registered and has no holder. Its counter is kept.
   * Nothing changes where the user holds it already.
   * @throws Fault `otp.device_not_found`, `otp.device_exists`, `otp.device_limit`
   */
  assignByPrefix(tx: Tx, userId: number, publicId: string, by: number): Promise<void>
  /** Makes a seed in the token. The otpauth URI is shown once and stored nowhere. */
  enrolTotp(tx: Tx, user: { readonly id: number; readonly username: string }, by: number): Promise<string>
}

/** One change of one user, inside its transaction; see `Users.change`. */
export async function applyChange(
  tx: Tx,
  {
    hsm,
    secondFactors,
    endSessions,
  }: {
    readonly hsm: Sealer
    readonly secondFactors: SecondFactors
    readonly endSessions: (tx: Tx, userId: number) => Promise<unknown>
  },
  id: number,
  { username, fullname, email, capabilities, otpPrefixes = [] }: UserChanges,
  actorId: number | undefined,
): Promise<User> {
  await holdUsers(tx)
  if (actorId !== undefined) await checkActor(tx, actorId)
  const user = await lockedUser(tx, id)
  const next = capabilities?.(user.capabilities) ?? user.capabilities
  await checkCapabilityChange(tx, user, next, actorId === id)
  if (username !== undefined) await checkNameFree(tx, username, id)
  const changed = await changeUser(hsm, tx, user, {
    username: username ?? user.username,
    fullname: fullname ?? user.fullname,
    email: email ?? user.email,
    capabilities: next,
  })
  // All sessions: one that is not used while the user is disabled would otherwise become valid again.
  if (!mayLogIn(next)) await endSessions(tx, id)
  for (const prefix of otpPrefixes) await secondFactors.assignByPrefix(tx, id, prefix, actorId ?? operatorId)
  return changed
}

/** Reads the actor's capabilities within the transaction, since two administrators may be disabling each other. */
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
