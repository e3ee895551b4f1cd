import { createAddressList } from '../access/address-list.ts'
import { networkOf } from '../access/network.ts'
import { largestOf } from '../largest.ts'
import { LinkedList } from '../linked-list.ts'

/** What waits for a worker: a connection that the primary has accepted. */
interface Closable {
  close(): void
}

export interface WaitingRules {
  /** The largest number that waits at once. */
  readonly most: number
  /** Addresses that stand for many clients: their connections make room only where no others wait. */
  readonly proxies: readonly string[]
}

/**
 * The connections that wait for a worker. The networks take turns, so that a client that opens many waits for itself,
 * and others do not wait for it. Beyond the limit, the longest waiting one of the network with most is closed.
 */
export interface WaitingConnections<T extends Closable> {
  add(connection: T, address: string): void
  /** Removes and returns the longest waiting connection of the network whose turn it is. */
  next(): T | undefined
  closeAll(): void
}

interface Network<T> {
  readonly name: string
  readonly isProxy: boolean
  /** The longest waiting first. */
  readonly waiting: LinkedList<T>
}

export function createWaitingConnections<T extends Closable>(
  { most, proxies }: WaitingRules,
  closed: (network: string) => void,
): WaitingConnections<T> {
  const isProxy = createAddressList(proxies)
  /** In the order of their turns. */
  const networks = new Map<string, Network<T>>()
  let size = 0

  function takeFrom(network: Network<T>): T | undefined {
    const { first } = network.waiting
    if (network.waiting.remove(first)) size -= 1
    if (network.waiting.size === 0) networks.delete(network.name)
    return first?.value
  }

  function makeRoom(): void {
    const network = greediest(networks.values(), false) ?? greediest(networks.values(), true)
    if (network === undefined) return
    takeFrom(network)?.close()
    closed(network.name)
  }

  function next(): T | undefined {
    const [network] = networks.values()
    if (network === undefined) return undefined
    const taken = takeFrom(network)
    if (networks.delete(network.name)) networks.set(network.name, network)
    return taken
  }

  return {
    add(connection, address) {
      const name = networkOf(address)
      const network = networks.get(name) ?? { name, isProxy: isProxy(address), waiting: new LinkedList<T>() }
      networks.set(name, network)
      network.waiting.append(connection)
      size += 1
      if (size > most) makeRoom()
    },
    next,
    closeAll() {
      for (let one = next(); one !== undefined; one = next()) one.close()
    },
  }
}

const greediest = <T>(networks: Iterable<Network<T>>, amongProxies: boolean): Network<T> | undefined =>
  largestOf(networks, ({ isProxy, waiting }) => (isProxy === amongProxies ? waiting.size : undefined))
