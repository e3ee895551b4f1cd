import { ServerResponse } from 'node:http'
import { constants, type Http2SecureServer, type ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { transportOf } from '../contract/call-transport.ts'
import type { Connection, ConnectionLimits } from './connection-limits.ts'
import { createHttp1Calls } from './http1-calls.ts'
import type { Request, Response } from './refusals.ts'

/** Of a GOAWAY that refuses no stream of those that the client has sent by now (RFC 9113, 6.8). */
const highestStream = 2 ** 31 - 1

/**
 * Every open connection of a server, from the first byte to the last, so that it can be refused, answered in plain, or
 * drained.
 */
export interface Connections {
  /**
   * Notes that a call has begun; what it gives is to be called when `response` closes. Undefined after the last answer of
   * an HTTP/1.1 connection: what follows must not be read as a request (RFC 9112, 9.6).
   */
  begin(request: Request, response: Response): (() => void) | undefined
  /** The answers under way on this HTTP/1.1 connection, in the order of their requests. */
  underWay(socket: Socket): readonly ServerResponse[]
  /** The TCP connection below a TLS handshake that has not succeeded. */
  below(socket: Socket): Socket | undefined
  /** Serves on, and has each client make its next call over a new connection: none is closed in its face. */
  leave(): void
  /** Lets calls under way finish and closes every connection that has none. */
  drain(): void
  readonly draining: boolean
  destroy(): void
}

/** Watches `server`; connections that `limits` does not admit are closed unanswered. */
export function trackConnections(server: Http2SecureServer, limits: ConnectionLimits): Connections {
  const open = new Set<Socket>()
  /** By the route of the TCP connection, and by what node:tls or node:http2 makes of it. */
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
    // Not server.maxConnections: in a cluster, workers that are full hand such a connection round and round
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
      // An HTTP/2 session knows its own calls.
      const isHttp1 = response instanceof ServerResponse
      const endCall = isHttp1 ? http1.begin(request.socket, response) : undefined
      if (isHttp1 && endCall === undefined) return undefined
      const end = admitted.get(transportOf(request))?.begin()
      return () => {
        endCall?.()
        end?.()
      }
    },
    underWay: (socket) => http1.underWay(socket),
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

/** What identifies a TCP connection: node:tls shows it of the encrypted socket as well as of the one below. */
function routeOf(socket: Socket): string {
  return [socket.remoteAddress, socket.remotePort, socket.localAddress, socket.localPort].join(' ')
}
