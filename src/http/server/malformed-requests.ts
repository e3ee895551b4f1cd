import type { ServerResponse } from 'node:http'
import type { Http2SecureServer } from 'node:http2'
import type { Socket } from 'node:net'
import { Fault } from '../../fault.ts'
import type { Log } from '../../log.ts'
import type { Connections } from './connections.ts'
import { faultOfClientError, refuse, refuseSocket, type Request, type Response } from './refusals.ts'

/**
 * Answers input that is not an HTTP request, and closes the connection. The refusal follows the answers to the calls
 * before it: a client that pipelines would take an earlier refusal for the answer to one of those calls.
 */
export function answerMalformed(server: Http2SecureServer, connections: Connections, log: Log): void {
  const refused = new WeakSet<Socket>()
  const answer = (socket: Socket, fault: Fault): void => {
    refused.add(socket)
    const calls = connections.underWay(socket)
    const last = calls.at(-1)
    if (last === undefined) return refuseSocket(socket, fault)
    // If the last request is incomplete, its body is what is malformed, and the refusal is the answer to it.
    const isOfLast = !last.req.complete
    behind(isOfLast ? calls.at(-2) : last, () => {
      if (!isOfLast || !last.headersSent) return refuseSocket(socket, fault)
      behind(last, () => socket.destroySoon())
    })
  }

  // Failed handshakes and malformed requests both arrive here. A malformed request may be reported once per piece.
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (refused.has(socket)) return
    log.debug({ code: error.code, address: socket.remoteAddress }, 'malformed request or failed handshake')
    const plain = error.code === 'ERR_SSL_HTTP_REQUEST' ? connections.below(socket) : undefined
    if (plain !== undefined) return answer(plain, new Fault('request.plain_http'))
    const fault = faultOfClientError(error.code)
    if (fault === undefined || !socket.writable) socket.destroy()
    else answer(socket, fault)
  })

  // Without a listener node:http closes the connection without an answer, and node:http2 answers without the envelope.
  server.on('connect', (request: Request, target: Socket | Response) => {
    const fault = new Fault('request.not_found', 'This is no proxy: CONNECT leads nowhere.')
    if ('stream' in target) refuse(request, target, fault)
    else if ('destroySoon' in target) answer(target, fault)
  })
}

/** Runs `then` once this answer was sent or its connection has closed. */
function behind(response: ServerResponse | undefined, then: () => void): void {
  if (response === undefined || response.closed) then()
  else response.once('close', then)
}
