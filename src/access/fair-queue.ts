/**
 * A queue that is fair to senders. Items are grouped by each of several keys, such as network and account. The keys take
 * turns, and each serves its groups round robin, so that a sender who shares a group with others under one key still has
 * a group of their own under another.
 */
export interface FairQueue<T> {
  readonly size: number
  add(item: T): void
  /** Removes and returns the item whose turn it is. */
  next(): T | undefined
  /**
   * Removes and returns the item that must give way to `item` in a full queue: the newest item of the largest group under
   * the last key. If that is the group of `item` itself, the key before it decides within the group. Undefined where no
   * key finds a larger group: `item` itself must be refused.
   */
  makeRoom(item: T): T | undefined
}

/** `keys`: each gives the group of an item. */
export function createFairQueue<T>(keys: readonly ((item: T) => string)[]): FairQueue<T> {
  /** For each key: the waiting items of each group. The first group has the next turn. */
  const orders = keys.map((senderOf) => ({ senderOf, waiting: new Map<string, Set<T>>() }))
  /** All items in the order of arrival. */
  const all = new Set<T>()
  let turn = 0

  /** `isServed`: the groups of the item go to the end. */
  function remove(item: T, isServed: boolean): T {
    all.delete(item)
    for (const { senderOf, waiting } of orders) {
      const sender = senderOf(item)
      const items = waiting.get(sender) ?? new Set()
      items.delete(item)
      if (isServed || items.size === 0) waiting.delete(sender)
      if (isServed && items.size > 0) waiting.set(sender, items)
    }
    return item
  }

  return {
    get size() {
      return all.size
    },

    add(item) {
      all.add(item)
      for (const { senderOf, waiting } of orders) {
        const sender = senderOf(item)
        waiting.set(sender, (waiting.get(sender) ?? new Set()).add(item))
      }
    },

    next() {
      const [first] = orders[turn++ % orders.length]?.waiting.values() ?? []
      const [item] = first ?? []
      return item === undefined ? undefined : remove(item, true)
    },

    makeRoom(item) {
      let among: readonly T[] = [...all]
      for (const { senderOf } of orders.toReversed()) {
        const own = among.filter((one) => senderOf(one) === senderOf(item))
        const most = largestGroup(among, senderOf)
        const last = most.at(-1)
        if (last !== undefined && own.length + 1 < most.length) return remove(last, false)
        if (own.length === most.length) among = own
      }
      return undefined
    },
  }
}

function largestGroup<T>(items: readonly T[], senderOf: (item: T) => string): readonly T[] {
  const groups = new Map<string, T[]>()
  let largest: T[] = []
  for (const item of items) {
    const group = groups.get(senderOf(item)) ?? []
    group.push(item)
    groups.set(senderOf(item), group)
    if (group.length > largest.length) largest = group
  }
  return largest
}
