import { Fault } from '../../fault.ts'

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
  bytes: number
  /** The oldest first. */
  readonly holders: Set<Holder>
}

/** How long a client that was refused is told to wait. */
const retryAfterMs = 1_000

/** A stranger who sends many bodies and ends none takes the room from himself, and not from others. */
export function createBodyBudget(totalBytes: number): BodyBudget {
  const networks = new Map<string, Network>()
  let held = 0

  function release(name: string, holder: Holder): void {
    const network = networks.get(name)
    if (network?.holders.delete(holder) !== true) return
    holder.refuse = nothing
    held -= holder.bytes
    network.bytes -= holder.bytes
    if (network.holders.size === 0) networks.delete(name)
  }

  function makeRoom(): void {
    let greediest: readonly [string, Network] | undefined
    for (const entry of networks) if (greediest === undefined || entry[1].bytes > greediest[1].bytes) greediest = entry
    const [oldest] = greediest?.[1].holders ?? []
    if (greediest === undefined || oldest === undefined) return
    const { refuse } = oldest
    release(greediest[0], oldest)
    refuse(new Fault('appliance.busy', undefined, { retryAfterMs }))
  }

  return {
    begin(name) {
      const holder: Holder = { bytes: 0, refuse: nothing }
      const network = networks.get(name) ?? { bytes: 0, holders: new Set() }
      networks.set(name, network)
      network.holders.add(holder)
      return {
        take(bytes) {
          if (!network.holders.has(holder)) return
          holder.bytes += bytes
          network.bytes += bytes
          held += bytes
          if (held > totalBytes) makeRoom()
        },
        // No promise: one that nobody ever settles kept its call in memory until the next full collection.
        onRefusal: (refuse) => void (holder.refuse = refuse),
        release: () => release(name, holder),
      }
    },
  }
}
