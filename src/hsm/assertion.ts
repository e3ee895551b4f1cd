import { decodeBase64url } from '../encoding/base64.ts'
import { readUniqueObject, type UniqueObject } from '../encoding/unique-json.ts'
import { Fault } from '../fault.ts'
import { isSignatureAlgorithm, isSignedBy, type PublicJwk, type SignatureAlgorithm } from './public-jwk.ts'

/** A signed JWT (RFC 7519) in the compact form (RFC 7515 §3.1). Its signature and claims are not checked yet. */
export interface Assertion {
  readonly algorithm: SignatureAlgorithm
  /** The key that the header names (`kid`). */
  readonly keyId: string | undefined
  readonly claims: UniqueObject
  isSignedBy(key: PublicJwk): boolean
}

const longestAssertion = 8_192

/** Headers that would supply the key to verify with, or change the meaning of other headers (RFC 7515 §4.1). */
const refusedHeaders = ['crit', 'jwk', 'jku', 'x5c', 'x5u', 'b64', 'zip', 'enc']

/** @throws Fault `login.refused` */
export function readAssertion(shown: Uint8Array): Assertion {
  if (shown.length > longestAssertion) throw refused(`the assertion has more than ${longestAssertion} bytes`)
  const parts = Buffer.from(shown).toString('latin1').split('.')
  const [header, payload, signature] = parts.map((part) => decodeBase64url(part))
  if (parts.length !== 3 || header === undefined || payload === undefined || signature === undefined)
    throw refused('the assertion is not three parts in base64url')
  const { alg, kid, ...others } = objectIn(header)
  if (!isSignatureAlgorithm(alg)) throw refused('the assertion is signed by no algorithm that is taken here')
  if (kid !== undefined && typeof kid !== 'string') throw refused('the assertion names a key by no text')
  const bad = refusedHeaders.find((name) => name in others)
  if (bad !== undefined) throw refused(`the assertion has the header ${bad}`)
  const text = Buffer.from(shown).subarray(0, shown.length - (parts[2]?.length ?? 0) - 1)
  return {
    algorithm: alg,
    keyId: kid,
    claims: objectIn(payload),
    isSignedBy: (key) => isSignedBy(key, alg, { text, signature }),
  }
}

function objectIn(bytes: Uint8Array): UniqueObject {
  try {
    return readUniqueObject(bytes)
  } catch (cause) {
    throw new Fault('login.refused', 'a part of the assertion is not a JSON object, or has a member twice', { cause })
  }
}

/** `reason` is for the audit trail: the client is told nothing of it. */
export const refused = (reason: string): Fault => new Fault('login.refused', reason)
