import { Fault } from '../../fault.ts'
import type { JsonObject } from '../contract/envelope.ts'
import { isPlainText } from './json.ts'

/**
 * The members of a query or a form.
 * @throws Fault `request.invalid` when one stands there twice, or cannot be read
 */
export function singleValues(pairs: Iterable<readonly [name: string, value: string]>): JsonObject {
  const members: Record<string, string> = Object.create(null)
  for (const [name, value] of pairs) addMember(members, name, value)
  return members
}

/** Adds a member of a query or a form. @throws Fault `request.invalid` */
export function addMember(members: Record<string, string>, name: string, value: string): void {
  const field = /^[\w.-]{1,64}$/.test(name) ? `The field ${name}` : 'A field'
  const text = name + value
  if (name in members) throw new Fault('request.invalid', `${field} is there twice.`)
  // U+FFFD is what decoders write for bytes that they cannot read.
  if (!isPlainText(text) || text.includes('\ufffd'))
    throw new Fault('request.invalid', `${field} holds NUL, or bytes that are no UTF-8.`)
  members[name] = value
}
