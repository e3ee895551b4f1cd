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
  /** The answers under way on this HTTP/1.1 connection, in the order of their requests. */
  underWay(socket: Socket): readonly ServerResponse[]
  /** The TCP connection below a TLS handshake that has not succeeded. */
  below(socket: Socket): Socket | undefined
  /** Continues to serve, and makes each client open a new connection for its next call; none is closed abruptly. */
  leave(): void
  /** Lets calls under way finish, and closes every connection without one. */
  drain(): void
  readonly draining: boolean
  destroy(): void
}

/** A TCP connection that the limits admit. */
interface Admitted {
  readonly socket: Socket
  readonly connection: Connection
  isInHandshake: boolean
}

/** Watches `server`. Connections that `limits` does not admit are closed without an answer. */
export function trackConnections(server: Http2SecureServer, limits: ConnectionLimits): Connections {
  /** By the addresses and ports, which also identify the sockets that node:tls or node:http2 make of a connection. */
  const open = new Map<string, Admitted>()
  /** By the transports of calls: sockets of node:tls and sessions of node:http2. */
  const connections = new WeakMap<object, Connection>()
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
    const admitted = { socket, connection, isInHandshake: true }
    open.set(route, admitted)
    // A client may have taken the same port again before this event.
    socket.once('close', () => open.get(route) === admitted && open.delete(route))
  })
  server.on('secureConnection', (socket) => {
    const below = open.get(routeOf(socket))
    if (below !== undefined) {
      below.isInHandshake = false
      connections.set(socket, below.connection)
    }
    if (socket.alpnProtocol !== 'h2') http1.open(socket)
  })
  server.on('session', (session) => {
    sessions.add(session)
    const below = open.get(routeOf(session.socket))
    if (below !== undefined) connections.set(session, below.connection)
    session.once('close', () => sessions.delete(session))
  })

  return {
    begin(request, response) {
      // An HTTP/2 session knows its calls itself.
      const isHttp1 = response instanceof ServerResponse
      const endCall = isHttp1 ? http1.begin(request.socket, response) : undefined
      if (isHttp1 && endCall === undefined) return undefined
      const end = connections.get(transportOf(request))?.begin()
      return () => {
        endCall?.()
        end?.()
      }
    },
    underWay: (socket) => http1.underWay(socket),
    below(socket) {
      const below = open.get(routeOf(socket))
      return below?.isInHandshake === true ? below.socket : undefined
    },
    get draining() {
      return draining
    },
    leave() {
      for (const session of sessions) session.goaway(constants.NGHTTP2_NO_ERROR, highestStream)
      http1.leave()
    },
    drain() {
      draining = true
      for (const { socket, isInHandshake } of open.values()) if (isInHandshake) socket.destroy()
      for (const session of sessions) session.close()
      http1.drain()
    },
    destroy() {
      for (const { socket } of open.values()) socket.destroy()
    },
  }
}

/** Identifies a TCP connection. node:tls reports the same for the encrypted socket and the one below. */
function routeOf(socket: Socket): string {
  return [socket.remoteAddress, socket.remotePort, socket.localAddress, socket.localPort].join(' ')
}
