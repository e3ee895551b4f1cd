import { Fault } from '../../fault.ts'
import type { JsonObject } from '../contract/envelope.ts'

/** Deeper than any call of the interface, and shallow enough for every step that walks the value. */
const maxDepth = 32

/** Members and elements of one body, all levels together: what a batch of the most items has, twice. */
export const mostValues = 16_384

/**
 * One JSON object, strictly: two readers of the same text must not see two different calls (RFC 8259 §4 leaves
 * duplicate members open), no member may reach an object's prototype, and every string must be one that each kind of
 * store keeps as it is: NUL stops PostgreSQL, and half a surrogate pair would come back as another character. Depth and
 * number are bounded before JSON.parse sees the text: of 260,000 members it makes a hash table in 1.5 s.
 * @throws Fault `request.not_json`, whose detail says what is wrong
 */
export function parseJsonObject(text: string, maxValues = mostValues): JsonObject {
  checkMembers(text, maxValues)
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Fault('request.not_json', 'The body must be one JSON object.')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object of JSON, which is not copied
  return value as JsonObject
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Fault('request.not_json', 'The body is not JSON.')
  }
}

/**
 * Walks text that may be no JSON at all. Strings are skipped with indexOf, so a body that is one long base64 string
 * costs next to nothing.
 */
function checkMembers(text: string, maxValues: number): void {
  // One entry for each open bracket: the members seen so far for an object, undefined for an array.
  const open: (Set<string> | undefined)[] = []
  const nextEscape = createSearch(text, '\\')
  let values = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x7b /* { */:
      case 0x5b /* [ */:
        if (open.length === maxDepth)
          throw new Fault('request.not_json', `The body is nested deeper than ${maxDepth} levels.`)
        open.push(text[at] === '{' ? new Set() : undefined)
        values = counted(values, maxValues)
        break
      case 0x7d /* } */:
      case 0x5d /* ] */:
        open.pop()
        break
      case 0x2c /* , */:
        values = counted(values, maxValues)
        break
      case 0x22 /* " */: {
        const end = endOfString(text, at)
        const members = open.at(-1)
        if (nextEscape(at) < end) checkString(text.slice(at, end + 1))
        if (members !== undefined && isName(text, end)) addName(members, text.slice(at, end + 1))
        at = end
        break
      }
    }
  }
}

/** One value more: a comma or a bracket begins each but the first of its container. */
function counted(values: number, maxValues: number): number {
  if (values === maxValues)
    throw new Fault('request.not_json', `The body has more than ${maxValues} members and elements.`)
  return values + 1
}

/** The next index of `what`, for indexes that only grow: the whole text is searched once, not once per question. */
function createSearch(text: string, what: string): (from: number) => number {
  let found = -1
  return (from) => {
    if (found < from) found = text.indexOf(what, from)
    if (found === -1) found = Infinity
    return found
  }
}

/** Only an escape can write what UTF-8 cannot. */
function checkString(literal: string): void {
  if (!isPlainText(String(parse(literal))))
    throw new Fault('request.not_json', 'A string of the body holds NUL or half a surrogate pair.')
}

/** Text that every store keeps as it is. */
export function isPlainText(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text)
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end
  }
  throw new Fault('request.not_json', 'The body is not JSON.')
}

/** A string is a member's name when a colon follows it. */
function isName(text: string, end: number): boolean {
  let next = end + 1
  while (next < text.length && ' \t\n\r'.includes(text.charAt(next))) next++
  return text[next] === ':'
}

function addName(members: Set<string>, literal: string): void {
  const name = literal.includes('\\') ? String(parse(literal)) : literal.slice(1, -1)
  if (name === '__proto__') throw new Fault('request.not_json', 'The body must not have a member named __proto__.')
  if (members.has(name)) throw new Fault('request.not_json', `The body has the member ${name.slice(0, 64)} twice.`)
  members.add(name)
}

/** More than any call of the interface has. */
const mostFields = 256

/**
 * The members of a query or a URL-encoded form.
 * @throws Fault `request.invalid` when one stands there twice, or cannot be read, or when there are too many
 */
export function singleValues(text: string): JsonObject {
  const members: Record<string, string> = Object.create(null)
  if (text.split('&', mostFields + 1).length > mostFields)
    throw new Fault('request.invalid', `The query or form has more than ${mostFields} fields.`)
  for (const [name, value] of new URLSearchParams(text)) addMember(members, name, value)
  return members
}

/** Adds a member of a query or a form. @throws Fault `request.invalid` */
export function addMember(members: Record<string, string>, name: string, value: string): void {
  const field = /^[\w.-]{1,64}$/.test(name) ? `The field ${name}` : 'A field'
  const text = name + value
  if (name in members) throw new Fault('request.invalid', `${field} is there twice.`)
  // U+FFFD is what decoders write for bytes that they cannot read.
  if (!isPlainText(text) || text.includes('\ufffd'))
    throw new Fault('request.invalid', `${field} holds NUL, or bytes that are not UTF-8.`)
  members[name] = value
}
