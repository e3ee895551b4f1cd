import type { Socket } from 'node:net'
import { createAddressList } from '../../access/address-list.ts'
import { addressOf } from '../../access/caller.ts'
import { networkOf } from '../../access/network.ts'
import { LinkedList, type ListItem } from '../../linked-list.ts'

export interface ConnectionRules {
  readonly maxConnections: number
  /** Of one network. */
  readonly maxConnectionsPerAddress: number
  /** Addresses that stand for many clients: these are bounded in all alone. */
  readonly proxies: readonly string[]
}

/** How a connection ended that had to make room: it was `closed` while idle, or `refused` at once. */
export type ConnectionEnd = 'closed' | 'refused'

/**
 * Which connections may stay: the oldest idle ones of the greediest network go first, so that a stranger who opens many
 * takes the room from himself.
 */
export interface ConnectionLimits {
  /** Takes a new connection; undefined, and the connection closed, where there is no room for it. */
  admit(socket: Socket): Connection | undefined
}

export interface Connection {
  /** A call begins on it; the result ends the call. */
  begin(): () => void
}

interface Open {
  readonly socket: Socket
  readonly network: Network
  /** Where it is among those of its network that rest. */
  rest: ListItem<Open> | undefined
}

interface Network {
  readonly name: string
  readonly isProxy: boolean
  open: number
  /** Connections without a call under way, that with the longest rest first. */
  readonly idle: LinkedList<Open>
}

function beginRest(connection: Open): void {
  connection.rest = connection.network.idle.append(connection)
}

function endRest({ network, rest }: Open): void {
  network.idle.remove(rest)
}

export function createConnectionLimits(
  { maxConnections, maxConnectionsPerAddress, proxies }: ConnectionRules,
  report: (end: ConnectionEnd, network: string) => void,
): ConnectionLimits {
  const isProxy = createAddressList(proxies)
  const networks = new Map<string, Network>()
  const open = new Set<Open>()

  function networkFor(socket: Socket): Network {
    const address = addressOf(socket.remoteAddress)
    const name = networkOf(address)
    const network = networks.get(name) ?? { name, isProxy: isProxy(address), open: 0, idle: new LinkedList() }
    networks.set(name, network)
    return network
  }

  function forget(connection: Open): void {
    if (!open.delete(connection)) return
    const { network } = connection
    network.open -= 1
    endRest(connection)
    if (network.open === 0) networks.delete(network.name)
  }

  /** Closes the connection of this network that has rested longest. */
  function closeIdle(network: Network | undefined): boolean {
    const oldest = network?.idle.first?.value
    if (network === undefined || oldest === undefined) return false
    forget(oldest)
    oldest.socket.destroy()
    report('closed', network.name)
    return true
  }

  function greediest(): Network | undefined {
    let found: Network | undefined
    for (const network of networks.values()) {
      if (network.isProxy || network.idle.size === 0) continue
      if (found === undefined || network.open > found.open) found = network
    }
    return found
  }

  function hasRoom(network: Network): boolean {
    if (!network.isProxy && network.open >= maxConnectionsPerAddress) return closeIdle(network)
    return open.size < maxConnections || closeIdle(greediest())
  }

  return {
    admit(socket) {
      const wanted = networkFor(socket)
      if (!hasRoom(wanted)) {
        socket.destroy()
        // Networks are many, and the refused ones would stay: nothing of theirs is ever closed.
        if (wanted.open === 0) networks.delete(wanted.name)
        report('refused', wanted.name)
        return undefined
      }
      // The last connection of the network may just have been closed.
      const network = networkFor(socket)
      const connection: Open = { socket, network, rest: undefined }
      let calls = 0
      open.add(connection)
      network.open += 1
      beginRest(connection)
      socket.once('close', () => forget(connection))
      return {
        begin() {
          calls += 1
          endRest(connection)
          return () => {
            calls -= 1
            if (calls === 0 && open.has(connection)) beginRest(connection)
          }
        },
      }
    },
  }
}
