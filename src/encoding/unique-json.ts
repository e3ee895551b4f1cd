/** A JSON object that all readers understand in the same way. */
export type UniqueObject = Readonly<Record<string, unknown>>

/**
 * Parses the JSON object in UTF-8 bytes. Refuses duplicate members, because readers differ in which one they take (RFC
 * 8259 §4), and RFC 7515 §4 and RFC 7519 §4 forbid them.
 * @throws SyntaxError, TypeError
 */
export function readUniqueObject(bytes: Uint8Array): UniqueObject {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('no JSON object')
  if (membersWritten(text) !== membersIn(value)) throw new TypeError('a member stands there twice')
  return { ...value }
}

/**
 * The number of members in the text: outside strings, a colon occurs only between the name and the value of a member.
 */
const membersWritten = (json: string): number => json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1

function membersIn(whole: object): number {
  const open: object[] = [whole]
  let count = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const values: readonly unknown[] = Object.values(next)
    if (!Array.isArray(next)) count += values.length
    for (const value of values) if (typeof value === 'object' && value !== null) open.push(value)
  }
  return count
}
