/**
 * A queue that is fair to senders: items are grouped by each of several keys, such as network and account. The keys take turns, and
 * each serves its groups round robin: a sender who shares a group with others by one key has one of their own by another.
 */
export interface Turns<T> {
  readonly size: number
  add(item: T): void
  /** Takes out the item whose turn it is. */
  next(): T | undefined
  /**
   * Takes out what has to make room for `item`: the last item of the largest group, by the last key first. Where that is the
   * group of `item`, the key before chooses within it; undefined where none does.
   */
  makeRoom(item: T): T | undefined
}

/** `keys`: by whom an item was sent. */
export function createTurns<T>(keys: readonly ((item: T) => string)[]): Turns<T> {
  /** For each key: what each group has waiting, the group with the next turn first. */
  const orders = keys.map((senderOf) => ({ senderOf, waiting: new Map<string, Set<T>>() }))
  /** In the order of coming. */
  const all = new Set<T>()
  let turn = 0

  /** `isServed`: its groups stand behind all others now. */
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
