import { describe, expect, it } from 'vitest'
import { breaksPolicy, passwordPolicies, type PolicyRules } from '../../../src/features/passwords/policies.ts'
import { statesOf } from '../../../src/web/editing/policy-rules.ts'

const every: readonly PolicyRules[] = [
  ...passwordPolicies.map(({ rules }) => rules),
  { max_length: 6, max_lowercase_chars: 2, max_uppercase_chars: 1, max_numeric_chars: 3, max_nonalphanumeric_chars: 1 },
  { disallow_numeric_chars: true },
  { disallow_nonalphanumeric_chars: true, disallow_numeric_last: false },
  { disallow_numeric_first: true, disallow_nonalphanumeric_last: true },
  { disallow_nonalphanumeric_first: true, disallow_numeric_last: true },
]
const texts =
  'a|A|7|-|abc|Abc-1|1abc|abc1|-abc|abc-|aB3$|aB3$aB3$aB3$aB|4711|1234567|a long pass phrase of words|ÅÄÖåäö-٣٤|密码密码密码密码密码密码|\u{1f511}\u{1f511}|e\u0301| |'.split(
    '|',
  )

describe('the policy that the console judges by', () => {
  it.each(every.map((rules) => [JSON.stringify(rules), rules] as const))(
    'is that of the appliance: %s',
    (_name, rules) => {
      for (const text of texts)
        expect([text, statesOf({ ...rules }, text).every(({ isKept }) => isKept)]).toEqual([
          text,
          !breaksPolicy({ rules }, text),
        ])
    },
  )

  it('names the rule that is broken', () => {
    const broken = statesOf({ min_length: 14, min_numeric_chars: 1 }, 'a long pass phrase').filter(
      ({ isKept }) => !isKept,
    )
    expect(broken.map(({ rule }) => rule)).toEqual(['min_numeric_chars'])
  })
})
