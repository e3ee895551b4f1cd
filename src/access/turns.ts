/**
 * What waits for its turn. The ways to tell who sent it, such as by network and by account, choose one after the other,
 * and each gives the turns to its senders round robin: a sender who cannot be told from others by one way is told by
 * the next, and a sender of many waits for none of the others more than a few turns.
 */
export interface Turns<T> {
  readonly size: number
  add(item: T): void
  /** Takes out what has its turn. */
  next(): T | undefined
  /**
   * Takes out what has to make room for `item`: the last of the sender with the most waiting, by the last way first. Where
   * that is the sender of `item`, the next way tells among what is that sender's; undefined where none does.
   */
  makeRoom(item: T): T | undefined
}

/** `ways`: by whom an item was sent. */
export function createTurns<T>(ways: readonly ((item: T) => string)[]): Turns<T> {
  /** Of each way: what each sender has waiting, the sender with the next turn first. */
  const orders = ways.map((senderOf) => ({ senderOf, waiting: new Map<string, Set<T>>() }))
  /** In the order of coming. */
  const all = new Set<T>()
  let turn = 0

  /** `isServed`: its senders stand behind all others now. */
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
