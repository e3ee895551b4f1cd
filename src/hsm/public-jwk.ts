import { constants, createECDH, createPublicKey, verify, type KeyObject } from 'node:crypto'
import { decodeBase64url } from '../encoding/base64.ts'

/** A public key for signatures (RFC 7517), with only the members that are part of the key. */
export type PublicJwk =
  | { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }
  | { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string }
  | { readonly kty: 'RSA'; readonly n: string; readonly e: string }

/**
 * The accepted signature algorithms of assertions (RFC 7518 §3, RFC 8037). Each works with one type of key, so that a
 * key cannot be used as one of another type. `none` and algorithms with shared secrets (HS256) are not accepted.
 */
const algorithms = {
  EdDSA: { kty: 'OKP', isGood: (key, text, signature) => verify(null, text, key, signature) },
  /** The name of EdDSA with this curve in RFC 9864. */
  Ed25519: { kty: 'OKP', isGood: (key, text, signature) => verify(null, text, key, signature) },
  ES256: {
    kty: 'EC',
    // r ‖ s (RFC 7518 §3.4), not DER.
    isGood: (key, text, signature) =>
      signature.length === 64 && verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, signature),
  },
  RS256: { kty: 'RSA', isGood: (key, text, signature) => verify('sha256', text, key, signature) },
  PS256: {
    kty: 'RSA',
    isGood: (key, text, signature) =>
      verify(
        'sha256',
        text,
        // The salt is as long as the digest (RFC 7518 §3.5).
        { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
        signature,
      ),
  },
} as const satisfies Readonly<Record<string, Algorithm>>

interface Algorithm {
  readonly kty: PublicJwk['kty']
  readonly isGood: (key: KeyObject, text: Uint8Array, signature: Uint8Array) => boolean
}

export type SignatureAlgorithm = keyof typeof algorithms

export const isSignatureAlgorithm = (name: unknown): name is SignatureAlgorithm =>
  typeof name === 'string' && Object.hasOwn(algorithms, name)

/** Whether this key made the signature of the text by this algorithm. False for keys that are too weak. */
export function isSignedBy(
  jwk: PublicJwk,
  algorithm: SignatureAlgorithm,
  { text, signature }: { readonly text: Uint8Array; readonly signature: Uint8Array },
): boolean {
  const { kty, isGood }: Algorithm = algorithms[algorithm]
  if (jwk.kty !== kty) return false
  try {
    return isGood(checkPublicJwk(jwk), text, signature)
  } catch {
    // Not a point of the curve, or a key that is too weak.
    return false
  }
}

/**
 * The key in a JWK, without members that are not used here (`kid`, `use`).
 * @throws TypeError with a sentence, also for a private key, which only its owner may have
 */
export function readPublicJwk(raw: unknown): PublicJwk {
  if (typeof raw !== 'object' || raw === null) throw new TypeError('a key must be a JWK, which is an object')
  if ('d' in raw || 'k' in raw) throw new TypeError('this is a private key: give only its public half')
  return membersOf({ ...raw })
}

function membersOf({ kty, crv, x, y, n, e }: Readonly<Record<string, unknown>>): PublicJwk {
  if (kty === 'OKP' && crv === 'Ed25519') return { kty, crv, x: coordinate(x) }
  if (kty === 'EC' && crv === 'P-256') return { kty, crv, x: coordinate(x), y: coordinate(y) }
  if (kty === 'RSA') return { kty, n: number(n, mostRsaBits / 8), e: number(e, 8) }
  throw new TypeError('a key must be of Ed25519, P-256 or RSA')
}

/**
 * A new P-256 key whose private half is kept nowhere: signatures are checked against it where there is no account. Not
 * by generateKeyPairSync: Node.js 20 hangs for good where it collects the generator of a pair while it makes the JWK.
 */
export function keyOfNobody(): PublicJwk {
  // 04 ‖ x ‖ y (SEC 1 §2.3.3).
  const point = createECDH('prime256v1').generateKeys()
  return { kty: 'EC', crv: 'P-256', x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33) }
}

const leastRsaBits = 2_048
/** One check of a signature takes 0.03 ms at 2,048 bits and 0.23 ms at 8,192. */
const mostRsaBits = 8_192

/** Checks that this is a public key and that it is strong enough. @throws TypeError with a sentence */
export function checkPublicJwk(jwk: PublicJwk): KeyObject {
  const key = keyOf(jwk)
  if (jwk.kty !== 'RSA') return key
  const { modulusLength: bits = 0, publicExponent: exponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (bits < leastRsaBits || bits > mostRsaBits)
    throw new TypeError(`an RSA key must have ${leastRsaBits} to ${mostRsaBits} bits`)
  // FIPS 186-5 §5.1.
  if (exponent < 65_537n || exponent % 2n === 0n) throw new TypeError('an RSA key must have a usual public exponent')
  return key
}

function keyOf(jwk: PublicJwk): KeyObject {
  try {
    return createPublicKey({ key: { ...jwk }, format: 'jwk' })
  } catch (cause) {
    throw new TypeError('this is not a public key', { cause })
  }
}

/** A coordinate of 32 bytes, including leading zeros (RFC 7518 §6.2.1.2, RFC 8037 §2). @throws TypeError */
function coordinate(value: unknown): string {
  const bytes = typeof value === 'string' ? decodeBase64url(value) : undefined
  if (bytes?.length !== 32) throw new TypeError('a coordinate of the key is not of 32 bytes in base64url')
  return bytes.toString('base64url')
}

/** A positive number without leading zeros (RFC 7518 §2, Base64urlUInt). @throws TypeError */
function number(value: unknown, mostBytes: number): string {
  const bytes = typeof value === 'string' ? decodeBase64url(value) : undefined
  if (bytes === undefined || bytes.length === 0 || bytes.length > mostBytes || bytes[0] === 0)
    throw new TypeError('a number of the key is not in base64url, or too long')
  return bytes.toString('base64url')
}
