import { LinkedList, type ListItem } from '../../linked-list.ts'

/** What carries answers: the connection of HTTP/1.1, or the session of HTTP/2. */
export interface Bearer {
  destroy(): void
}

/** The bytes of answers, and of their calls, that wait for their clients to take them. */
export interface Outbox {
  /**
   * Whether an answer may wait on this bearer; `sent` counts it, until `sent` itself is called. The first always may.
   */
  admit(bearer: Bearer, bytes: number): { readonly sent: () => void } | undefined
}

export interface OutboxLimits {
  readonly perBearerBytes: number
  readonly totalBytes: number
}

const MiB = 1024 * 1024

/** For answers to callers who are not known: the document of the interface five times, and many refusals. */
export const unidentifiedOutbox: OutboxLimits = { perBearerBytes: 2 * MiB, totalBytes: 32 * MiB }

/** For answers to callers with a session; files have a budget of their own besides. */
export const callersOutbox: OutboxLimits = { perBearerBytes: 64 * MiB, totalBytes: 512 * MiB }

/** What waits on a bearer. */
interface Load {
  readonly bearer: Bearer
  bytes: number
  /** Among those with anything that waits. */
  place: ListItem<Load> | undefined
}

/** Where there is no room in all, the connection with most waiting ends: whoever reads what he asked for is served. */
export function createOutbox({ perBearerBytes, totalBytes }: OutboxLimits): Outbox {
  const loads = new WeakMap<Bearer, Load>()
  const waiting = new LinkedList<Load>()
  let total = 0

  function loadOf(bearer: Bearer): Load {
    const load = loads.get(bearer) ?? { bearer, bytes: 0, place: undefined }
    loads.set(bearer, load)
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
    greediest?.bearer.destroy()
  }

  return {
    admit(bearer, bytes) {
      const load = loadOf(bearer)
      if (load.bytes > 0 && load.bytes + bytes > perBearerBytes) return undefined
      add(load, bytes)
      if (total > totalBytes) makeRoom()
      return { sent: () => add(load, -bytes) }
    },
  }
}
