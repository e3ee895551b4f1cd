import { allCapabilities, capabilityBits, holds, raisesOwn, type Capabilities } from '../../access/capabilities.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Tx } from '../../store/store.ts'
import { findByUsername } from './records.ts'

/** Spec: Limits. Lengths are counted in Unicode code points. */
export const fieldLimits = { username: [5, 32], fullname: [5, 64], email: [5, 128] } as const
/** The name of a machine (`admin@localhost`) and letters beyond ASCII are good, unlike in the format `email` of JSON Schema. */
export const emailForm = /^[^@\s]+@[^@\s]+$/
type LimitedField = keyof typeof fieldLimits

export type UserFields = { readonly [field in LimitedField]?: string | undefined }

/**
 * Removes the blanks around a full name, which are invisible. Control characters there are left for `checkFields` to
 * refuse.
 */
export function withTrimmedName<Fields extends UserFields>(fields: Fields): Fields {
  const { fullname } = fields
  return fullname === undefined || controls.test(fullname) ? fields : { ...fields, fullname: fullname.trim() }
}

const controls = /\p{Cc}/u

/** Checks the fields that are given. @throws Fault `user.invalid`, whose detail names the field */
export function checkFields(fields: UserFields): void {
  const { username, fullname, email } = fields
  for (const [field, value] of Object.entries({ username, fullname, email })) checkText(field, value)
  for (const field of ['username', 'fullname', 'email'] as const) checkLength(field, fields[field])
  if (username !== undefined && !/^[-\w.@]+$/.test(username))
    throw new Fault('user.invalid', 'username may hold letters, digits and - _ . @ only.')
  if (email !== undefined && !emailForm.test(email)) throw new Fault('user.invalid', 'email must be an e-mail address.')
}

function checkLength(field: LimitedField, value: string | undefined): void {
  if (value === undefined) return
  const [least, most] = fieldLimits[field]
  const { length } = Array.from(value)
  if (length < least || length > most)
    throw new Fault('user.invalid', `${field} must have ${least} to ${most} characters.`)
}

function checkText(field: string, value: string | undefined): void {
  if (value !== undefined && (controls.test(value) || value !== value.trim()))
    throw new Fault('user.invalid', `${field} must not begin or end with a blank or hold control characters.`)
}

/**
 * Whether a bitmap is allowed at all. An escrow account is opened in an emergency by others, so it must not be able to
 * appoint them.
 * @throws Fault `user.invalid`
 */
export function checkCapabilities(capabilities: Capabilities): void {
  if ((capabilities & ~allCapabilities) !== 0 || capabilities < 0)
    throw new Fault('user.invalid', `status may hold these bits only: ${Object.values(capabilityBits).join(', ')}.`)
  if (holds(capabilities, 'escrow') && holds(capabilities, 'admin'))
    throw new Fault('user.invalid', 'status: an escrow account (bit 4) cannot be an administrator (bit 2).')
}

/** @throws Fault `user.invalid` for users who would give themselves capabilities */
export function checkOwnChange(current: Capabilities, next: Capabilities): void {
  if (raisesOwn(current, next))
    throw new Fault(
      'user.invalid',
      'status: of your own capabilities you can only give up some; ask another administrator.',
    )
}

/** @throws Fault `user.exists` when another user than `exceptId` has the name */
export async function checkNameFree(tx: Tx, username: string, exceptId?: number): Promise<void> {
  const holder = await findByUsername(tx, username)
  if (holder !== null && holder.id !== exceptId) throw taken(username)
}

/** Turns a violated unique index into `user.exists`: of two calls that take one name at the same time, one succeeds. */
export async function unlessTaken<T>(username: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw username !== undefined && isFault(error, 'store.conflict') ? taken(username) : error
  }
}

function taken(username: string): Fault {
  return new Fault('user.exists', `The user name ${username} is taken: choose another.`)
}
