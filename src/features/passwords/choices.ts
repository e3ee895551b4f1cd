import { boundsOf, classNames, type CharacterClass, type PolicyRules } from './policies.ts'

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

/** The printable characters of ASCII but the blank. */
const alphabets: Readonly<Record<CharacterClass, string>> = {
  lowercase: 'abcdefghijklmnopqrstuvwxyz',
  uppercase: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  numeric: '0123456789',
  nonalphanumeric: '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
}

/** How many characters of each class stand before a place; no further than it matters. */
type Counts = readonly number[]

/**
 * All passwords of `length` characters that break no rule. How many ways lead on from a place depends only on the
 * counts before it, so all of them are counted in a table, and the n-th is found by walking along it.
 */
export function satisfying(rules: PolicyRules, length: number): Choices {
  const { length: lengths, counts: ranges, barredFirst, barredLast } = boundsOf(rules)
  const known = new Map<string, bigint>()

  const allowedAt = (place: number): CharacterClass[] =>
    classNames.filter(
      (name) => !(place === 0 && barredFirst.includes(name)) && !(place === length - 1 && barredLast.includes(name)),
    )

  /** The counts after one more of this class; undefined when that is too many. */
  function after(counts: Counts, name: CharacterClass): Counts | undefined {
    const { least, most } = ranges[name]
    const at = classNames.indexOf(name)
    const count = (counts[at] ?? 0) + 1
    if (count > most) return undefined
    return counts.with(at, most === Infinity ? Math.min(count, least) : count)
  }

  function ways(place: number, counts: Counts): bigint {
    if (place === length) return classNames.every((name, at) => (counts[at] ?? 0) >= ranges[name].least) ? 1n : 0n
    const key = `${place}:${counts.join()}`
    const counted = known.get(key)
    if (counted !== undefined) return counted
    const sum = stepsAt(place, counts).reduce(
      (total, { letters, onward }) => total + BigInt(letters.length) * onward,
      0n,
    )
    known.set(key, sum)
    return sum
  }

  function stepsAt(place: number, counts: Counts) {
    return allowedAt(place).flatMap((name) => {
      const next = after(counts, name)
      return next === undefined ? [] : [{ letters: alphabets[name], next, onward: ways(place + 1, next) }]
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
