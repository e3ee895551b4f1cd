import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { isLonger } from '../../encoding/text-length.ts'
import { Fault } from '../../fault.ts'
import { breaksPolicy, type PasswordPolicy } from '../passwords/policies.ts'

/**
 * Limits that hold for every pass phrase, in addition to the policy that the site chooses (`login.passphrasePolicy`).
 */
const limits = {
  /** Long enough for any sentence, and bounds the work of argon2. */
  longestCodePoints: 256,
  /**
   * Score of zxcvbn, 0 to 4. A new pass phrase with 0 or 1 is refused: online attempts, or soon an attacker with the
   * hash, guess it.
   */
  leastStrength: 2,
  /** Below this score a pass phrase is accepted, and its user is warned at each login. */
  leastStrengthWithoutWarning: 3,
  /** More characters cost time and do not change the score: with 64, some pass phrases took 130 ms of the event loop. */
  estimatedCharacters: 40,
  /** Number of leet substitutions tried. With the library's 100 they took most of the time. */
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
  if (isLonger(passphrase, longestCodePoints)) throw refused(`must have ${longestCodePoints} characters at most`)
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
