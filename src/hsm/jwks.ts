import { readFileSync, statSync } from 'node:fs'
import { readUniqueObject } from '../encoding/unique-json.ts'
import { isSignatureAlgorithm, readPublicJwk, type PublicJwk, type SignatureAlgorithm } from './public-jwk.ts'
import type { Assertion } from './assertion.ts'

/** A public key of an issuer of assertions. */
export interface IssuerKey {
  readonly keyId: string | undefined
  /** Undefined where the issuer names none; the key then serves every algorithm of its type. */
  readonly algorithm: SignatureAlgorithm | undefined
  readonly key: PublicJwk
}

export const longestJwks = 262_144
const mostKeys = 64

/**
 * The keys of a JWK set (RFC 7517 §5) that sign by an accepted algorithm. Others are left out, as the RFC asks. A set
 * that contains a private key is refused, because its issuer has published a key with which an attacker can sign.
 * @throws SyntaxError, TypeError
 */
export function readJwks(bytes: Uint8Array): readonly IssuerKey[] {
  if (bytes.length > longestJwks) throw new TypeError(`the JWK set has more than ${longestJwks} bytes`)
  const { keys } = readUniqueObject(bytes)
  if (!Array.isArray(keys) || keys.length > mostKeys)
    throw new TypeError(`a JWK set has a list "keys" of ${mostKeys} keys at most`)
  return keys.flatMap((key) => readKey(key))
}

/** The keys of a JWK set in a file. @throws SyntaxError, TypeError, RangeError, and the errors of the file system */
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
    // A type of key that is not accepted.
    return []
  }
}

/** Whether the key that the assertion names has signed it; where it names none, whether any of the keys has. */
export function isSignedByOneOf(keys: readonly IssuerKey[], assertion: Assertion): boolean {
  return keys
    .filter(({ keyId }) => assertion.keyId === undefined || keyId === assertion.keyId)
    .filter(({ algorithm }) => algorithm === undefined || algorithm === assertion.algorithm)
    .some(({ key }) => assertion.isSignedBy(key))
}
