import { KeyObject, randomUUID } from 'node:crypto'
import { generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose'
import { jwkOf } from './jwk.ts'

/** A key pair of an application, or of an issuer. */
export interface SigningPair {
  readonly alg: string
  readonly kid: string
  readonly privateKey: CryptoKey
  /** The public half, as an issuer publishes it. */
  readonly jwk: JWK
}

export async function makePair(alg = 'ES256'): Promise<SigningPair> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const kid = randomUUID()
  return { alg, kid, privateKey, jwk: { ...jwkOf(KeyObject.from(publicKey)), kid, alg, use: 'sig' } }
}

export const seconds = (ms = Date.now()): number => Math.floor(ms / 1_000)

/** The claims of an application's own assertion, valid for a minute. */
export const ownClaims = (account: string, audience = 'strongroom'): JWTPayload => ({
  iss: account,
  sub: account,
  aud: audience,
  jti: randomUUID(),
  iat: seconds(),
  exp: seconds() + 60,
})

export function signed(
  { alg, kid, privateKey }: SigningPair,
  claims: JWTPayload,
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(privateKey)
}

/** A compact JWS with header and claims as they are given, and a signature by `sign`. */
export function compact(header: string, claims: string, sign: (text: Buffer) => Uint8Array): string {
  const text = [header, claims].map((part) => Buffer.from(part).toString('base64url')).join('.')
  return `${text}.${Buffer.from(sign(Buffer.from(text))).toString('base64url')}`
}
