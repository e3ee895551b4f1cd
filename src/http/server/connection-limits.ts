import type { Socket } from 'node:net'
import { createAddressList } from '../../access/address-list.ts'
import { addressOf } from '../../access/caller.ts'
import { networkOf } from '../../access/network.ts'
import { largestOf } from '../../largest.ts'
import { LinkedList, type ListItem } from '../../linked-list.ts'

export interface ConnectionRules {
  readonly maxConnections: number
  /** Per network. */
  readonly maxConnectionsPerAddress: number
  /** Addresses that stand for many clients: only the total limit applies to them. */
  readonly proxies: readonly string[]
}

/** The same rules, scaled down so that no more than `most` connections are open at once. */
export function fitting(rules: ConnectionRules, most: number): ConnectionRules {
  const { maxConnections, maxConnectionsPerAddress } = rules
  if (maxConnections <= most) return rules
  const perAddress = Math.ceil((maxConnectionsPerAddress * most) / maxConnections)
  return { ...rules, maxConnections: most, maxConnectionsPerAddress: perAddress }
}

/** How a connection ended to make room: `closed` while it was idle, or `refused` when it was new. */
export type ConnectionEnd = 'closed' | 'refused'

/**
 * Decides which connections may stay. The oldest idle ones of the network with most connections are closed first, so
 * that a client that opens many takes room only from itself.
 */
export interface ConnectionLimits {
  /** Admits a new connection; undefined, and the connection closed, where there is no room. */
  admit(socket: Socket): Connection | undefined
}

export interface Connection {
  /** Marks the beginning of a call; call the result at its end. */
  begin(): () => void
}

interface Open {
  readonly socket: Socket
  readonly network: Network
  /** Its entry among the idle connections of its network. */
  idleEntry: ListItem<Open> | undefined
}

interface Network {
  readonly name: string
  readonly isProxy: boolean
  open: number
  /** Connections without a call, the longest idle first. */
  readonly idle: LinkedList<Open>
}

function becomeIdle(connection: Open): void {
  connection.idleEntry = connection.network.idle.append(connection)
}

function endIdleness({ network, idleEntry }: Open): void {
  network.idle.remove(idleEntry)
}

/** The network with most connections, of those with an idle one. */
const greediest = (networks: Iterable<Network>, amongProxies: boolean): Network | undefined =>
  largestOf(networks, ({ isProxy, idle, open }) => (isProxy === amongProxies && idle.size > 0 ? open : undefined))

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
    endIdleness(connection)
    if (network.open === 0) networks.delete(network.name)
  }

  /** Closes the longest idle connection of this network; false where there is none. */
  function closeIdle(network: Network | undefined): boolean {
    const oldest = network?.idle.first?.value
    if (network === undefined || oldest === undefined) return false
    forget(oldest)
    oldest.socket.destroy()
    report('closed', network.name)
    return true
  }

  function hasRoom(network: Network): boolean {
    if (!network.isProxy && network.open >= maxConnectionsPerAddress) return closeIdle(network)
    if (open.size < maxConnections || closeIdle(greediest(networks.values(), false))) return true
    // Those of proxies stay for their clients: else strangers who hold busy ones could shut these out.
    return network.isProxy && closeIdle(greediest(networks.values(), true))
  }

  return {
    admit(socket) {
      const wanted = networkFor(socket)
      if (!hasRoom(wanted)) {
        socket.destroy()
        // Dropped, because there may be many refused networks and none of their connections will ever be closed.
        if (wanted.open === 0) networks.delete(wanted.name)
        report('refused', wanted.name)
        return undefined
      }
      // Looked up again, since closing its last connection removes a network.
      const network = networkFor(socket)
      const connection: Open = { socket, network, idleEntry: undefined }
      let calls = 0
      open.add(connection)
      network.open += 1
      becomeIdle(connection)
      socket.once('close', () => forget(connection))
      return {
        begin() {
          calls += 1
          endIdleness(connection)
          return () => {
            calls -= 1
            if (calls === 0 && open.has(connection)) becomeIdle(connection)
          }
        },
      }
    },
  }
}
