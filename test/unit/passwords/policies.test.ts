import { describe, expect, it } from 'vitest'
import { breaksPolicy, type PolicyRules } from '../../../src/features/passwords/policies.ts'

const cases: readonly (readonly [PolicyRules, kept: readonly string[], broken: readonly string[]])[] = [
  [{}, ['', 'anything at all \u0000'], []],
  [{ min_length: 4 }, ['abcd', '\u{1f511}'.repeat(4)], ['', 'abc', '\u{1f511}'.repeat(2)]],
  [{ max_length: 2 }, ['', 'ab', '\u{1f511}'.repeat(2)], ['abc']],
  [{ min_lowercase_chars: 2 }, ['ab', 'AåBö'], ['aB', 'AB', '12']],
  [{ max_lowercase_chars: 1 }, ['aB', 'AB'], ['ab']],
  [{ min_uppercase_chars: 1 }, ['aB', 'Å'], ['ab', 'å', '1']],
  [{ max_uppercase_chars: 0 }, ['ab1!', ''], ['aB', 'Å']],
  [{ min_numeric_chars: 2 }, ['a1b2', '٣٤'], ['a1', 'ab', '½x']],
  [{ max_numeric_chars: 1 }, ['a1'], ['a12']],
  [{ min_nonalphanumeric_chars: 1 }, ['a!', 'a b', '\u{1f511}', 'a\u20ac'], ['a1', 'å', 'a\u030a', '日本']],
  [{ max_nonalphanumeric_chars: 1 }, ['a!'], ['a! ']],
  [{ disallow_numeric_chars: true }, ['ab', '!'], ['a1b', '1']],
  [{ disallow_numeric_first: true }, ['a1', ''], ['1a', '1']],
  [{ disallow_numeric_last: true }, ['1a', ''], ['a1', '1']],
  [{ disallow_nonalphanumeric_chars: true }, ['aB1'], ['a!b']],
  [{ disallow_nonalphanumeric_first: true }, ['a!'], ['!a', '\u{1f511}a']],
  [{ disallow_nonalphanumeric_last: true }, ['!a'], ['a!', 'a\u{1f511}']],
  [{ disallow_numeric_chars: false, disallow_numeric_first: false }, ['1a1'], []],
  [{ min_length: 4, min_numeric_chars: 1, max_numeric_chars: 2 }, ['abc1', 'ab12'], ['abcd', 'a1', 'a123']],
]

describe('a policy', () => {
  it.each(cases)('%j', (rules, kept, broken) => {
    expect(kept.filter((text) => breaksPolicy({ rules }, text))).toEqual([])
    expect(broken.filter((text) => !breaksPolicy({ rules }, text))).toEqual([])
  })
})
