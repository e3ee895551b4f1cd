/**
 * Everything that one kind of password can be, counted through: a number that is drawn evenly below `size` gives a
 * password that is drawn evenly, and `size` tells exactly what it is worth.
 */
export interface Choices {
  readonly size: bigint
  /** The n-th of them, from 0. */
  nth(n: bigint): string
}

/** One element of each set, in the order of the sets. */
export function sequence(sets: readonly (readonly string[])[], delimiter = ''): Choices {
  return {
    size: sets.reduce((size, set) => size * BigInt(set.length), 1n),
    nth(n) {
      let rest = n
      const chosen = sets.map((set) => {
        const count = BigInt(set.length)
        const one = set[Number(rest % count)]
        rest /= count
        return one
      })
      return chosen.join(delimiter)
    },
  }
}

/** What is in one of two that have nothing in common. */
export function either(first: Choices, second: Choices): Choices {
  return {
    size: first.size + second.size,
    nth: (n) => (n < first.size ? first.nth(n) : second.nth(n - first.size)),
  }
}

export function repeated<T>(item: T, times: number): T[] {
  return Array.from({ length: times }, () => item)
}

/** Whole bits of what a number below `size` is worth. */
export function bitsOf(size: bigint): number {
  return size.toString(2).length - 1
}
