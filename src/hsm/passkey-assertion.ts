import { hash, verify } from 'node:crypto'
import { decodeBase64url } from '../encoding/base64.ts'
import { readUniqueObject, type UniqueObject } from '../encoding/unique-json.ts'
import { encodeRecord } from './key-record.ts'
import { challengeMs, readChallenge } from './passkey-challenge.ts'
import { checkPublicJwk, isSignedBy, type PublicJwk } from './public-jwk.ts'
import type { SealedRecord } from './sealed-record.ts'

/** What an authenticator answered to a challenge (WebAuthn §5.2.2). */
export interface PasskeyAssertion {
  /** UTF-8 JSON that the browser composed. */
  readonly clientData: Buffer
  readonly authenticatorData: Buffer
  readonly signature: Buffer
}

/** The requirements for assertions, by the configuration (`login.webauthn`). */
export interface PasskeyRules {
  readonly rpId: string
  readonly origins: readonly string[]
  /** Whether the authenticator must have verified its user, by a PIN or a fingerprint. */
  readonly userVerification: 'required' | 'preferred'
}

/** An assertion that passed all checks but that of its signature, and of its challenge's seal. */
export interface ReadPasskeyAssertion {
  /** 0 for an authenticator that does not count. */
  readonly signCount: number
  /**
   * When the keeper issued the challenge, and the record by which the seal in the challenge is still to be verified.
   */
  readonly challenge: { readonly issuedAt: number; readonly sealed: SealedRecord }
  /** Identifies all assertions of this credential to this challenge, of which one may be used. */
  usedUp(credentialId: Buffer): { readonly assertion: Buffer; readonly goodUntil: number }
  isSignedBy(key: PublicJwk): boolean
}

const longestClientData = 4_096
const longestAuthenticatorData = 1_024
const fixedBytes = 37
const flags = { userPresent: 0x01, userVerified: 0x04, backupEligible: 0x08, backedUp: 0x10, extensions: 0x80 } as const
/** How much the clocks of machines that share a token may differ. */
const clocksDifferMs = 60_000

/** When an assertion is shown, and for which session its challenge must have been issued; undefined for a login. */
interface AssertionContext {
  readonly session: Buffer | undefined
  readonly now: number
}

/**
 * Makes the checks of WebAuthn §7.2 that do not need the credential. Undefined where any of them fails: the client is
 * not told which one.
 */
export function readPasskeyAssertion(
  assertion: PasskeyAssertion,
  rules: PasskeyRules,
  context: AssertionContext,
): ReadPasskeyAssertion | undefined {
  try {
    return readSteps(assertion, rules, context)
  } catch (error) {
    if (error instanceof RefusedAssertion) return undefined
    throw error
  }
}

class RefusedAssertion extends Error {}

function readSteps(
  { clientData, authenticatorData, signature }: PasskeyAssertion,
  { rpId, origins, userVerification }: PasskeyRules,
  { session, now }: AssertionContext,
): ReadPasskeyAssertion {
  const { type, origin, crossOrigin, topOrigin, challenge: text } = clientDataIn(clientData)
  if (type !== 'webauthn.get') throw refused('it is not an assertion')
  if (typeof origin !== 'string' || !origins.includes(origin)) throw refused('it is of another origin')
  if (topOrigin !== undefined || (crossOrigin !== undefined && crossOrigin !== false))
    throw refused('it was made in a frame of another origin')
  const bytes = typeof text === 'string' ? decodeBase64url(text) : undefined
  const challenge = bytes && readChallenge(bytes, session)
  if (bytes === undefined || challenge === undefined) throw refused('its challenge is none')
  const { issuedAt } = challenge
  if (issuedAt > now + clocksDifferMs || now > issuedAt + challengeMs) throw refused('its challenge has expired')
  checkAuthenticatorData(authenticatorData, rpId, userVerification)
  const signed = Buffer.concat([authenticatorData, hash('sha256', clientData, 'buffer')])
  return {
    signCount: authenticatorData.readUInt32BE(33),
    challenge,
    usedUp: (credentialId) => ({
      assertion: hash('sha256', encodeRecord(['passkey', credentialId, bytes]), 'buffer'),
      goodUntil: issuedAt + challengeMs,
    }),
    isSignedBy: (key) => isSignature(key, signed, signature),
  }
}

/**
 * Whether the signature count has increased, or the authenticator does not count (WebAuthn §6.1.1). Otherwise the
 * authenticator was copied, or the assertion is an old one.
 */
export const countsOn = (signCount: number, before: number): boolean =>
  signCount > before || (signCount === 0 && before === 0)

function checkAuthenticatorData(data: Buffer, rpId: string, userVerification: PasskeyRules['userVerification']): void {
  const hasFlag = (flag: number): boolean => ((data[32] ?? 0) & flag) !== 0
  if (data.length < fixedBytes || data.length > longestAuthenticatorData)
    throw refused('its data are too short or too long')
  if (data.length > fixedBytes && !hasFlag(flags.extensions)) throw refused('something lies behind its data')
  if (!hash('sha256', rpId, 'buffer').equals(data.subarray(0, 32))) throw refused('it is for another name')
  if (!hasFlag(flags.userPresent)) throw refused('no user was present')
  if (userVerification === 'required' && !hasFlag(flags.userVerified)) throw refused('its user was not verified')
  if (hasFlag(flags.backedUp) && !hasFlag(flags.backupEligible)) throw refused('it contradicts itself')
}

function clientDataIn(bytes: Buffer): UniqueObject {
  if (bytes.length > longestClientData) throw refused('its client data are too long')
  try {
    return readUniqueObject(bytes)
  } catch {
    throw refused('its client data are not a JSON object')
  }
}

/** Authenticators encode ECDSA signatures as DER (WebAuthn §6.5.5), unlike JWTs, which `isSignedBy` expects. */
function isSignature(key: PublicJwk, text: Buffer, signature: Buffer): boolean {
  if (key.kty !== 'EC') return isSignedBy(key, key.kty === 'OKP' ? 'EdDSA' : 'RS256', { text, signature })
  try {
    return verify('sha256', text, checkPublicJwk(key), signature)
  } catch {
    return false
  }
}

const refused = (reason: string): RefusedAssertion => new RefusedAssertion(reason)
