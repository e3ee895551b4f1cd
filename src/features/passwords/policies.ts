import type { PolicyRules } from './rules.ts'

/** What a password must be like (spec: Password policy). A rule that does not apply is left out: clients read 0 as a rule. */
export interface PasswordPolicy {
  readonly id: number
  readonly name: string
  readonly rules: PolicyRules
}

/** The policy of a vault whose creator names none: anything goes. */
export const defaultPolicyId = 16

/** The policy of users' own pass phrases where the configuration names no other. */
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
