/** The character classes of the rules. Letters without case, such as Chinese ones, are in no class. */
const characterClasses = {
  lowercase: /\p{Ll}/u,
  uppercase: /\p{Lu}/u,
  numeric: /\p{Nd}/u,
  nonalphanumeric: /[^\p{L}\p{M}\p{N}]/u,
} as const

export type CharacterClass = keyof typeof characterClasses

export const classNames: readonly CharacterClass[] = ['lowercase', 'uppercase', 'numeric', 'nonalphanumeric']

type Barred = 'numeric' | 'nonalphanumeric'

/** Exactly the names that published clients know; one client stops at an unknown name. */
export type PolicyRules = {
  readonly [rule in `${'min' | 'max'}_${'length' | `${CharacterClass}_chars`}`]?: number
} & { readonly [rule in `disallow_${Barred}_${'chars' | 'first' | 'last'}`]?: boolean }

interface Range {
  readonly least: number
  readonly most: number
}

/** The rules as bounds. A count without a rule lies between 0 and Infinity. */
export interface Bounds {
  readonly length: Range
  readonly counts: Readonly<Record<CharacterClass, Range>>
  /** Classes that may not stand at this end. */
  readonly barredFirst: readonly CharacterClass[]
  readonly barredLast: readonly CharacterClass[]
}

export function boundsOf(rules: PolicyRules): Bounds {
  const barred = (where: 'chars' | 'first' | 'last'): readonly CharacterClass[] =>
    (['numeric', 'nonalphanumeric'] as const).filter((name) => rules[`disallow_${name}_${where}`])
  const count = (name: CharacterClass): Range => ({
    least: rules[`min_${name}_chars`] ?? 0,
    most: barred('chars').includes(name) ? 0 : (rules[`max_${name}_chars`] ?? Infinity),
  })
  return {
    length: { least: rules.min_length ?? 0, most: rules.max_length ?? Infinity },
    counts: {
      lowercase: count('lowercase'),
      uppercase: count('uppercase'),
      numeric: count('numeric'),
      nonalphanumeric: count('nonalphanumeric'),
    },
    barredFirst: barred('first'),
    barredLast: barred('last'),
  }
}

/** Whether `text` breaks any rule of the policy. Its length is counted in Unicode code points. */
export function breaksPolicy({ rules }: { readonly rules: PolicyRules }, text: string): boolean {
  const { length, counts, barredFirst, barredLast } = boundsOf(rules)
  const characters = Array.from(text)
  return (
    isOutside(length, characters.length) ||
    classNames.some((name) => isOutside(counts[name], characters.filter((one) => isOf(name, one)).length)) ||
    barredFirst.some((name) => isOf(name, characters[0])) ||
    barredLast.some((name) => isOf(name, characters.at(-1)))
  )
}

const isOf = (name: CharacterClass, character = ''): boolean => characterClasses[name].test(character)
const isOutside = ({ least, most }: Range, value: number): boolean => value < least || value > most

/** A password policy (spec: Password policy). Rules that do not apply are left out, since clients read 0 as a rule. */
export interface PasswordPolicy {
  readonly id: number
  readonly name: string
  readonly rules: PolicyRules
}

/** The policy of a vault whose creator names none: it has no rules. */
export const defaultPolicyId = 16

/** The policy of users' own pass phrases, where the configuration names no other. */
export const loginPolicyId = 17

/** The ids are those that published clients know. */
export const passwordPolicies: readonly PasswordPolicy[] = [
  {
    id: 7,
    name: 'High quality: 14 or more characters of all kinds',
    rules: {
      min_length: 14,
      min_lowercase_chars: 1,
      min_uppercase_chars: 1,
      min_numeric_chars: 1,
      min_nonalphanumeric_chars: 1,
    },
  },
  {
    id: 8,
    name: 'Good quality: 12 or more characters, letters and digits',
    rules: { min_length: 12, min_lowercase_chars: 1, min_uppercase_chars: 1, min_numeric_chars: 1 },
  },
  {
    id: 2,
    name: 'Fair quality: 8 or more characters, letters and digits',
    rules: { min_length: 8, min_lowercase_chars: 1, min_numeric_chars: 1 },
  },
  { id: 5, name: 'PIN: 4 or more digits', rules: { min_length: 4, min_numeric_chars: 4 } },
  { id: 13, name: 'Pass phrase: 20 or more characters', rules: { min_length: 20 } },
  { id: loginPolicyId, name: 'Login: 12 or more characters', rules: { min_length: 12 } },
  { id: defaultPolicyId, name: 'None', rules: {} },
]

export function findPolicy(id: number): PasswordPolicy | undefined {
  return passwordPolicies.find((policy) => policy.id === id)
}
