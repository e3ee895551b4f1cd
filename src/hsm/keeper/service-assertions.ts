import { hash } from 'node:crypto'
import { fitsPattern } from '../../access/star-pattern.ts'
import type { IssuerConfig, ServiceConfig } from '../../config/service-section.ts'
import type { UniqueObject } from '../../encoding/unique-json.ts'
import { Fault } from '../../fault.ts'
import { readAssertion, refused } from '../assertion.ts'
import { isSignedByOneOf, readJwks, readJwksFile, type IssuerKey } from '../jwks.ts'
import { encodeRecord } from '../key-record.ts'
import type { ServiceEvidence, UsedUp } from '../login-request.ts'
import type { FieldsOf } from '../record-layouts.ts'
import type { ServiceCredential } from '../service-credential.ts'
import { checkClaims } from './assertion-claims.ts'

/** The parsed evidence of a login of a service account. */
export interface ReadEvidence {
  /** Whether the evidence fits a credential. */
  readonly fits: (credential: ServiceCredential) => boolean
  /** Set where the session must not outlast the evidence. */
  readonly endsAt?: number
  /** Set where the evidence is valid once. */
  readonly usedUp?: UsedUp
}

/** What an assertion is checked against. */
export interface AssertionContext {
  readonly now: number
  readonly rules: Pick<ServiceConfig, 'audience' | 'issuers'>
  /** The account to log in to. */
  readonly account: Pick<FieldsOf<'service account'>, 'identity' | 'username'>
}

/** Greatest lifetime of an application's own assertion; it makes a new one for each login. */
const longestOwnMs = 300_000
/** Greatest lifetime of an issuer's assertion; the issuer chooses a shorter one. */
const longestFederatedMs = 86_400_000

/**
 * Reads an assertion that is signed by the application's own key (RFC 7523 §3; OpenID Connect Core §9,
 * `private_key_jwt`). It is valid once.
 */
export function readOwnAssertion(
  { shown }: Pick<ServiceEvidence, 'shown'>,
  { now, rules, account: { username, identity } }: AssertionContext,
): ReadEvidence {
  const assertion = readAssertion(shown)
  const { sub, jti } = assertion.claims
  const expected = { issuer: username, audiences: rules.audience, now, longestMs: longestOwnMs }
  const goodUntil = checkClaims(assertion.claims, expected)
  if (sub !== username) throw refused('the assertion is of another subject')
  if (typeof jti !== 'string' || jti.length === 0 || jti.length > mostIdCharacters)
    throw refused('the assertion has no id (jti)')
  return {
    fits: (credential) =>
      credential.kind === 'jwt' &&
      (credential.kid === null || credential.kid === assertion.keyId) &&
      assertion.isSignedBy(credential.publicKey),
    usedUp: { assertion: assertionId(identity, jti), goodUntil },
  }
}

const mostIdCharacters = 256

/** Ids of assertions are per account, so that no account can use up those of another. */
const assertionId = (account: Buffer, jti: string): Buffer =>
  hash('sha256', encodeRecord(['assertion', account, jti]), 'buffer')

/** Reads an assertion that a configured issuer has signed. It is valid until it expires, any number of times. */
export function readFederatedAssertion(
  { shown, issuerKeys }: Pick<ServiceEvidence, 'shown' | 'issuerKeys'>,
  { now, rules }: AssertionContext,
): ReadEvidence {
  const assertion = readAssertion(shown)
  const issuer = rules.issuers.find((one) => one.issuer === assertion.claims['iss'])
  if (issuer === undefined) throw refused('the issuer of the assertion is none of service.issuers')
  const audiences = issuer.audience ?? rules.audience
  checkClaims(assertion.claims, { issuer: issuer.issuer, audiences, now, longestMs: longestFederatedMs })
  if (!isSignedByOneOf(keysOf(issuer, issuerKeys), assertion))
    throw refused('no key of the issuer signed the assertion')
  return {
    fits: (credential) =>
      credential.kind === 'federated' &&
      credential.issuer === issuer.issuer &&
      fitsClaims(credential.claims, assertion.claims),
  }
}

/** The keys of an issuer. For one with a file only those in it count, whatever a worker shows. */
function keysOf({ issuer, jwksFile }: IssuerConfig, shown: Uint8Array | undefined): readonly IssuerKey[] {
  try {
    return jwksFile === undefined ? readJwks(shown ?? Buffer.alloc(0)) : readJwksFile(jwksFile)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unreadable'
    throw new Fault('login.refused', `the keys of the issuer ${issuer} cannot be read (${reason})`, { cause })
  }
}

/** Whether each pattern matches its claim, or one member of a claim that is a list. */
function fitsClaims(patterns: Readonly<Record<string, string>>, claims: UniqueObject): boolean {
  return Object.entries(patterns).every(([name, pattern]) => {
    const claim = Object.hasOwn(claims, name) ? claims[name] : undefined
    const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim]
    return values.some((value) => isPlain(value) && fitsPattern(pattern, String(value)))
  })
}

const isPlain = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)
