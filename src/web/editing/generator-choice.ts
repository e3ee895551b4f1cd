import type { CallInput } from '../interface/calls.ts'

export type Kind = 'policy' | 'secure' | 'pronounceable' | 'diceword' | 'opie' | 'pin' | 'bytes'

/** The person's choices. Numbers are as typed. */
export interface GeneratorChoice {
  readonly kind: Kind
  /** Number of characters, bytes or words. */
  readonly size: string
  readonly between: string
  readonly language: string
  readonly shortest: string
  readonly longest: string
}

export const usualSizes: Readonly<Record<Kind, string>> = {
  policy: '20',
  secure: '24',
  pronounceable: '16',
  diceword: '6',
  opie: '',
  pin: '6',
  bytes: '32',
}

export function startingKind(policyid: string | undefined, isPin: boolean): GeneratorChoice {
  const kind = isPin ? 'pin' : policyid === undefined ? 'secure' : 'policy'
  return { kind, size: usualSizes[kind], between: 'dash', language: 'en_US', shortest: '3', longest: '0' }
}

export const isWhole = (text: string): boolean => /^\d{0,4}$/.test(text)

type Query = NonNullable<CallInput<'utils.pwgen'>['query']>

export function queryOf(choice: GeneratorChoice, policyid: string | undefined): Query {
  const { kind, size, between, language, shortest, longest } = choice
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one of the options
  const delimiter = between as NonNullable<Query['delimiter']>
  switch (kind) {
    case 'policy':
      return { policyid: policyid ?? '', length: size }
    case 'opie':
      return { type: kind, delimiter }
    case 'diceword':
      return { type: kind, words: size, delimiter, language, min_char: shortest, max_char: longest }
    default:
      return { type: kind, length: size }
  }
}
