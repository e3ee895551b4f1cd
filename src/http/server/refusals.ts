import { ServerResponse, STATUS_CODES, type IncomingMessage } from 'node:http'
import { Http2ServerResponse, type Http2ServerRequest } from 'node:http2'
import type { Socket } from 'node:net'
import { refusal } from '../contract/envelope.ts'
import { Fault } from '../../fault.ts'

export type Request = IncomingMessage | Http2ServerRequest
export type Response = ServerResponse | Http2ServerResponse

/**
 * How long a refused client may continue to send. If the connection were closed at once with bytes unread, the kernel
 * would reset it, and the client could lose the answer that gives the reason (RFC 9112, 9.6).
 */
const lingerMs = 1_000

/**
 * Answers a call that does not reach the interface. Over HTTP/1.1 the connection is closed, since its body stays
 * unread.
 */
export function refuse(request: Request, response: Response, fault: Fault): void {
  answer(request, response, fault, response instanceof ServerResponse ? { Connection: 'close' } : {})
}

/**
 * Refuses `Expect: 100-continue`. curl repeats the request without the expectation if the answer has no "Connection:
 * close" (measured with 7.88; with it, curl gives up). So the connection is closed after the answer without that
 * header, and curl repeats the request on another one.
 */
export function refuseExpectation(request: Request, response: Response): void {
  if (response instanceof ServerResponse) {
    response.shouldKeepAlive = false
    // node:http would add "Connection: close".
    response.removeHeader('Connection')
  }
  answer(request, response, new Fault('request.expect'))
  if (response instanceof ServerResponse) request.socket.end()
}

function answer(request: Request, response: Response, fault: Fault, more: Readonly<Record<string, string>> = {}): void {
  const { status, headers, body } = refusal(fault, request.headers)
  response.statusCode = status
  for (const [name, value] of Object.entries({
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
    ...more,
  }))
    response.setHeader(name, value)
  if (response instanceof Http2ServerResponse) {
    response.end(body)
    return
  }
  response.write(body)
  const timer = setTimeout(() => response.end(), lingerMs)
  request.once('end', () => response.end())
  response.once('close', () => clearTimeout(timer))
  request.resume()
}

/** Answers on a socket that received no well-formed request, and closes it. */
export function refuseSocket(socket: Socket, fault: Fault): void {
  const { status, headers, body } = refusal(fault)
  const fields = Object.entries({
    ...headers,
    Date: new Date().toUTCString(),
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  })
  const head = fields.map(([name, value]) => `${name}: ${String(value)}\r\n`).join('')
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
  socket.on('error', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head}\r\n${String(body)}`)
  socket.resume()
}

/** The fault for a request that node:http could not parse; undefined if it was not a request at all. */
export function faultOfClientError(code: string | undefined): Fault | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return new Fault('request.header_too_large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Fault('request.timeout')
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new Fault('request.too_large')
  if (code === 'HPE_INVALID_METHOD') {
    return new Fault(
      'request.invalid',
      'HTTP/1.1 has no such method here; LIST needs HTTP/2, or use GET on the same address.',
    )
  }
  return code?.startsWith('HPE_') ? new Fault('request.invalid', 'This is not a well-formed HTTP request.') : undefined
}
