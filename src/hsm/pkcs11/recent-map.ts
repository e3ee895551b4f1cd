import { LinkedList, type ListItem } from '../../linked-list.ts'

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

  const drop = (name: string | undefined): void => {
    const item = name === undefined ? undefined : entries.get(name)
    if (item === undefined) return
    entries.delete(item.value.name)
    order.remove(item)
    dispose?.(item.value.value)
  }

  return {
    get(name) {
      const item = entries.get(name)
      if (item !== undefined) order.moveToEnd(item)
      return item?.value.value
    },
    set(name, value) {
      drop(name)
      if (entries.size >= limit) drop(order.first?.value.name)
      entries.set(name, order.append({ name, value }))
    },
    delete: drop,
    dropWhere(fits) {
      for (const { name, value } of order) if (fits(value)) drop(name)
    },
    dropOldest: () => drop(order.first?.value.name),
    size: () => entries.size,
  }
}
