import { LinkedList, type ListItem } from '../../linked-list.ts'
import type { Transport } from '../contract/call-transport.ts'

/** Bounds the memory of answers, and of their calls, that clients have not received yet. */
export interface AnswerBudget {
  /**
   * Counts an answer that waits on this transport; `sent` is to be called once it has left. Undefined where the transport
   * has too much waiting already; its first answer is always admitted.
   */
  admit(transport: Transport, bytes: number): { readonly sent: () => void } | undefined
}

export interface AnswerLimits {
  readonly perTransportBytes: number
  readonly totalBytes: number
}

const MiB = 1024 * 1024

/** For answers to unidentified callers: room for five OpenAPI documents per transport, or for many refusals. */
export const unidentifiedAnswerLimits: AnswerLimits = { perTransportBytes: 2 * MiB, totalBytes: 32 * MiB }

/** For answers to callers with a session. Files have a budget of their own (`memory-budget.ts`). */
export const callersAnswerLimits: AnswerLimits = { perTransportBytes: 64 * MiB, totalBytes: 512 * MiB }

/** The unsent bytes of one transport. */
interface Load {
  readonly transport: Transport
  bytes: number
  /** Its entry in the list of transports with unsent bytes. */
  entry: ListItem<Load> | undefined
}

/**
 * When all answers together exceed `totalBytes`, the transport with most unsent bytes is closed: clients that read are
 * served.
 */
export function createAnswerBudget({ perTransportBytes, totalBytes }: AnswerLimits): AnswerBudget {
  const loads = new WeakMap<Transport, Load>()
  const waiting = new LinkedList<Load>()
  let total = 0

  function loadOf(transport: Transport): Load {
    const load = loads.get(transport) ?? { transport, bytes: 0, entry: undefined }
    loads.set(transport, load)
    return load
  }

  function add(load: Load, bytes: number): void {
    total += bytes
    load.bytes += bytes
    if (load.bytes > 0) load.entry ??= waiting.append(load)
    else {
      waiting.remove(load.entry)
      load.entry = undefined
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
