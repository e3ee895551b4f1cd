import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import coBody from 'co-body'
import { Fault } from '../fault.ts'
import type { JsonObject } from './envelope.ts'
import { isPlainText, parseJsonObject } from './json.ts'

/**
 * The members of a request's body. JSON whatever Content-Type says, because published clients say anything or nothing;
 * an empty body is `{}`. A form is read where one is declared and the text is no JSON.
 * @throws Fault `request.too_large`, `request.encoding`, `request.not_json`
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<JsonObject> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  refuseEncoding(request)
  const bytes = await readBytes(request, maxBytes)
  if (!isUtf8(bytes)) throw new Fault('request.not_json', 'The body is not UTF-8 (RFC 8259, 8.1).')
  const text = bytes.toString().trim()
  if (text === '') return {}
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') && !text.startsWith('{'))
    return singleValues(new URLSearchParams(text))
  return parseJsonObject(text)
}

/** Nothing is inflated here, so nothing can swell. @throws Fault `request.encoding` */
export function refuseEncoding({ headers }: IncomingMessage): void {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new Fault('request.encoding')
}

/** Text would come with U+FFFD for every byte that is no UTF-8; co-body's types do not know null. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- null is what raw-body documents for a Buffer
const asBytes = { encoding: null } as unknown as { encoding: string }

async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  try {
    return await coBody.text(request, { limit: maxBytes, ...asBytes })
  } catch (cause) {
    if (cause instanceof Error && 'type' in cause && cause.type === 'entity.too.large') throw tooLarge(maxBytes)
    throw new Fault('request.not_json', 'The body could not be read to its end.', { cause })
  }
}

function tooLarge(maxBytes: number): Fault {
  return new Fault('request.too_large', `The body is larger than ${maxBytes} bytes (the setting http.maxBodyBytes).`)
}

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
  const [shown, text] = [name.slice(0, 64), name + value]
  if (name in members) throw new Fault('request.invalid', `The field ${shown} is there twice.`)
  // U+FFFD is what decoders write for bytes that they cannot read.
  if (!isPlainText(text) || text.includes('\ufffd'))
    throw new Fault('request.invalid', `The field ${shown} holds NUL, or bytes that are no UTF-8.`)
  members[name] = value
}
