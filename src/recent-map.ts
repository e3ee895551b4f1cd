import { LinkedList, type ListItem } from './linked-list.ts'

export interface RecentMapOptions<V> {
  /** The most that it keeps. */
  readonly limit: number
  /** Called with each value that it gives up. */
  readonly dispose?: (value: V) => void
}

/** The values that were used last. A process that holds the token loads no package for so little (decision 31). */
export interface RecentMap<V> {
  get(name: string): V | undefined
  set(name: string, value: V): void
  delete(name: string): void
  /** Gives up those that fit. */
  dropWhere(fits: (value: V) => boolean): void
  /** Gives up the one that was not used for longest. */
  dropOldest(): void
  size(): number
}

interface Entry<V> {
  readonly name: string
  readonly value: V
}

export function createRecentMap<V>({ limit, dispose }: RecentMapOptions<V>): RecentMap<V> {
  // A Map would have the order, too, but a name that is moved to its end leaves a hole behind, and V8 walks over all
  // holes of a name when it is inserted again: with 10,000 others, a name in steady use would cost 30 µs a time.
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
      if (entries.size >= limit) drop(order.first)
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
