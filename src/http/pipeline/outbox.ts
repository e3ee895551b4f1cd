import { LinkedList, type ListItem } from '../../linked-list.ts'
import type { Transport } from '../contract/call-transport.ts'

/** The bytes of answers, and of their calls, that wait for their clients to take them. */
export interface Outbox {
  /**
   * Whether an answer may wait on this transport; `sent` counts it, until `sent` itself is called. The first always may.
   */
  admit(transport: Transport, bytes: number): { readonly sent: () => void } | undefined
}

export interface OutboxLimits {
  readonly perTransportBytes: number
  readonly totalBytes: number
}

const MiB = 1024 * 1024

/** For answers to callers who are not known: the document of the interface five times, and many refusals. */
export const unidentifiedOutbox: OutboxLimits = { perTransportBytes: 2 * MiB, totalBytes: 32 * MiB }

/** For answers to callers with a session; files have a budget of their own besides. */
export const callersOutbox: OutboxLimits = { perTransportBytes: 64 * MiB, totalBytes: 512 * MiB }

/** What waits on a transport. */
interface Load {
  readonly transport: Transport
  bytes: number
  /** Among those with anything that waits. */
  place: ListItem<Load> | undefined
}

/** Where there is no room in all, the connection with most waiting ends: whoever reads what he asked for is served. */
export function createOutbox({ perTransportBytes, totalBytes }: OutboxLimits): Outbox {
  const loads = new WeakMap<Transport, Load>()
  const waiting = new LinkedList<Load>()
  let total = 0

  function loadOf(transport: Transport): Load {
    const load = loads.get(transport) ?? { transport, bytes: 0, place: undefined }
    loads.set(transport, load)
    return load
  }

  function add(load: Load, bytes: number): void {
    total += bytes
    load.bytes += bytes
    if (load.bytes > 0) load.place ??= waiting.append(load)
    else {
      waiting.remove(load.place)
      load.place = undefined
    }
  }

  function makeRoom(): void {
    const [greediest] = [...waiting].toSorted((one, other) => other.bytes - one.bytes)
    greediest?.transport.destroy()
  }

  return {
    admit(transport, bytes) {
      const load = loadOf(transport)
      if (load.bytes > 0 && load.bytes + bytes > perTransportBytes) return undefined
      add(load, bytes)
      if (total > totalBytes) makeRoom()
      return { sent: () => add(load, -bytes) }
    },
  }
}
