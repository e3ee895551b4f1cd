import type { Socket } from 'node:net'

/** Limits the number of open connections. */
export interface ConnectionLimit {
  /** Adds a connection, and closes another one if there are too many. */
  add(socket: Socket): void
  /** Notes that the connection has sent a request. */
  use(socket: Socket): void
  closeAll(): void
}

/**
 * Connections that have sent a request are preferred to silent ones, for up to half of the limit. Within a kind, the
 * victim is from the address with the most connections: its oldest, or the one least recently used. So a flood closes
 * its own connections, and an attacker who fills the limit cannot keep a scraper out.
 */
export function createConnectionLimit(most: number): ConnectionLimit {
  const silent = new Map<Socket, string>()
  const used = new Map<Socket, string>()

  function forget(socket: Socket): void {
    silent.delete(socket)
    used.delete(socket)
  }

  return {
    add(socket) {
      silent.set(socket, socket.remoteAddress ?? '')
      socket.once('close', () => forget(socket))
      if (silent.size + used.size <= most) return
      const victim = oldestOfMost(used.size > most / 2 ? used : silent)
      forget(victim)
      victim.destroy()
    },
    use(socket) {
      const address = silent.get(socket) ?? used.get(socket)
      if (address === undefined) return
      forget(socket)
      used.set(socket, address)
    },
    closeAll: () => [...silent.keys(), ...used.keys()].forEach((socket) => socket.destroy()),
  }
}

/** The first connection of the address with the most connections; `connections` must not be empty. */
function oldestOfMost(connections: ReadonlyMap<Socket, string>): Socket {
  const ofAddress = new Map<string, Socket[]>()
  for (const [socket, address] of connections) ofAddress.set(address, [...(ofAddress.get(address) ?? []), socket])
  const [most] = [...ofAddress.values()].toSorted((one, other) => other.length - one.length)
  const [oldest] = most ?? []
  if (oldest === undefined) throw new RangeError('no connection is there')
  return oldest
}
