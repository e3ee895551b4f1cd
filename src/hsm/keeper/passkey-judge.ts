import { randomBytes } from 'node:crypto'
import type { ShownPasskey } from '../login-request.ts'
import { countsOn, readPasskeyAssertion, type PasskeyRules } from '../passkey-assertion.ts'
import { seal } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { keyOfNobody, readPublicJwk } from '../public-jwk.ts'
import { composeRecord, type FieldsOf } from '../record-layouts.ts'
import { recordDigest } from '../sealed-record.ts'
import { holdsFactor, isSealed, shown } from './shown-record.ts'
import type { ExpiringSet } from './expiring-set.ts'
import type { UsedOtps } from './used-otps.ts'

/** Judges assertions of passkeys. */
export interface PasskeyJudge {
  /**
   * Whether this is a fresh assertion of this user's passkey, to a challenge that the keeper issued to the session, or
   * for a login. It is then used up, on the disk. Does the same work without a user or a passkey.
   */
  use(
    user: Pick<FieldsOf<'user'>, 'id' | 'factors'> | undefined,
    passkey: ShownPasskey,
    session: Buffer | undefined,
  ): boolean
}

export interface PasskeyJudgeDependencies {
  readonly token: Token
  readonly usedAssertions: ExpiringSet
  /** The last signature counts of authenticators. */
  readonly used: UsedOtps
  /** Undefined where passkeys are disabled. */
  readonly rules: PasskeyRules | undefined
  readonly now: () => number
}

export function createPasskeyJudge({
  token,
  usedAssertions,
  used,
  rules,
  now,
}: PasskeyJudgeDependencies): PasskeyJudge {
  const none: FieldsOf<'passkey'> = {
    userId: 0,
    credentialId: randomBytes(32),
    publicKey: JSON.stringify(keyOfNobody()),
  }

  /** Stands for a missing passkey at a login. No assertion is signed by its key. */
  function noPasskey(): FieldsOf<'passkey'> {
    seal(token, composeRecord('passkey', none))
    return none
  }

  return {
    use(user, { passkey, signCount: stored, assertion }, session) {
      const credential = passkey === undefined ? noPasskey() : shown(token, 'passkey', passkey).fields
      const isTheirs = user !== undefined && passkey !== undefined && holdsFactor(user, passkey)
      const read = rules && readPasskeyAssertion(assertion, rules, { session, now: now() })
      if (read === undefined) return false
      const isIssued = isSealed(token, read.challenge.sealed)
      const isSigned = read.isSignedBy(readPublicJwk(JSON.parse(credential.publicKey)))
      if (!isTheirs || !isIssued || !isSigned) return false
      // Of the record: another user's passkey may be given the same credential id.
      const counter = recordDigest(passkey.record)
      if (!countsOn(read.signCount, Math.max(stored, used.of(counter)))) return false
      const { assertion: usedUp, goodUntil } = read.usedUp(credential.credentialId)
      if (!usedAssertions.add(usedUp, goodUntil)) return false
      return read.signCount === 0 || used.advance(counter, read.signCount)
    },
  }
}
