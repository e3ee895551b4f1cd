import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The calls under way on each HTTP/1.1 connection: several where requests are pipelined. */
export interface Http1Calls {
  /** Notes a new connection. */
  open(socket: Socket): void
  /**
   * Notes the beginning of a call; call the result when `response` closes. Undefined after the last answer of the
   * connection, because what follows must not be parsed as a request (RFC 9112, 9.6).
   */
  begin(socket: Socket, response: ServerResponse): (() => void) | undefined
  /** Whether part of an answer was sent on this connection. */
  answering(socket: Socket): boolean
  /** From now on each answer is the last one of its connection, and says so. */
  leave(): void
  /** Closes connections without calls, and the others after the answers under way. */
  drain(): void
}

export function createHttp1Calls(): Http1Calls {
  /**
   * The answers under way on each open connection. An array, because there is seldom more than one, and many come and
   * go.
   */
  const calls = new Map<Socket, ServerResponse[]>()
  /** Connections on which the last answer has been sent. */
  const ended = new WeakSet<Socket>()
  let leaving = false
  let draining = false
  const allUnderWay = () => [...calls.values()].flat()

  return {
    open(socket) {
      calls.set(socket, [])
      socket.once('close', () =>
        // node:http closes the answer being sent, but not those queued after it.
        setImmediate(() => {
          const underWay = calls.get(socket) ?? []
          calls.delete(socket)
          for (const response of underWay.slice()) response.emit('close')
        }),
      )
    },
    begin(socket, response) {
      const underWay = calls.get(socket) ?? []
      if (ended.has(socket) || (!draining && underWay.some(isLast))) return undefined
      underWay.push(response)
      if (leaving) response.shouldKeepAlive = false
      return () => {
        underWay.splice(underWay.indexOf(response), 1)
        if (isLast(response)) ended.add(socket)
        if (underWay.length === 0 && draining) socket.destroySoon()
      }
    },
    answering: (socket) => calls.get(socket)?.some((response) => response.headersSent) ?? false,
    leave() {
      leaving = true
      for (const response of allUnderWay()) if (!response.headersSent) response.shouldKeepAlive = false
    },
    drain() {
      leaving = draining = true
      for (const [socket, underWay] of calls) if (underWay.length === 0) socket.destroySoon()
      for (const response of allUnderWay()) response.shouldKeepAlive = false
    },
  }
}

/** Whether this is the last answer on its connection. */
function isLast(response: ServerResponse): boolean {
  return response.headersSent && (!response.shouldKeepAlive || response.getHeader('Connection') === 'close')
}
