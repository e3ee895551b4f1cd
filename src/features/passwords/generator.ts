import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { bitsOf, either, repeated, satisfying, sequence, type Choices } from './choices.ts'
import { diceLanguages, diceWords } from './dice-words.ts'
import { opieChoices } from './opie.ts'
import { boundsOf, type PolicyRules } from './policies.ts'

/** A request for a password. Lengths are in characters, with `bytes` in bytes. */
export type PasswordRequest =
  | { readonly kind: 'secure' | 'pin' | 'pronounceable' | 'bytes'; readonly length: number }
  | { readonly kind: 'opie'; readonly delimiter: string }
  | {
      readonly kind: 'diceword'
      readonly language: string
      readonly words: number
      readonly minChar: number
      /** 0: no maximum. */
      readonly maxChar: number
      readonly delimiter: string
    }
  /** The length is as close to this as the rules allow. */
  | { readonly kind: 'policy'; readonly rules: PolicyRules; readonly length: number }

export interface Generated {
  readonly text: string
  /** Its entropy in bits, rounded down: the binary logarithm of the number of equally likely passwords. */
  readonly bits: number
}

export interface Generator {
  /** @throws Fault `request.invalid` for a request that no password satisfies */
  generate(request: PasswordRequest): Promise<Generated>
}

/** Generates passwords from random numbers of the token. */
export function createGenerator(hsm: Pick<Hsm, 'random'>): Generator {
  return {
    async generate(request) {
      const choices = choicesOf(request)
      return { text: choices.nth(await randomBelow(hsm, choices.size)), bits: bitsOf(choices.size) }
    },
  }
}

/** Tries per request for random bytes; each finds a number with a probability of at least one half. */
const triesPerDraw = 8

/**
 * A uniform random number from 0 to `size` - 1: draws as many random bits as `size` has, and draws again where the
 * number is too large. `size` has at most 65,536 bits.
 */
export async function randomBelow(hsm: Pick<Hsm, 'random'>, size: bigint): Promise<bigint> {
  const bits = (size - 1n).toString(2).length
  const bytes = Math.ceil(bits / 8)
  for (;;) {
    const pool = await hsm.random(bytes * triesPerDraw)
    for (let start = 0; start < pool.length; start += bytes) {
      const drawn = BigInt(`0x${pool.toString('hex', start, start + bytes)}`)
      const number = BigInt.asUintN(bits, drawn)
      if (number < size) return number
    }
  }
}

const digits = Array.from('0123456789')
const hexadecimal = Array.from('0123456789abcdef')
const consonants = Array.from('bcdfghjklmnprstvwz')
const vowels = Array.from('aeiouy')

function choicesOf(request: PasswordRequest): Choices {
  switch (request.kind) {
    case 'secure':
      return satisfying({}, request.length)
    case 'pin':
      return sequence(repeated(digits, request.length))
    case 'bytes':
      return sequence(repeated(hexadecimal, 2 * request.length))
    case 'pronounceable':
      return either(alternating(request.length, consonants, vowels), alternating(request.length, vowels, consonants))
    case 'opie':
      return opieChoices(request.delimiter)
    case 'diceword':
      return sequence(repeated(wordsFor(request), request.words), request.delimiter)
    default:
      return policyChoices(request.rules, request.length)
  }
}

function alternating(length: number, odd: readonly string[], even: readonly string[]): Choices {
  return sequence(Array.from({ length }, (_, at) => (at % 2 === 0 ? odd : even)))
}

function wordsFor({ language, minChar, maxChar }: Extract<PasswordRequest, { kind: 'diceword' }>): readonly string[] {
  const words = diceWords(language, minChar, maxChar)
  if (words === undefined)
    throw new Fault('request.invalid', `language: there is a list of words for ${diceLanguages.join(', ')} only.`)
  if (words.length < 2)
    throw new Fault('request.invalid', 'min_char and max_char leave no words to choose from: allow more lengths.')
  return words
}

function policyChoices(rules: PolicyRules, length: number): Choices {
  const { least, most } = boundsOf(rules).length
  const choices = satisfying(rules, Math.min(Math.max(length, least), most))
  if (choices.size === 0n)
    throw new Fault('request.invalid', 'length: no password of this length satisfies the policy.')
  return choices
}
