import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Fault } from '../../fault.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import type { JsonObject } from '../contract/envelope.ts'
import type { BodyLimits } from './body-limits.ts'
import { tokenStartBytes } from './body-start.ts'
import { parseJsonObject, singleValues } from './members.ts'
import { isForm, readFields } from './upload.ts'

/**
 * Whether a request has a body: HTTP/1.1 announces it (RFC 9112 §6); over HTTP/2 there is one if the headers do not end
 * the stream.
 */
export function hasBody(request: IncomingMessage): boolean {
  if ('stream' in request) return Reflect.get(Object(request.stream), 'endAfterHeaders') !== true
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
}

/**
 * Nothing is decompressed, so that no body grows beyond its limit. Names of codings ignore case (RFC 9110 §8.4.1).
 * @throws Fault `request.encoding`
 */
export function refuseEncoding({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if (!/^(?:identity)?$/i.test(headers['content-encoding'] ?? '')) throw new Fault('request.encoding')
}

/**
 * Parses the members of a body. JSON is accepted with any Content-Type, because published clients send any or none. An
 * empty body is `{}`. A form is parsed where one is declared and the body is not JSON.
 * @throws Fault `request.too_large`, `request.encoding`, `request.not_json`, `request.not_form`, `request.invalid`,
 * `appliance.busy`
 */
export async function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  { storesNumbers }: Pick<AnyEndpoint, 'storesNumbers'>,
): Promise<JsonObject> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > limits.maxBytes && limits.widen === undefined) throw limits.tooLarge()
  refuseEncoding(request)
  const { bytes, maxValues } = await readBytes(request, limits, announced)
  if (!isUtf8(bytes)) throw new Fault('request.not_json', 'The body is not UTF-8 (RFC 8259, 8.1).')
  const text = withoutMark(bytes.toString())
  // White space of JSON (RFC 8259 §2). What else trim() takes away is part of no JSON text.
  const first = /[^ \t\n\r]/.exec(text)?.[0]
  if (first === undefined) return {}
  if (first === '{') return parseJsonObject(text, { maxValues, storesNumbers })
  if (isForm(request)) return readFields(request.headers, bytes)
  if (isUrlEncoded(request)) return singleValues(text.trim())
  return parseJsonObject(text, { maxValues, storesNumbers })
}

/** JSON text may begin with one byte order mark (RFC 8259 §8.1). */
const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text)

/** Media types ignore case (RFC 9110 §8.3.1). */
const isUrlEncoded = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.toLowerCase().startsWith('application/x-www-form-urlencoded') === true

/**
 * Reads the bytes up to the limit. Of a refused body nothing more is read here. Where the limits can be widened, the
 * beginning of the body is passed to `widen` once.
 */
function readBytes(
  request: IncomingMessage,
  limits: BodyLimits,
  announced: number,
): Promise<{ readonly bytes: Buffer; readonly maxValues: number }> {
  const { held } = limits
  let { maxBytes, maxValues, tooLarge, widen } = limits
  let pieces: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    let isOver = false
    let isLooking = false
    let hasEnded = false
    const take = (piece: Buffer): void => {
      if (isOver) return
      size += piece.length
      pieces.push(piece)
      held.take(piece.length)
      if (widen !== undefined && size >= tokenStartBytes) return look(widen)
      if (size > maxBytes) fail(tooLarge())
    }
    // Pauses the body until it is known whether the limits are widened.
    const look = (widenBy: NonNullable<typeof widen>): void => {
      widen = undefined
      isLooking = true
      request.pause()
      const start = Buffer.concat(pieces).toString('utf8', 0, tokenStartBytes)
      widenBy(start).then((wider) => {
        isLooking = false
        if (wider !== undefined) ({ maxBytes, maxValues, tooLarge } = wider)
        if (Math.max(size, announced) > maxBytes) return fail(tooLarge())
        if (hasEnded) return end()
        if (!isOver) request.resume()
      }, fail)
    }
    const end = (): void => {
      // node:http2 emits `end` also for a request whose stream was reset.
      if (isAborted(request)) return breakOff()
      hasEnded = true
      if (isOver || isLooking) return
      isOver = true
      resolve({ bytes: Buffer.concat(pieces, size), maxValues })
      pieces = []
    }
    const breakOff = (): void => {
      if (!isOver && !hasEnded) fail(new Fault('request.not_json', 'The body could not be read to its end.'))
    }
    const fail = (fault: unknown): void => {
      if (isOver) return
      isOver = true
      pieces = []
      request.pause()
      reject(fault)
    }
    // These listeners stay: a closed connection may still emit an error, which would end the process without a
    // listener.
    request.on('data', take).on('end', end).on('close', breakOff).on('error', breakOff)
    held.onRefusal(fail)
    if (isAborted(request) || request.destroyed) return breakOff()
    // A body whose beginning was looked at before is paused.
    request.resume()
  })
}

const isAborted = (request: IncomingMessage): boolean => Reflect.get(request, 'aborted')
