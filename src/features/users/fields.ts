import { Fault } from '../../fault.ts'

/** Spec: Limits. Lengths are counted in Unicode code points. */
const fieldLimits = { username: [5, 32], fullname: [5, 64], email: [5, 128] } as const
type LimitedField = keyof typeof fieldLimits

export type UserFields = { readonly [field in LimitedField]?: string | undefined }

/**
 * Checks those fields that are given.
 * @throws Fault `user.invalid`, whose detail names the field
 */
export function checkFields(fields: UserFields): void {
  const { username, fullname, email } = fields
  for (const [field, value] of Object.entries({ username, fullname, email })) checkText(field, value)
  for (const field of ['username', 'fullname', 'email'] as const) checkLength(field, fields[field])
  if (username !== undefined && !/^[-\w.@]+$/.test(username))
    throw new Fault('user.invalid', 'username may hold letters, digits and - _ . @ only.')
  if (email !== undefined && !/^[^@\s]+@[^@\s]+$/.test(email))
    throw new Fault('user.invalid', 'email must be an e-mail address.')
}

function checkLength(field: LimitedField, value: string | undefined): void {
  if (value === undefined) return
  const [least, most] = fieldLimits[field]
  const { length } = Array.from(value)
  if (length < least || length > most)
    throw new Fault('user.invalid', `${field} must have ${least} to ${most} characters.`)
}

function checkText(field: string, value: string | undefined): void {
  if (value !== undefined && (/\p{Cc}/u.test(value) || value !== value.trim()))
    throw new Fault('user.invalid', `${field} must not begin or end with a blank or hold control characters.`)
}
