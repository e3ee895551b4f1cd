import { Fault } from '../../fault.ts'
import { LinkedList, type ListItem } from '../../linked-list.ts'

/** What one worker holds of the bodies of calls whose callers it does not know yet. */
export interface BodyBudget {
  /** Begins a body from this network. */
  begin(network: string): HeldBody
}

export interface HeldBody {
  /** Counts bytes that are kept. Where there is no room, the oldest body of the network that holds most goes. */
  take(bytes: number): void
  /** Has `refuse` called when this body has to go. */
  onRefusal(refuse: (fault: Fault) => void): void
  /** The body is no longer held, or its caller is known. */
  release(): void
}

interface Holder {
  bytes: number
  refuse: (fault: Fault) => void
}

const nothing = (): void => {}

interface Network {
  readonly name: string
  bytes: number
  /** The oldest first. */
  readonly holders: LinkedList<Holder>
}

/** How long a client that was refused is told to wait. */
const retryAfterMs = 1_000

/** A stranger who sends many bodies and ends none takes the room from himself, and not from others. */
export function createBodyBudget(totalBytes: number): BodyBudget {
  const networks = new Map<string, Network>()
  let held = 0

  function networkFor(name: string): Network {
    const network = networks.get(name) ?? { name, bytes: 0, holders: new LinkedList() }
    networks.set(name, network)
    return network
  }

  function release(network: Network, item: ListItem<Holder>): void {
    if (!network.holders.remove(item)) return
    const holder = item.value
    holder.refuse = nothing
    held -= holder.bytes
    network.bytes -= holder.bytes
    if (network.holders.size === 0) networks.delete(network.name)
  }

  function makeRoom(): void {
    let greediest: Network | undefined
    for (const network of networks.values())
      if (greediest === undefined || network.bytes > greediest.bytes) greediest = network
    const oldest = greediest?.holders.first
    if (greediest === undefined || oldest === undefined) return
    const { refuse } = oldest.value
    release(greediest, oldest)
    refuse(new Fault('appliance.busy', undefined, { retryAfterMs }))
  }

  return {
    begin(name) {
      const network = networkFor(name)
      const holder: Holder = { bytes: 0, refuse: nothing }
      const item = network.holders.append(holder)
      return {
        take(bytes) {
          if (!network.holders.has(item)) return
          holder.bytes += bytes
          network.bytes += bytes
          held += bytes
          if (held > totalBytes) makeRoom()
        },
        // No promise: one that nobody ever settles kept its call in memory until the next full collection.
        onRefusal: (refuse) => void (holder.refuse = refuse),
        release: () => release(network, item),
      }
    },
  }
}
