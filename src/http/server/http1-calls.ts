import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The calls under way on each HTTP/1.1 connection: more than one where requests are pipelined. */
export interface Http1Calls {
  /** A connection has been made. */
  open(socket: Socket): void
  /**
   * What it gives is to be called when `response` closes. Undefined after the last answer of the connection: what follows
   * must not be read as a request (RFC 9112, 9.6).
   */
  begin(socket: Socket, response: ServerResponse): (() => void) | undefined
  /** Whether part of an answer has gone out on this connection. */
  answering(socket: Socket): boolean
  /** From now on each answer is the last of its connection, and says so. */
  leave(): void
  /** Closes connections without calls, and the others behind the answers under way. */
  drain(): void
}

export function createHttp1Calls(): Http1Calls {
  const sockets = new Set<Socket>()
  const calls = new Map<Socket, Set<ServerResponse>>()
  /** Connections on which the last answer has been sent. */
  const ended = new WeakSet<Socket>()
  let leaving = false
  let draining = false
  const allUnderWay = () => [...calls.values()].flatMap((underWay) => [...underWay])

  return {
    open(socket) {
      sockets.add(socket)
      socket.once('close', () => {
        sockets.delete(socket)
        // node:http closes the answer that it was sending, and none of those that waited behind it.
        setImmediate(() => [...(calls.get(socket) ?? [])].forEach((response) => response.emit('close')))
      })
    },
    begin(socket, response) {
      const underWay = calls.get(socket) ?? new Set()
      if (ended.has(socket) || (!draining && [...underWay].some(isLast))) return undefined
      calls.set(socket, underWay.add(response))
      if (leaving) response.shouldKeepAlive = false
      return () => {
        underWay.delete(response)
        if (isLast(response)) ended.add(socket)
        if (underWay.size > 0) return
        calls.delete(socket)
        if (draining) socket.destroySoon()
      }
    },
    answering: (socket) => [...(calls.get(socket) ?? [])].some((response) => response.headersSent),
    leave() {
      leaving = true
      for (const response of allUnderWay()) if (!response.headersSent) response.shouldKeepAlive = false
    },
    drain() {
      leaving = draining = true
      for (const socket of sockets) if (!calls.has(socket)) socket.destroySoon()
      for (const response of allUnderWay()) response.shouldKeepAlive = false
    },
  }
}

/** Whether nothing follows this answer on its connection. */
function isLast(response: ServerResponse): boolean {
  return response.headersSent && (!response.shouldKeepAlive || response.getHeader('Connection') === 'close')
}
