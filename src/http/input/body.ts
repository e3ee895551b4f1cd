import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Fault } from '../../fault.ts'
import type { JsonObject } from '../contract/envelope.ts'
import type { Allowance } from './allowance.ts'
import { parseJsonObject, singleValues } from './members.ts'
import { isForm, readFields } from './upload.ts'

/** HTTP/1.1 announces a body (RFC 9112 §6); over HTTP/2 there is one where the headers do not end the stream. */
export function hasBody(request: IncomingMessage): boolean {
  if ('stream' in request) return Reflect.get(Object(request.stream), 'endAfterHeaders') !== true
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
}

/** Nothing is inflated, so no body grows beyond the limit. @throws Fault `request.encoding` */
export function refuseEncoding({ headers }: Pick<IncomingMessage, 'headers'>): void {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new Fault('request.encoding')
}

/**
 * Reads the members of a request's body. JSON whatever Content-Type says, because published clients say anything or
 * nothing; an empty body is `{}`. A form of either kind is read where one is declared and the text is not JSON.
 * @throws Fault `request.too_large`, `request.encoding`, `request.not_json`, `request.not_form`, `request.invalid`,
 * `appliance.busy`
 */
export async function readBody(request: IncomingMessage, allowance: Allowance): Promise<JsonObject> {
  if (Number(request.headers['content-length'] ?? 0) > allowance.maxBytes) throw allowance.tooLarge()
  refuseEncoding(request)
  const bytes = await readBytes(request, allowance)
  if (!isUtf8(bytes)) throw new Fault('request.not_json', 'The body is not UTF-8 (RFC 8259, 8.1).')
  const text = bytes.toString().trim()
  if (text === '') return {}
  if (text.startsWith('{')) return parseJsonObject(text, allowance.maxValues)
  if (isForm(request)) return readFields(request.headers, bytes)
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return singleValues(text)
  return parseJsonObject(text, allowance.maxValues)
}

/** Reads as long as it may: of a body that is refused no more is taken off the wire here. */
function readBytes(request: IncomingMessage, { maxBytes, tooLarge, held }: Allowance): Promise<Buffer> {
  let pieces: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    let isOver = false
    const take = (piece: Buffer): void => {
      if (isOver) return
      size += piece.length
      if (size > maxBytes) return fail(tooLarge())
      pieces.push(piece)
      held?.take(piece.length)
    }
    const end = (): void => {
      // node:http2 ends a request whose stream was reset as it ends any other.
      if (isAborted(request)) return breakOff()
      if (isOver) return
      isOver = true
      resolve(Buffer.concat(pieces, size))
      pieces = []
    }
    const breakOff = (): void => {
      if (!isOver) fail(new Fault('request.not_json', 'The body could not be read to its end.'))
    }
    const fail = (fault: Fault): void => {
      if (isOver) return
      isOver = true
      pieces = []
      request.pause()
      reject(fault)
    }
    // These listeners stay: the connection of a client that has gone may still report an error, and without a listener it ends the process.
    request.on('data', take).on('end', end).on('close', breakOff).on('error', breakOff)
    held?.onRefusal(fail)
    if (isAborted(request) || request.destroyed) breakOff()
  })
}

const isAborted = (request: IncomingMessage): boolean => Reflect.get(request, 'aborted')
