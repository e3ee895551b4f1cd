import { Fault } from '../../fault.ts'
import { LinkedList, type ListItem } from '../../linked-list.ts'

/** What one worker holds of calls whose bodies are on their way. */
export interface BodyBudget {
  /** Begins a body from this sender: a network, or a user. */
  begin(sender: string): HeldBody
}

export interface HeldBody {
  /** Counts bytes that are kept. Where there is no room, the oldest body of the sender who holds most goes. */
  take(bytes: number): void
  /** Has `refuse` called when this body has to go; at once where it had to already. */
  onRefusal(refuse: (fault: Fault) => void): void
  /** The body is no longer held, or its caller is known. */
  release(): void
}

interface Holder {
  bytes: number
  refuse: (fault: Fault) => void
  hasToGo: boolean
}

const nothing = (): void => {}

interface Sender {
  readonly name: string
  bytes: number
  /** The oldest first. */
  readonly holders: LinkedList<Holder>
}

/** How long a client that was refused is told to wait. */
const retryAfterMs = 1_000

const refusal = (): Fault => new Fault('appliance.busy', undefined, { retryAfterMs })

/** Who sends many bodies and ends none takes the room from himself, and not from others. */
export function createBodyBudget(totalBytes: number): BodyBudget {
  const senders = new Map<string, Sender>()
  let held = 0

  function senderFor(name: string): Sender {
    const sender = senders.get(name) ?? { name, bytes: 0, holders: new LinkedList() }
    senders.set(name, sender)
    return sender
  }

  function release(sender: Sender, item: ListItem<Holder>): void {
    if (!sender.holders.remove(item)) return
    const holder = item.value
    holder.refuse = nothing
    held -= holder.bytes
    sender.bytes -= holder.bytes
    if (sender.holders.size === 0) senders.delete(sender.name)
  }

  function greediest(): Sender | undefined {
    let found: Sender | undefined
    for (const sender of senders.values()) if (found === undefined || sender.bytes > found.bytes) found = sender
    return found
  }

  function makeRoom(): void {
    while (held > totalBytes) {
      const sender = greediest()
      const oldest = sender?.holders.first
      if (sender === undefined || oldest === undefined) return
      const { refuse } = oldest.value
      release(sender, oldest)
      oldest.value.hasToGo = true
      refuse(refusal())
    }
  }

  return {
    begin(name) {
      const sender = senderFor(name)
      const holder: Holder = { bytes: 0, refuse: nothing, hasToGo: false }
      const item = sender.holders.append(holder)
      return {
        take(bytes) {
          if (!sender.holders.has(item)) return
          holder.bytes += bytes
          sender.bytes += bytes
          held += bytes
          makeRoom()
        },
        // No promise: one that nobody ever settles kept its call in memory until the next full collection.
        onRefusal(refuse) {
          if (holder.hasToGo) refuse(refusal())
          else holder.refuse = refuse
        },
        release: () => release(sender, item),
      }
    },
  }
}
