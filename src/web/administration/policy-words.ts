import { inBoth } from '../words/spoken.tsx'

type RuleValue = number | boolean

/**
 * A rule in words. Names are those of the interface, such as `min_numeric_chars`; an unknown rule is shown by that
 * name.
 */
const ruleIn =
  (names: Readonly<Record<string, string>>, yes: string) =>
  (rule: string, value: RuleValue): string =>
    `${names[rule] ?? rule}: ${value === true ? yes : String(value)}`

/** The texts for password policies. */
export const policyWords = inBoth(
  {
    introduction:
      'Each vault has one of these for the passwords in it. They are a part of the program, and the same on every appliance.',
    anything: 'Anything goes',
    number: (id: number) => `Number ${id}`,
    rule: ruleIn(
      {
        min_length: 'Least length',
        min_lowercase_chars: 'Least lower-case letters',
        min_uppercase_chars: 'Least upper-case letters',
        min_numeric_chars: 'Least digits',
        min_nonalphanumeric_chars: 'Least special characters',
      },
      'yes',
    ),
  },
  {
    introduction:
      'Varje valv har en av dessa för lösenorden i det. De är en del av programmet, och desamma på alla system.',
    anything: 'Allt duger',
    number: (id: number) => `Nummer ${id}`,
    rule: ruleIn(
      {
        min_length: 'Minsta längd',
        min_lowercase_chars: 'Minst små bokstäver',
        min_uppercase_chars: 'Minst stora bokstäver',
        min_numeric_chars: 'Minst siffror',
        min_nonalphanumeric_chars: 'Minst specialtecken',
      },
      'ja',
    ),
  },
)
