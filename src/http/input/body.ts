import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Fault } from '../../fault.ts'
import type { JsonObject } from '../contract/envelope.ts'
import type { BodyLimits } from './body-limits.ts'
import { tokenStartBytes } from './body-start.ts'
import { parseJsonObject, singleValues } from './members.ts'
import { isForm, readFields } from './upload.ts'

/** HTTP/1.1 announces a body (RFC 9112 §6); over HTTP/2 there is one where the headers do not end the stream. */
export function hasBody(request: IncomingMessage): boolean {
  if ('stream' in request) return Reflect.get(Object(request.stream), 'endAfterHeaders') !== true
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
}

/**
 * Nothing is inflated, so no body grows beyond the limit. Names of codings are the same in whatever case (RFC 9110 §8.4.1).
 * @throws Fault `request.encoding`
 */
export function refuseEncoding({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if (!/^(?:identity)?$/i.test(headers['content-encoding'] ?? '')) throw new Fault('request.encoding')
}

/**
 * Reads the members of a request's body. JSON whatever Content-Type says, because published clients say anything or
 * nothing; an empty body is `{}`. A form of either kind is read where one is declared and the text is not JSON.
 * @throws Fault `request.too_large`, `request.encoding`, `request.not_json`, `request.not_form`, `request.invalid`,
 * `appliance.busy`
 */
export async function readBody(request: IncomingMessage, limits: BodyLimits): Promise<JsonObject> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > limits.maxBytes && limits.widen === undefined) throw limits.tooLarge()
  refuseEncoding(request)
  const { bytes, maxValues } = await readBytes(request, limits, announced)
  if (!isUtf8(bytes)) throw new Fault('request.not_json', 'The body is not UTF-8 (RFC 8259, 8.1).')
  const text = withoutMark(bytes.toString())
  // White space of JSON (RFC 8259 §2). What else trim() takes away is part of no JSON text.
  const first = /[^ \t\n\r]/.exec(text)?.[0]
  if (first === undefined) return {}
  if (first === '{') return parseJsonObject(text, maxValues)
  if (isForm(request)) return readFields(request.headers, bytes)
  if (isUrlEncoded(request)) return singleValues(text.trim())
  return parseJsonObject(text, maxValues)
}

/** One byte order mark may begin a text of JSON (RFC 8259 §8.1). */
const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text)

/** Media types are the same in whatever case (RFC 9110 §8.3.1). */
const isUrlEncoded = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.toLowerCase().startsWith('application/x-www-form-urlencoded') === true

/**
 * Reads as long as it may: of a body that is refused no more is taken off the wire here. Where the limits can be widened, the
 * beginning of the body is shown to it once.
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
    // Nothing more is taken off the wire until it is known whether there may be more.
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
      // node:http2 ends a request whose stream was reset as it ends any other.
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
    // These listeners stay: the connection of a client that has gone may still report an error, and without a listener it ends the process.
    request.on('data', take).on('end', end).on('close', breakOff).on('error', breakOff)
    held.onRefusal(fail)
    if (isAborted(request) || request.destroyed) return breakOff()
    // A body whose beginning was looked at before rests.
    request.resume()
  })
}

const isAborted = (request: IncomingMessage): boolean => Reflect.get(request, 'aborted')
