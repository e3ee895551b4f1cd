/** The rules of a password policy, as the appliance lists them. Rules that do not apply are absent. */
export type RulesByName = Readonly<Record<string, number | boolean>>

export interface RuleState {
  readonly rule: string
  readonly value: number | boolean
  readonly isKept: boolean
}

const classes: Readonly<Record<string, RegExp>> = {
  lowercase: /\p{Ll}/u,
  uppercase: /\p{Lu}/u,
  numeric: /\p{Nd}/u,
  nonalphanumeric: /[^\p{L}\p{M}\p{N}]/u,
}

/**
 * Which rules a text keeps. The page checks while the person types, so that no unfinished secret is sent. The appliance
 * checks when it saves (`policy-rules.test.ts` compares both).
 */
export function statesOf(rules: RulesByName, text: string): readonly RuleState[] {
  const characters = Array.from(text)
  return Object.entries(rules)
    .filter(([, value]) => value !== false)
    .map(([rule, value]) => ({ rule, value, isKept: keeps(rule, Number(value), characters) }))
}

function keeps(rule: string, bound: number, characters: readonly string[]): boolean {
  const [, kind = '', what = '', where = ''] =
    /^(min|max|disallow)_(length|[a-z]+)(?:_(chars|first|last))?$/.exec(rule) ?? []
  const pattern = classes[what]
  if (what !== 'length' && pattern === undefined) return true
  const isOf = (character = ''): boolean => pattern === undefined || pattern.test(character)
  const count = characters.filter(isOf).length
  if (kind === 'min') return count >= bound
  if (kind === 'max') return count <= bound
  if (where === 'first') return !isOf(characters[0])
  if (where === 'last') return !isOf(characters.at(-1))
  return count === 0
}
