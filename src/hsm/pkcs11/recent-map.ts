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

export function createRecentMap<V>({ limit, dispose }: RecentMapOptions<V>): RecentMap<V> {
  // A Map keeps the order of insertion: what is used is inserted anew, and the first is the oldest.
  const values = new Map<string, V>()

  const drop = (name: string): void => {
    const value = values.get(name)
    if (value === undefined) return
    values.delete(name)
    dispose?.(value)
  }
  const dropOldest = (): void => {
    for (const name of values.keys()) return drop(name)
  }

  return {
    get(name) {
      const value = values.get(name)
      if (value === undefined) return undefined
      values.delete(name)
      values.set(name, value)
      return value
    },
    set(name, value) {
      drop(name)
      if (values.size >= limit) dropOldest()
      values.set(name, value)
    },
    delete: drop,
    dropWhere(fits) {
      for (const [name, value] of values) if (fits(value)) drop(name)
    },
    dropOldest,
    size: () => values.size,
  }
}
