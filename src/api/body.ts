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
  // Nothing is inflated here, so nothing can swell.
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') throw new Fault('request.encoding')
  const bytes = await readBytes(request, maxBytes)
  if (!isUtf8(bytes)) throw new Fault('request.not_json', 'The body is not UTF-8 (RFC 8259, 8.1).')
  const text = bytes.toString().trim()
  if (text === '') return {}
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') && !text.startsWith('{'))
    return parseForm(text)
  return parseJsonObject(text)
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

function parseForm(text: string): JsonObject {
  return singleValues(new URLSearchParams(text))
}

/**
 * The members of a query or a form.
 * @throws Fault `request.invalid` when one stands there twice
 */
export function singleValues(pairs: URLSearchParams): JsonObject {
  const members: Record<string, string> = Object.create(null)
  for (const [name, value] of pairs) {
    if (name in members) throw new Fault('request.invalid', `The parameter ${name.slice(0, 64)} is there twice.`)
    if (!isPlainText(name) || !isPlainText(value))
      throw new Fault('request.invalid', 'A parameter holds NUL, which no field of the interface takes.')
    members[name] = value
  }
  return members
}
