import type { Socket } from 'node:net'

/** Which connections stay where there is room for so many. */
export interface ConnectionPlaces {
  /** Closes another one where there is no room. */
  add(socket: Socket): void
  /** It has asked for something. */
  use(socket: Socket): void
  closeAll(): void
}

/**
 * Connections that have asked for something are kept before those that have not, up to half of the places; of either
 * kind one goes of the address that holds most of them: the one that was used, or came, longest ago. So a flood closes
 * connections of its own, and a stranger who holds all places keeps no scraper out.
 */
export function createConnectionPlaces(most: number): ConnectionPlaces {
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

/** Of the address with most connections the first in order; there is at least one. */
function oldestOfMost(connections: ReadonlyMap<Socket, string>): Socket {
  const ofAddress = new Map<string, Socket[]>()
  for (const [socket, address] of connections) ofAddress.set(address, [...(ofAddress.get(address) ?? []), socket])
  const [most] = [...ofAddress.values()].toSorted((one, other) => other.length - one.length)
  const [oldest] = most ?? []
  if (oldest === undefined) throw new RangeError('no connection is there')
  return oldest
}
