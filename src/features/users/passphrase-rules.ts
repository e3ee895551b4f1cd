import { Fault } from '../../fault.ts'
import { breaksPolicy, type PasswordPolicy } from '../passwords/policies.ts'
import { isFeeble, strengthOf } from './passphrase-strength.ts'

/** Longest pass phrase, in code points: long enough for anybody, short enough to be typed and hashed. */
const longest = 256

/** Words that anybody would try against this appliance. */
const ownWords = ['strongroom', 'vault', 'passphrase']

/**
 * Whether a pass phrase may be given to a user; its strength (0 to 4) if so.
 * @throws Fault `passphrase.refused` with what is wrong with it, never with the pass phrase
 */
export function judge(passphrase: string, username: string, policy: PasswordPolicy): number {
  if (Array.from(passphrase).length > longest) throw refused(`must have ${longest} characters at most`)
  if (breaksPolicy(policy, passphrase)) throw refused(`must be as the policy asks: ${policy.name}`)
  if (/\p{Cc}/u.test(passphrase)) throw refused('must not hold control characters')
  if (folded(passphrase).includes(folded(username))) throw refused('must not hold the user name')
  const strength = strengthOf(passphrase, [username, ...ownWords])
  if (isFeeble(strength)) throw refused('is too easy to guess: take several words that do not belong together')
  return strength
}

const folded = (text: string): string => text.normalize('NFKC').toLowerCase()

function refused(sentence: string): Fault {
  return new Fault('passphrase.refused', `The pass phrase ${sentence}.`)
}
