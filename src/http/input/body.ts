import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import coBody from 'co-body'
import { Fault } from '../../fault.ts'
import type { JsonObject } from '../contract/envelope.ts'
import { parseJsonObject } from './json.ts'
import { singleValues } from './members.ts'
import { isForm, readFields, refuseEncoding } from './upload.ts'

/** HTTP/1.1 announces a body (RFC 9112 §6); HTTP/2 need not. */
export function hasBody({ httpVersionMajor, headers }: IncomingMessage): boolean {
  return (
    httpVersionMajor > 1 || headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  )
}

/**
 * The members of a request's body. JSON whatever Content-Type says, because published clients say anything or nothing;
 * an empty body is `{}`. A form of either kind is read where one is declared and the text is no JSON.
 * @throws Fault `request.too_large`, `request.encoding`, `request.not_json`, `request.not_form`, `request.invalid`
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<JsonObject> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  refuseEncoding(request)
  const bytes = await readBytes(request, maxBytes)
  if (!isUtf8(bytes)) throw new Fault('request.not_json', 'The body is not UTF-8 (RFC 8259, 8.1).')
  const text = bytes.toString().trim()
  if (text === '') return {}
  if (text.startsWith('{')) return parseJsonObject(text)
  if (isForm(request)) return readFields(request.headers, bytes)
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    return singleValues(new URLSearchParams(text))
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
