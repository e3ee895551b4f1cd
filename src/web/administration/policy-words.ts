import { inBoth } from '../words/language.tsx'

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
      'Each vault uses one of these policies for its passwords. They are built in, and the same on every appliance.',
    anything: 'No requirements',
    number: (id: number) => `ID ${id}`,
    rule: ruleIn(
      {
        min_length: 'Minimum length',
        min_lowercase_chars: 'Minimum lowercase letters',
        min_uppercase_chars: 'Minimum uppercase letters',
        min_numeric_chars: 'Minimum digits',
        min_nonalphanumeric_chars: 'Minimum special characters',
      },
      'yes',
    ),
  },
  {
    introduction:
      'Varje valv använder en av dessa policyer för sina lösenord. De är inbyggda och desamma på alla system.',
    anything: 'Inga krav',
    number: (id: number) => `ID ${id}`,
    rule: ruleIn(
      {
        min_length: 'Minsta längd',
        min_lowercase_chars: 'Minsta antal små bokstäver',
        min_uppercase_chars: 'Minsta antal stora bokstäver',
        min_numeric_chars: 'Minsta antal siffror',
        min_nonalphanumeric_chars: 'Minsta antal specialtecken',
      },
      'ja',
    ),
  },
)
