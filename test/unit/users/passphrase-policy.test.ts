import { describe, expect, it } from 'vitest'
import { isFault } from '../../../src/fault.ts'
import { findPolicy, loginPolicyId, type PasswordPolicy } from '../../../src/features/passwords/policies.ts'
import { judge } from '../../../src/features/users/passphrase-policy.ts'

function policy(id: number): PasswordPolicy {
  const found = findPolicy(id)
  if (found === undefined) throw new Error(`no policy ${id}`)
  return found
}

function refusal(passphrase: string, policyId = loginPolicyId, username = 'alice'): string {
  try {
    judge(passphrase, username, policy(policyId))
    return ''
  } catch (error) {
    if (!isFault(error, 'passphrase.refused')) throw error
    return error.detail ?? ''
  }
}

describe('a new pass phrase', () => {
  const refused: readonly (readonly [string, string])[] = [
    ['', '12 or more characters'],
    ['elevenchars', '12 or more characters'],
    ['\u{1f511}'.repeat(11), '12 or more characters'],
    ['long enough'.repeat(24), '256 characters at most'],
    ['correct horse\0battery', 'control characters'],
    ['correct horse\nbattery', 'control characters'],
    ['the words of alice here', 'user name'],
    ['the words of ALICE here', 'user name'],
    ['the words of \uff41\uff4c\uff49\uff43\uff45 here', 'user name'],
    ['aaaaaaaaaaaa', 'too easy to guess'],
    ['passwordpassword', 'too easy to guess'],
    ['Password1234', 'too easy to guess'],
    ['123456789012', 'too easy to guess'],
    ['qwertyuiop12', 'too easy to guess'],
    ['p@ssw0rd'.repeat(32), 'too easy to guess'],
  ]
  it.each(refused)('%j is refused', (passphrase, sentence) => {
    expect(refusal(passphrase)).toContain(sentence)
  })

  it.each([
    'correct horse battery staple',
    'Zwölf Boxkämpfer jagen',
    '\u{1f511} \u{1f41f} \u{1f332} vier Dinge',
    'x9$Kq2!vLw7#',
  ])('%j is good', (passphrase) => {
    expect(refusal(passphrase)).toBe('')
  })

  it('is held against the policy of the site, and the refusal names it', () => {
    expect(refusal('correct horse battery', 7)).toBe(
      'The pass phrase must be as the policy asks: High quality: 14 or more characters of all kinds.',
    )
    expect(refusal('Correct horse 9 battery', 7)).toBe('')
    expect(refusal('Correct horse 9', 13)).toContain('20 or more characters')
  })
})
