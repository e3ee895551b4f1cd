import { Fault } from '../../fault.ts'
import type { JsonObject } from '../contract/envelope.ts'

/** Deeper than any call of the interface needs, and shallow enough for code that walks the value recursively. */
const maxDepth = 32

/** Members and elements of one body, at all levels: twice those of the largest batch. */
export const mostValues = 16_384

export interface JsonLimits {
  /** Default: `mostValues`. */
  readonly maxValues?: number
  /** Whether the call stores numbers as text, and has to store them as they were sent. */
  readonly storesNumbers?: boolean | undefined
}

/**
 * Parses one JSON object strictly. Two parsers of the same text must not see two different calls (RFC 8259 §4 leaves
 * duplicate members open), no member may reach an object's prototype, and every string must be one that all databases
 * store unchanged: PostgreSQL refuses NUL, and a lone surrogate would come back as another character. Depth and number
 * of values are checked before JSON.parse sees the text, which takes 1.5 s for an object of 260,000 members.
 * @throws Fault `request.not_json`, whose detail says what is wrong
 */
export function parseJsonObject(text: string, limits: JsonLimits = {}): JsonObject {
  const changed = checkMembers(text, limits)
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Fault('request.not_json', 'The body must be one JSON object.')
  if (changed !== undefined)
    throw new Fault(
      'request.not_json',
      `The number in the member ${changed.slice(0, 64)} would come back in another form: send it as a text.`,
    )
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
 * Scans text that may not be JSON at all. Strings are skipped with indexOf, so that a body that is one long base64
 * string costs next to nothing. Returns the name of the first member with a number that would be changed: only in JSON
 * are digits and signs a number.
 */
function checkMembers(text: string, { maxValues = mostValues, storesNumbers = false }: JsonLimits): string | undefined {
  // One entry per open bracket: the members seen so far of an object, undefined for an array.
  const open: (Set<string> | undefined)[] = []
  const nextEscape = createSearch(text, '\\')
  let values = 0
  let numbers = 0
  let lastName = ''
  let changed: string | undefined
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    switch (char) {
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
        if (members !== undefined && isName(text, end)) lastName = addName(members, text.slice(at, end + 1))
        at = end
        break
      }
      default: {
        if (char !== 0x2d /* - */ && (char < 0x30 /* 0 */ || char > 0x39) /* 9 */) break
        // Text that is not JSON can have more numbers than values.
        numbers = counted(numbers, maxValues)
        const literal = numberAt(text, at)
        if (changed === undefined && isChanged(literal, storesNumbers)) changed = lastName
        at += literal.length - 1
      }
    }
  }
  return changed
}

/** Counts one more value: a comma or a bracket stands before each value but the first of its container. */
function counted(values: number, maxValues: number): number {
  if (values === maxValues)
    throw new Fault('request.not_json', `The body has more than ${maxValues} members and elements.`)
  return values + 1
}

/** Finds the next index of `what` for increasing start indexes. The whole text is searched once, not once per call. */
function createSearch(text: string, what: string): (from: number) => number {
  let found = -1
  return (from) => {
    if (found < from) found = text.indexOf(what, from)
    if (found === -1) found = Infinity
    return found
  }
}

/** Only an escape can express what UTF-8 cannot. */
function checkString(literal: string): void {
  if (!isPlainText(String(parse(literal))))
    throw new Fault('request.not_json', 'A string of the body holds NUL or half a surrogate pair.')
}

/** Whether all databases store the text unchanged. */
export function isPlainText(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text)
}

function numberAt(text: string, start: number): string {
  const number = /[-+.\deE]+/y
  number.lastIndex = start
  return number.exec(text)?.[0] ?? ''
}

/**
 * JSON.parse makes 1e400 infinite, which the echo repeats as null, and makes 1e3 and 1000.0 the same number as 1000,
 * which as text is another password than the one that was sent.
 */
function isChanged(literal: string, storesNumbers: boolean): boolean {
  const value = Number(literal)
  return Math.abs(value) === Infinity || (storesNumbers && String(value) !== literal)
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end
  }
  throw new Fault('request.not_json', 'The body is not JSON.')
}

/** A string is the name of a member when a colon follows it. */
function isName(text: string, end: number): boolean {
  let next = end + 1
  while (next < text.length && ' \t\n\r'.includes(text.charAt(next))) next++
  return text[next] === ':'
}

function addName(members: Set<string>, literal: string): string {
  const name = literal.includes('\\') ? String(parse(literal)) : literal.slice(1, -1)
  if (name === '__proto__') throw new Fault('request.not_json', 'The body must not have a member named __proto__.')
  if (members.has(name)) throw new Fault('request.not_json', `The body has the member ${name.slice(0, 64)} twice.`)
  members.add(name)
  return name
}

/** More than any call of the interface has. */
const mostFields = 256

/**
 * The members of a query or a URL-encoded form.
 * @throws Fault `request.invalid` when a name occurs twice, a value cannot be decoded, or there are too many
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
  // As in JSON. No echo could carry it.
  if (name === '__proto__') throw new Fault('request.invalid', 'A field must not have the name __proto__.')
  const field = /^[\w.-]{1,64}$/.test(name) ? `The field ${name}` : 'A field'
  const text = name + value
  if (name in members) throw new Fault('request.invalid', `${field} is there twice.`)
  // Decoders write U+FFFD for bytes that they cannot decode.
  if (!isPlainText(text) || text.includes('\ufffd'))
    throw new Fault('request.invalid', `${field} holds NUL, or bytes that are not UTF-8.`)
  members[name] = value
}
