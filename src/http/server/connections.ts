import { ServerResponse } from 'node:http'
import { constants, type Http2SecureServer, type ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { transportOf } from '../contract/call-transport.ts'
import type { Connection, ConnectionLimits } from './connection-limits.ts'
import { createHttp1Calls } from './http1-calls.ts'
import type { Request, Response } from './refusals.ts'

/** The highest stream id: a GOAWAY with it refuses no stream that the client has sent already (RFC 9113, 6.8). */
const highestStream = 2 ** 31 - 1

/**
 * All open connections of a server, from the first byte to the last, so that they can be refused, answered in plain
 * text, or drained.
 */
export interface Connections {
  /**
   * Notes the beginning of a call; call the result when `response` closes. Undefined after the last answer of an
   * HTTP/1.1 connection, because what follows must not be parsed as a request (RFC 9112, 9.6).
   */
  begin(request: Request, response: Response): (() => void) | undefined
  /** Whether part of an answer was sent on this HTTP/1.1 connection, so that nothing else may be. */
  answering(socket: Socket): boolean
  /** The TCP connection below a TLS handshake that has not succeeded. */
  below(socket: Socket): Socket | undefined
  /** Continues to serve, and makes each client open a new connection for its next call; none is closed abruptly. */
  leave(): void
  /** Lets calls under way finish, and closes every connection without one. */
  drain(): void
  readonly draining: boolean
  destroy(): void
}

/** Watches `server`. Connections that `limits` does not admit are closed without an answer. */
export function trackConnections(server: Http2SecureServer, limits: ConnectionLimits): Connections {
  const open = new Set<Socket>()
  /**
   * Keyed by the addresses and ports of the TCP connection, which also identify the sockets that node:tls or node:http2
   * make of it.
   */
  const routes = new Map<string, Connection>()
  const admitted = new WeakMap<object, Connection>()
  const handshakes = new Map<string, Socket>()
  const http1 = createHttp1Calls()
  const sessions = new Set<ServerHttp2Session>()
  let draining = false

  server.on('connection', (socket: Socket) => {
    if (draining) {
      socket.destroy()
      return
    }
    // Not by server.maxConnections: workers of a cluster that are full pass such a connection around endlessly
    // (node:cluster).
    const connection = limits.admit(socket)
    if (connection === undefined) return
    const route = routeOf(socket)
    open.add(socket)
    handshakes.set(route, socket)
    routes.set(route, connection)
    socket.once('close', () => {
      open.delete(socket)
      if (handshakes.get(route) === socket) handshakes.delete(route)
      if (routes.get(route) === connection) routes.delete(route)
    })
  })
  const identify = (socket: Socket, as: object): void => {
    const connection = routes.get(routeOf(socket))
    if (connection) admitted.set(as, connection)
  }
  server.on('secureConnection', (socket) => {
    handshakes.delete(routeOf(socket))
    identify(socket, socket)
    if (socket.alpnProtocol !== 'h2') http1.open(socket)
  })
  server.on('session', (session) => {
    sessions.add(session)
    identify(session.socket, session)
    session.once('close', () => sessions.delete(session))
  })

  return {
    begin(request, response) {
      // An HTTP/2 session knows its calls itself.
      const isHttp1 = response instanceof ServerResponse
      const endCall = isHttp1 ? http1.begin(request.socket, response) : undefined
      if (isHttp1 && endCall === undefined) return undefined
      const end = admitted.get(transportOf(request))?.begin()
      return () => {
        endCall?.()
        end?.()
      }
    },
    answering: (socket) => http1.answering(socket),
    below: (socket) => handshakes.get(routeOf(socket)),
    get draining() {
      return draining
    },
    leave() {
      for (const session of sessions) session.goaway(constants.NGHTTP2_NO_ERROR, highestStream)
      http1.leave()
    },
    drain() {
      draining = true
      for (const socket of handshakes.values()) socket.destroy()
      for (const session of sessions) session.close()
      http1.drain()
    },
    destroy() {
      for (const socket of open) socket.destroy()
    },
  }
}

/** Identifies a TCP connection. node:tls reports the same for the encrypted socket and the one below. */
function routeOf(socket: Socket): string {
  return [socket.remoteAddress, socket.remotePort, socket.localAddress, socket.localPort].join(' ')
}
