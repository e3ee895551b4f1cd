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
   * Takes out what has to make room for `item`: the last of the sender with the most waiting, by the first way by which
   * that is not the sender of `item`; undefined where there is none.
   */
  makeRoom(item: T): T | undefined
}

/** `ways`: by whom an item was sent. */
export function createTurns<T>(ways: readonly ((item: T) => string)[]): Turns<T> {
  /** Of each way: what each sender has waiting, the sender with the next turn first. */
  const orders = ways.map((senderOf) => ({ senderOf, waiting: new Map<string, Set<T>>() }))
  let [size, turn] = [0, 0]

  /** `isServed`: its senders stand behind all others now. */
  function remove(item: T, isServed: boolean): T {
    size -= 1
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
      return size
    },

    add(item) {
      size += 1
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
      for (const { senderOf, waiting } of orders) {
        let most = new Set<T>()
        for (const items of waiting.values()) if (items.size > most.size) most = items
        if ((waiting.get(senderOf(item))?.size ?? 0) + 1 >= most.size) continue
        const last = [...most].at(-1)
        if (last !== undefined) return remove(last, false)
      }
      return undefined
    },
  }
}
