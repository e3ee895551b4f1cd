import { readFileSync, statSync } from 'node:fs'
import { readUniqueObject } from '../encoding/unique-json.ts'
import { isSignatureAlgorithm, readPublicJwk, type PublicJwk, type SignatureAlgorithm } from './public-jwk.ts'
import type { Assertion } from './assertion.ts'

/** A public key of an issuer of assertions. */
export interface IssuerKey {
  readonly keyId: string | undefined
  /** Where the issuer names one. */
  readonly algorithm: SignatureAlgorithm | undefined
  readonly key: PublicJwk
}

export const longestJwks = 262_144
const mostKeys = 64

/**
 * The keys of a JWK set (RFC 7517 §5) that sign by an algorithm of ours. Others are left out, as the RFC asks; a private
 * key among them spoils the set: its issuer has published what an attacker can sign with.
 * @throws SyntaxError, TypeError
 */
export function readJwks(bytes: Uint8Array): readonly IssuerKey[] {
  if (bytes.length > longestJwks) throw new TypeError(`the JWK set has more than ${longestJwks} bytes`)
  const { keys } = readUniqueObject(bytes)
  if (!Array.isArray(keys) || keys.length > mostKeys)
    throw new TypeError(`a JWK set has a list "keys" of ${mostKeys} keys at most`)
  return keys.flatMap((key) => readKey(key))
}

/** Those of a file. @throws SyntaxError, TypeError, RangeError, and what the system says */
export function readJwksFile(path: string): readonly IssuerKey[] {
  if (statSync(path).size > longestJwks) throw new RangeError('the file is too long')
  return readJwks(readFileSync(path))
}

function readKey(raw: unknown): IssuerKey[] {
  if (typeof raw !== 'object' || raw === null) throw new TypeError('a key of the JWK set is not an object')
  const { kid, alg, use, key_ops: operations, d }: Readonly<Record<string, unknown>> = { ...raw }
  if (d !== undefined) throw new TypeError('the JWK set holds a private key')
  const isForOther =
    (use !== undefined && use !== 'sig') || (Array.isArray(operations) && !operations.includes('verify'))
  if (isForOther || (alg !== undefined && !isSignatureAlgorithm(alg))) return []
  try {
    return [{ keyId: typeof kid === 'string' ? kid : undefined, algorithm: alg, key: readPublicJwk(raw) }]
  } catch {
    // Of a type that is not taken here.
    return []
  }
}

/** Whether one of the keys signed it: the one that it names, or, where it names none, any. */
export function isSignedByOneOf(keys: readonly IssuerKey[], assertion: Assertion): boolean {
  return keys
    .filter(({ keyId }) => assertion.keyId === undefined || keyId === assertion.keyId)
    .filter(({ algorithm }) => algorithm === undefined || algorithm === assertion.algorithm)
    .some(({ key }) => assertion.isSignedBy(key))
}
