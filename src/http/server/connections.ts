import { ServerResponse } from 'node:http'
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { Request, Response } from './refusals.ts'

/**
 * Every open connection of a server, from the first byte to the last, so that it can be refused, answered in plain, or
 * drained.
 */
export interface Connections {
  /**
   * Notes that a call has begun; it ends when `response` closes. False after the last answer of an HTTP/1.1 connection:
   * what follows must not be read as a request (RFC 9112, 9.6).
   */
  begin(request: Request, response: Response): boolean
  /** Whether part of an answer has gone out on this HTTP/1.1 connection, so that nothing else may. */
  answering(socket: Socket): boolean
  /** The TCP connection below a TLS handshake that has not succeeded. */
  below(socket: Socket): Socket | undefined
  /** Lets calls under way finish and closes every connection that has none. */
  drain(): void
  readonly draining: boolean
  destroy(): void
}

/** Watches `server`; beyond `maxConnections` new connections are closed unanswered. */
export function trackConnections(server: Http2SecureServer, maxConnections: number): Connections {
  const open = new Set<Socket>()
  const handshakes = new Map<string, Socket>()
  const http1 = new Set<Socket>()
  const sessions = new Set<ServerHttp2Session>()
  const calls = new Map<Socket, Set<ServerResponse>>()
  /** HTTP/1.1 connections on which the last answer has been sent. */
  const ended = new WeakSet<Socket>()
  let draining = false

  server.on('connection', (socket: Socket) => {
    // Not server.maxConnections: in a cluster, workers that are full hand such a connection round and round
    // (node:cluster).
    if (open.size >= maxConnections || draining) {
      socket.destroy()
      return
    }
    const route = routeOf(socket)
    open.add(socket)
    handshakes.set(route, socket)
    socket.once('close', () => {
      open.delete(socket)
      if (handshakes.get(route) === socket) handshakes.delete(route)
    })
  })
  server.on('secureConnection', (socket) => {
    handshakes.delete(routeOf(socket))
    if (socket.alpnProtocol === 'h2') return
    http1.add(socket)
    socket.once('close', () => http1.delete(socket))
  })
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })

  return {
    begin(request, response) {
      // An HTTP/2 session knows its own calls.
      if (!(response instanceof ServerResponse)) return true
      const { socket } = request
      const underWay = calls.get(socket) ?? new Set()
      if (ended.has(socket) || (!draining && [...underWay].some(isLast))) return false
      calls.set(socket, underWay.add(response))
      if (draining) response.shouldKeepAlive = false
      response.once('close', () => {
        underWay.delete(response)
        if (isLast(response)) ended.add(socket)
        if (underWay.size > 0) return
        calls.delete(socket)
        if (draining) socket.destroySoon()
      })
      return true
    },
    answering: (socket) => [...(calls.get(socket) ?? [])].some((response) => response.headersSent),
    below: (socket) => handshakes.get(routeOf(socket)),
    get draining() {
      return draining
    },
    drain() {
      draining = true
      for (const socket of handshakes.values()) socket.destroy()
      for (const session of sessions) session.close()
      for (const socket of http1) if (!calls.has(socket)) socket.destroySoon()
      for (const underWay of calls.values()) for (const response of underWay) response.shouldKeepAlive = false
    },
    destroy() {
      for (const socket of open) socket.destroy()
    },
  }
}

/** Whether nothing follows this answer on its connection. */
function isLast(response: ServerResponse): boolean {
  return response.headersSent && (!response.shouldKeepAlive || response.getHeader('Connection') === 'close')
}

/** What identifies a TCP connection: node:tls shows it of the encrypted socket as well as of the one below. */
function routeOf(socket: Socket): string {
  return [socket.remoteAddress, socket.remotePort, socket.localAddress, socket.localPort].join(' ')
}
