import { boundsOf, classNames, type CharacterClass, type PolicyRules } from './policies.ts'

/**
 * All passwords of one kind, numbered: a uniform random number below `size` gives a uniform random password, whose
 * entropy in bits is the binary logarithm of `size`.
 */
export interface Choices {
  readonly size: bigint
  /** The password with number `n`, from 0. */
  nth(n: bigint): string
}

/** Combinations of one element of each set, in the order of the sets. */
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

/** The union of two disjoint sets. */
export function either(first: Choices, second: Choices): Choices {
  return {
    size: first.size + second.size,
    nth: (n) => (n < first.size ? first.nth(n) : second.nth(n - first.size)),
  }
}

export function repeated<T>(item: T, times: number): T[] {
  return Array.from({ length: times }, () => item)
}

/** The entropy of a uniform random number below `size`, in bits, rounded down. */
export function bitsOf(size: bigint): number {
  return size.toString(2).length - 1
}

/** The printable characters of ASCII, except the blank. */
const alphabets: Readonly<Record<CharacterClass, string>> = {
  lowercase: 'abcdefghijklmnopqrstuvwxyz',
  uppercase: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  numeric: '0123456789',
  nonalphanumeric: '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
}

/** How many characters of each class stand before a position, counted no further than the rules need. */
type Counts = readonly number[]

/**
 * All passwords of `length` characters that satisfy the rules. How many ways there are to continue at a position
 * depends only on the counts before it. A table holds these numbers, and the n-th password is found by following them.
 */
export function satisfying(rules: PolicyRules, length: number): Choices {
  const { length: lengths, counts: ranges, barredFirst, barredLast } = boundsOf(rules)
  const known = new Map<string, bigint>()

  const allowedAt = (position: number): CharacterClass[] =>
    classNames.filter(
      (name) =>
        !(position === 0 && barredFirst.includes(name)) && !(position === length - 1 && barredLast.includes(name)),
    )

  /** The counts after one more character of this class; undefined where the rules allow no more. */
  function after(counts: Counts, name: CharacterClass): Counts | undefined {
    const { least, most } = ranges[name]
    const at = classNames.indexOf(name)
    const count = (counts[at] ?? 0) + 1
    if (count > most) return undefined
    return counts.with(at, most === Infinity ? Math.min(count, least) : count)
  }

  function ways(position: number, counts: Counts): bigint {
    if (position === length) return classNames.every((name, at) => (counts[at] ?? 0) >= ranges[name].least) ? 1n : 0n
    const key = `${position}:${counts.join()}`
    const counted = known.get(key)
    if (counted !== undefined) return counted
    const sum = stepsAt(position, counts).reduce(
      (total, { letters, onward }) => total + BigInt(letters.length) * onward,
      0n,
    )
    known.set(key, sum)
    return sum
  }

  function stepsAt(position: number, counts: Counts) {
    return allowedAt(position).flatMap((name) => {
      const next = after(counts, name)
      return next === undefined ? [] : [{ letters: alphabets[name], next, onward: ways(position + 1, next) }]
    })
  }

  const none = classNames.map(() => 0)
  const fits = length >= lengths.least && length <= lengths.most
  return {
    size: fits ? ways(0, none) : 0n,
    nth(n) {
      let [rest, counts, password] = [n, none as Counts, '']
      while (password.length < length) {
        for (const { letters, next, onward } of stepsAt(password.length, counts)) {
          const block = BigInt(letters.length) * onward
          if (rest < block) {
            password += letters.charAt(Number(rest / onward))
            ;[rest, counts] = [rest % onward, next]
            break
          }
          rest -= block
        }
      }
      return password
    },
  }
}
