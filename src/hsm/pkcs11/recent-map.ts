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
  older: Entry<V> | undefined
  newer: Entry<V> | undefined
}

export function createRecentMap<V>({ limit, dispose }: RecentMapOptions<V>): RecentMap<V> {
  // A list has the order. A Map has one, too, but a name that is moved to its end leaves a hole behind, and V8 walks over
  // all holes of a name when it is inserted again: with 10,000 others there, a name in steady use costs 30 µs each time.
  const entries = new Map<string, Entry<V>>()
  let newest: Entry<V> | undefined
  let oldest: Entry<V> | undefined

  const append = (entry: Entry<V>): void => {
    entry.older = newest
    if (newest === undefined) oldest = entry
    else newest.newer = entry
    newest = entry
  }
  const detach = (entry: Entry<V>): void => {
    const { older, newer } = entry
    if (older === undefined) oldest = newer
    else older.newer = newer
    if (newer === undefined) newest = older
    else newer.older = older
    entry.older = entry.newer = undefined
  }
  const drop = (entry: Entry<V> | undefined): void => {
    if (entry === undefined) return
    entries.delete(entry.name)
    detach(entry)
    dispose?.(entry.value)
  }

  return {
    get(name) {
      const entry = entries.get(name)
      if (entry !== undefined && entry !== newest) {
        detach(entry)
        append(entry)
      }
      return entry?.value
    },
    set(name, value) {
      drop(entries.get(name))
      if (entries.size >= limit) drop(oldest)
      const entry = { name, value, older: undefined, newer: undefined }
      entries.set(name, entry)
      append(entry)
    },
    delete: (name) => drop(entries.get(name)),
    dropWhere(fits) {
      for (const entry of entries.values()) if (fits(entry.value)) drop(entry)
    },
    dropOldest: () => drop(oldest),
    size: () => entries.size,
  }
}
