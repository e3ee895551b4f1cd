import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { koaBody } from 'koa-body'
import type { Context } from 'koa'
import { Fault } from '../../fault.ts'
import type { JsonObject } from '../contract/envelope.ts'
import { parseJsonObject, singleValues } from './members.ts'
import { isForm, readFields } from './upload.ts'

/** HTTP/1.1 announces a body (RFC 9112 §6); HTTP/2 need not. */
export function hasBody({ httpVersionMajor, headers }: IncomingMessage): boolean {
  return (
    httpVersionMajor > 1 || headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  )
}

/** Nothing is inflated, so no body grows beyond the limit. @throws Fault `request.encoding` */
export function refuseEncoding({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new Fault('request.encoding')
}

/**
 * Reads the members of a request's body. JSON whatever Content-Type says, because published clients say anything or
 * nothing; an empty body is `{}`. A form of either kind is read where one is declared and the text is not JSON.
 * @throws Fault `request.too_large`, `request.encoding`, `request.not_json`, `request.not_form`, `request.invalid`
 */
export type BodyReader = (request: IncomingMessage) => Promise<JsonObject>

export function createBodyReader(maxBytes: number): BodyReader {
  const readBytes = createByteReader(maxBytes)
  return async (request) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
    refuseEncoding(request)
    const bytes = await readBytes(request)
    if (!isUtf8(bytes)) throw new Fault('request.not_json', 'The body is not UTF-8 (RFC 8259, 8.1).')
    const text = bytes.toString().trim()
    if (text === '') return {}
    if (text.startsWith('{')) return parseJsonObject(text)
    if (isForm(request)) return readFields(request.headers, bytes)
    if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
      return singleValues(new URLSearchParams(text))
    return parseJsonObject(text)
  }
}

/**
 * koa-body chooses a parser by Content-Type and length, which published clients leave out or misstate: here every body
 * is a text to it. Without an encoding that text is a Buffer; with one, U+FFFD would stand for every byte that is not
 * UTF-8.
 */
function createByteReader(maxBytes: number): (request: IncomingMessage) => Promise<Buffer> {
  const read = koaBody({ json: false, urlencoded: false, textLimit: maxBytes, encoding: '' })
  return async (req) => {
    const context = { req, request: { body: undefined }, method: 'POST', is: () => 'text' }
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members of a context that koa-body looks at
      await read(context as unknown as Context, () => Promise.resolve())
    } catch (cause) {
      if (cause instanceof Error && 'type' in cause && cause.type === 'entity.too.large') throw tooLarge(maxBytes)
      throw new Fault('request.not_json', 'The body could not be read to its end.', { cause })
    }
    const { body } = context.request
    if (!Buffer.isBuffer(body)) throw new TypeError('koa-body did not read the body as bytes')
    return body
  }
}

function tooLarge(maxBytes: number): Fault {
  return new Fault('request.too_large', `The body is larger than ${maxBytes} bytes (the setting http.maxBodyBytes).`)
}
