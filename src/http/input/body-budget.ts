import { Fault } from '../../fault.ts'
import { largestOf } from '../../largest.ts'
import { LinkedList, type ListItem } from '../../linked-list.ts'

/** The memory of one worker for the bodies of calls. */
export interface BodyBudget {
  /** Begins a body of this sender: a network, or a user. */
  begin(sender: string): HeldBody
}

export interface HeldBody {
  /**
   * Counts bytes that are kept. When the budget is exceeded, the oldest incoming body of the sender with most bytes is
   * refused.
   */
  take(bytes: number): void
  /** Calls `refuse` when this body is refused; at once if it already was. */
  onRefusal(refuse: (fault: Fault) => void): void
  /** The body is complete and cannot be refused any more. It counts until it is released. */
  keep(): void
  /** The memory of the body is free again. */
  release(): void
}

export interface BudgetLimits {
  readonly totalBytes: number
  /** Limit per sender. A sender's only body may exceed it. */
  readonly perSenderBytes: number
}

interface Holder {
  bytes: number
  refuse: (fault: Fault) => void
  hasToGo: boolean
  /** Its entry among the incoming bodies of its sender. */
  entry: ListItem<Holder> | undefined
}

interface Sender {
  readonly name: string
  bytes: number
  bodies: number
  /** Incoming bodies, the oldest first. */
  readonly coming: LinkedList<Holder>
}

const nothing = (): void => {}

/** How long a refused client is told to wait. */
const retryAfterMs = 1_000

const refusal = (): Fault => new Fault('appliance.busy', undefined, { retryAfterMs })

/** Bounds the memory of bodies. A sender who begins many bodies and completes none takes room only from their own. */
export function createBodyBudget({ totalBytes, perSenderBytes }: BudgetLimits): BodyBudget {
  const senders = new Map<string, Sender>()
  let held = 0

  function senderFor(name: string): Sender {
    const sender = senders.get(name) ?? { name, bytes: 0, bodies: 0, coming: new LinkedList() }
    senders.set(name, sender)
    return sender
  }

  function keep(sender: Sender, holder: Holder): void {
    sender.coming.remove(holder.entry)
    holder.entry = undefined
    holder.refuse = nothing
  }

  function release(sender: Sender, holder: Holder): void {
    keep(sender, holder)
    held -= holder.bytes
    sender.bytes -= holder.bytes
    sender.bodies -= 1
    if (sender.bodies === 0) senders.delete(sender.name)
  }

  const greediest = (): Sender | undefined =>
    largestOf(senders.values(), ({ coming, bytes }) => (coming.size > 0 ? bytes : undefined))

  /** Refuses the oldest incoming body of a sender; false where there is none. */
  function dropOldest(sender: Sender | undefined): boolean {
    const oldest = sender?.coming.first?.value
    if (sender === undefined || oldest === undefined) return false
    const { refuse } = oldest
    release(sender, oldest)
    oldest.hasToGo = true
    refuse(refusal())
    return true
  }

  const isFull = (): boolean => held > totalBytes

  function makeRoom(sender: Sender): void {
    const hasTooMuch = (): boolean => sender.bodies > 1 && sender.bytes > perSenderBytes
    while (hasTooMuch()) if (!dropOldest(sender)) break
    while (isFull()) if (!dropOldest(greediest())) break
  }

  return {
    begin(name) {
      const sender = senderFor(name)
      const holder: Holder = { bytes: 0, refuse: nothing, hasToGo: false, entry: undefined }
      holder.entry = sender.coming.append(holder)
      sender.bodies += 1
      let isHeld = true
      const isThere = (): boolean => isHeld && !holder.hasToGo
      return {
        take(bytes) {
          if (!isThere()) return
          holder.bytes += bytes
          sender.bytes += bytes
          held += bytes
          makeRoom(sender)
        },
        // A callback and not a promise: a promise that never settles would keep its call in memory until the next full
        // collection.
        onRefusal(refuse) {
          if (holder.hasToGo) refuse(refusal())
          else if (holder.entry !== undefined) holder.refuse = refuse
        },
        keep: () => keep(sender, holder),
        release() {
          if (isThere()) release(sender, holder)
          isHeld = false
        },
      }
    },
  }
}

/** A body that is moved to another budget while it arrives, once its caller is known. */
export interface PassedBody extends HeldBody {
  passTo(next: HeldBody): void
}

export function createPassedBody(first: HeldBody): PassedBody {
  let current = first
  let bytes = 0
  let refuse: (fault: Fault) => void = nothing
  let isReleased = false
  return {
    take(more) {
      bytes += more
      current.take(more)
    },
    onRefusal(told) {
      refuse = told
      current.onRefusal(told)
    },
    keep: () => current.keep(),
    release() {
      isReleased = true
      current.release()
    },
    passTo(next) {
      current.release()
      current = next
      // The body may have been aborted while its caller was looked up.
      if (isReleased) return next.release()
      next.onRefusal(refuse)
      next.take(bytes)
    },
  }
}
