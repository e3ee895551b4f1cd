import { LinkedList, type ListItem } from './linked-list.ts'

export interface RecentMapOptions<V> {
  /** The most values that it keeps. */
  readonly limit: number
  /** Called with each value that is removed or replaced. */
  readonly dispose?: (value: V) => void
  /** Called with each value that is removed because there was no more room. */
  readonly evicted?: (value: V) => void
}

/**
 * A map of the most recently used values. A process that holds the token loads as few packages as possible (decision
 * 31), so this is our own code.
 */
export interface RecentMap<V> {
  get(name: string): V | undefined
  set(name: string, value: V): void
  delete(name: string): void
  /** Removes the values for which `fits` is true. */
  dropWhere(fits: (value: V) => boolean): void
  /** Removes the least recently used value. */
  dropOldest(): void
  size(): number
}

interface Entry<V> {
  readonly name: string
  readonly value: V
}

export function createRecentMap<V>({ limit, dispose, evicted }: RecentMapOptions<V>): RecentMap<V> {
  // A Map alone would also keep the order. But moving a name to its end leaves a hole, and V8 walks over all holes of a
  // name when it inserts that name again. Among 10,000 others, a frequently used name would cost 30 µs each time.
  const entries = new Map<string, ListItem<Entry<V>>>()
  const order = new LinkedList<Entry<V>>()

  const drop = (item: ListItem<Entry<V>> | undefined): void => {
    if (item === undefined) return
    const { name, value } = item.value
    entries.delete(name)
    order.remove(item)
    dispose?.(value)
  }

  return {
    get(name) {
      const item = entries.get(name)
      order.moveToEnd(item)
      return item?.value.value
    },
    set(name, value) {
      drop(entries.get(name))
      if (entries.size >= limit && order.first !== undefined) {
        evicted?.(order.first.value.value)
        drop(order.first)
      }
      entries.set(name, order.append({ name, value }))
    },
    delete: (name) => drop(entries.get(name)),
    dropWhere(fits) {
      for (const item of entries.values()) if (fits(item.value.value)) drop(item)
    },
    dropOldest: () => drop(order.first),
    size: () => entries.size,
  }
}
