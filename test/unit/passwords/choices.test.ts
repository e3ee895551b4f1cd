import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bitsOf, type Choices, either, satisfying, sequence } from '../../../src/features/passwords/choices.ts'
import { diceWords } from '../../../src/features/passwords/dice-words.ts'
import { opieChoices, opieWords } from '../../../src/features/passwords/opie.ts'
import { breaksPolicy, passwordPolicies, type PolicyRules } from '../../../src/features/passwords/policies.ts'

const all = (choices: Choices): string[] =>
  Array.from({ length: Number(choices.size) }, (_, n) => choices.nth(BigInt(n)))

describe('choices', () => {
  it('of sets are all that can be put together, each once', () => {
    const sets = [['a', 'b'], ['1', '2', '3'], ['x']]
    expect(new Set(all(sequence(sets, '-')))).toEqual(new Set(['a-1-x', 'a-2-x', 'a-3-x', 'b-1-x', 'b-2-x', 'b-3-x']))
    expect(all(either(sequence([['a', 'b']]), sequence([['1'], ['2', '3']])))).toEqual(['a', 'b', '12', '13'])
  })

  it('tell what they are worth', () => {
    expect([1n, 2n, 1023n, 1024n, 10n ** 4n, 1n << 128n].map(bitsOf)).toEqual([0, 1, 9, 10, 13, 128])
  })
})

/** What a policy must choose from, found by trying everything that two characters of ASCII can be. */
function byTrying(rules: PolicyRules): Set<string> {
  const ascii = Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at))
  return new Set(ascii.flatMap((one) => ascii.map((two) => one + two)).filter((text) => !breaksPolicy({ rules }, text)))
}

describe('the passwords of a policy', () => {
  const rules: readonly PolicyRules[] = [
    {},
    { min_numeric_chars: 1 },
    { min_lowercase_chars: 1, min_uppercase_chars: 1 },
    { max_lowercase_chars: 1, max_nonalphanumeric_chars: 0 },
    { min_numeric_chars: 1, max_numeric_chars: 1, disallow_numeric_first: true },
    { disallow_numeric_chars: true, disallow_nonalphanumeric_last: true },
    { disallow_numeric_first: true, disallow_numeric_last: true, disallow_nonalphanumeric_first: true },
    { min_length: 2, max_length: 2, min_nonalphanumeric_chars: 2 },
    { min_numeric_chars: 1, disallow_numeric_chars: true },
    { min_lowercase_chars: 3 },
    { min_length: 3 },
    { max_length: 1 },
  ]
  it.each(rules)('are exactly those that break no rule, each once: %j', (rule) => {
    const passwords = all(satisfying(rule, 2))
    expect(new Set(passwords)).toEqual(byTrying(rule))
    expect(new Set(passwords).size).toBe(passwords.length)
  })

  const range = fc.option(fc.nat(4), { nil: undefined })
  const flag = fc.option(fc.boolean(), { nil: undefined })
  const anyRules = fc
    .record({
      min_lowercase_chars: range,
      max_lowercase_chars: range,
      min_uppercase_chars: range,
      max_uppercase_chars: range,
      min_numeric_chars: range,
      max_numeric_chars: range,
      min_nonalphanumeric_chars: range,
      max_nonalphanumeric_chars: range,
      disallow_numeric_chars: flag,
      disallow_numeric_first: flag,
      disallow_numeric_last: flag,
      disallow_nonalphanumeric_chars: flag,
      disallow_nonalphanumeric_first: flag,
      disallow_nonalphanumeric_last: flag,
    })
    .map((given) => Object.fromEntries(Object.entries(given).filter(([, rule]) => rule !== undefined)) as PolicyRules)

  it('keep any rules there can be, whichever of them is taken', () => {
    const share = fc.bigInt(0n, 1_000_000n)
    fc.assert(
      fc.property(anyRules, fc.integer({ min: 1, max: 16 }), share, (rule, length, part) => {
        const { size, nth } = satisfying(rule, length)
        if (size === 0n) return true
        const password = nth(((size - 1n) * part) / 1_000_000n)
        return password.length === length && !breaksPolicy({ rules: rule }, password)
      }),
      { numRuns: 500 },
    )
  })

  it.each(passwordPolicies)('$name: the first, the last and those between', (policy) => {
    for (const length of [policy.rules.min_length ?? 1, 20, 128]) {
      const { size, nth } = satisfying(policy.rules, length)
      for (const n of [0n, size / 3n, size / 2n, size - 1n]) {
        expect(nth(n)).toHaveLength(length)
        expect(breaksPolicy(policy, nth(n)), nth(n)).toBe(false)
      }
    }
  })
})

describe('opie', () => {
  it('has the dictionary of RFC 2289', () => {
    expect(new Set(opieWords).size).toBe(2048)
    expect(opieWords.slice(0, 571).every(({ length }) => length < 4)).toBe(true)
    expect(opieWords.slice(571).every(({ length }) => length === 4)).toBe(true)
    expect([opieWords[0], opieWords[570], opieWords[571], opieWords[2047]]).toEqual(['A', 'YOU', 'ABED', 'YOKE'])
  })

  const published: readonly (readonly [string, string])[] = [
    ['ccac2aed591056be4f90fd441c534766', 'RASH BUSH MILK LOOK BAD BRIM AVID GAFF BAIT ROT POD LOVE'],
    ['eff81f9bfbc65350920cdd7416de8009', 'TROD MUTE TAIL WARM CHAR KONG HAAG CITY BORE O TEAL AWL'],
  ]
  it.each(published)('writes %s as RFC 1751 does', (key, words) => {
    expect(opieChoices(' ').nth(BigInt(`0x${key}`))).toBe(words)
  })

  it('is read back by pycryptodome, check bits and all', () => {
    const numbers = fc.sample(fc.bigInt(0n, (1n << 128n) - 1n), 50)
    const script =
      'import sys\nfrom Cryptodome.Util.RFC1751 import english_to_key\nfor line in sys.stdin: print(english_to_key(line).hex())'
    const read = execFileSync('/usr/bin/python3', ['-c', script], {
      input: numbers.map((n) => opieChoices(' ').nth(n)).join('\n'),
      encoding: 'utf8',
    })
    expect(read.trim().split('\n')).toEqual(numbers.map((n) => n.toString(16).padStart(32, '0')))
  })
})

describe('the words for dice', () => {
  it('are those of the EFF without hyphens, and only of the lengths that are asked for', () => {
    expect(diceWords('en_US', 0, 0)).toHaveLength(7772)
    expect(new Set(diceWords('en_US', 0, 0)).size).toBe(7772)
    expect(new Set(diceWords('en_US', 5, 6)?.map(({ length }) => length))).toEqual(new Set([5, 6]))
    expect(diceWords('de_DE', 2, 0)).toBeUndefined()
    expect(diceWords('constructor', 2, 0)).toBeUndefined()
  })

  it('are in Swedish those that every keyboard has letters for, each once; five are not weak', () => {
    const words = diceWords('sv_SE', 2, 0) ?? []
    expect(words.filter((word) => !/^[a-z]{3,8}$/.test(word))).toEqual([])
    expect([words.length, new Set(words).size]).toEqual([1608, 1608])
    expect(bitsOf(BigInt(words.length) ** 5n)).toBeGreaterThan(50)
  })
})
