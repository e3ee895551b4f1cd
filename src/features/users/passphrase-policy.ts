import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { Fault } from '../../fault.ts'
import { breaksPolicy, type PasswordPolicy } from '../passwords/policies.ts'

/** What holds for every pass phrase, beside the policy that the site chooses (`login.passphrasePolicy`). */
const limits = {
  /** Room for any sentence, and bounded work for argon2. */
  longestCodePoints: 256,
  /**
   * Scores of zxcvbn, 0 to 4. 1 is guessed by online attempts, or soon by an attacker who has the hash: refused for a
   * new one.
   */
  leastStrength: 2,
  /** Below it a pass phrase is good for now, and its user is warned at each login. */
  leastStrengthWithoutWarning: 3,
  /** More characters cost time and do not change the score: with 64, some pass phrases took 130 ms of the event loop. */
  estimatedCharacters: 40,
  /** Ways to read digits and signs as letters that are tried; with the library's 100 they took most of the time. */
  leetSubstitutions: 10,
  /** Words that an attacker would try first against this appliance, beside the user name. */
  knownWords: ['strongroom', 'vault', 'passphrase'],
} as const

let estimator: ZxcvbnFactory | undefined

/**
 * How hard a pass phrase is to guess, from 0 to 4, by the patterns that people use (zxcvbn: Wheeler, USENIX Security
 * 2016). `known` are words that an attacker would try first. Takes less than ten milliseconds.
 */
export function strengthOf(passphrase: string, known: readonly string[]): number {
  // Loaded at the first use: the dictionaries take eight megabytes.
  estimator ??= new ZxcvbnFactory({
    dictionary,
    graphs: adjacencyGraphs,
    l33tMaxSubstitutions: limits.leetSubstitutions,
  })
  return estimator.check(passphrase.slice(0, limits.estimatedCharacters), [...known]).score
}

export const isWeak = (strength: number): boolean => strength < limits.leastStrengthWithoutWarning

/**
 * Checks whether a pass phrase may be given to a user; resolves to its strength.
 * @throws Fault `passphrase.refused` with the rule that it breaks, never with the pass phrase
 */
export function judge(passphrase: string, username: string, policy: PasswordPolicy): number {
  const { longestCodePoints, leastStrength, knownWords } = limits
  // No code point takes more than two units: a long text is not even counted.
  if (passphrase.length > 2 * longestCodePoints || Array.from(passphrase).length > longestCodePoints)
    throw refused(`must have ${longestCodePoints} characters at most`)
  if (breaksPolicy(policy, passphrase)) throw refused(`must be as the policy asks: ${policy.name}`)
  if (/\p{Cc}/u.test(passphrase)) throw refused('must not hold control characters')
  if (folded(passphrase).includes(folded(username))) throw refused('must not hold the user name')
  const strength = strengthOf(passphrase, [username, ...knownWords])
  if (strength < leastStrength) throw refused('is too easy to guess: take several words that do not belong together')
  return strength
}

const folded = (text: string): string => text.normalize('NFKC').toLowerCase()

function refused(sentence: string): Fault {
  return new Fault('passphrase.refused', `The pass phrase ${sentence}.`)
}
