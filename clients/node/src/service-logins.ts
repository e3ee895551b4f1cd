import { toBase64Url } from './base64.ts'
import type { Login } from './logins.ts'

/** Algorithms that the appliance accepts for assertions (RFC 7518 §3.1, RFC 8037). */
export type AssertionAlgorithm = 'EdDSA' | 'ES256' | 'RS256' | 'PS256'

/** Signs assertions. The private key may be in a file, a TPM or a PKCS#11 token. */
export interface AssertionSigner {
  readonly alg: AssertionAlgorithm
  /** Resolves to a JWS signature (RFC 7518 §3.4); for ES256 r and s, 64 bytes. */
  sign(input: Uint8Array<ArrayBuffer>): Promise<Uint8Array> | Uint8Array
}

const ofService = { lifetime: 'fixed', isRepeatable: true } as const

/**
 * Logs a service account in with an assertion that is signed by its own key, a new one for each login (RFC 7523 §3).
 */
export function serviceJwtLogin({
  account,
  signer,
  audience = 'strongroom',
  kid,
}: {
  readonly account: string
  readonly signer: AssertionSigner
  /** One of the audiences in the appliance's setting `service.audience`. */
  readonly audience?: string
  readonly kid?: string
}): Login {
  return {
    ...ofService,
    async body() {
      const now = Math.floor(Date.now() / 1000)
      const header = { alg: signer.alg, typ: 'JWT', ...(kid === undefined ? {} : { kid }) }
      const claims = { iss: account, sub: account, aud: audience, iat: now, exp: now + 60, jti: crypto.randomUUID() }
      const input = `${toBase64Url(JSON.stringify(header))}.${toBase64Url(JSON.stringify(claims))}`
      const signature = await signer.sign(new TextEncoder().encode(input))
      return { logintype: 'service_jwt', assertion: `${input}.${toBase64Url(signature)}` }
    },
  }
}

/**
 * Logs a service account in with the JWT of an issuer that the appliance knows. `token` is called at each login,
 * because such tokens expire soon.
 */
export function serviceFederatedLogin({
  account,
  token,
}: {
  readonly account: string
  readonly token: () => string | Promise<string>
}): Login {
  return {
    ...ofService,
    body: async () => ({ logintype: 'service_federated', account, assertion: await token() }),
  }
}

/** Logs a service account in with a static key, where the operator allows those. */
export function serviceStaticLogin({ account, key }: { readonly account: string; readonly key: string }): Login {
  return { ...ofService, body: () => Promise.resolve({ logintype: 'service_static', account, key }) }
}

/** Signs with a private key of Web Crypto, which may be non-extractable. */
export function cryptoKeySigner(key: CryptoKey): AssertionSigner {
  const { alg, parameters } = algorithmOf(key)
  return { alg, sign: async (input) => new Uint8Array(await crypto.subtle.sign(parameters, key, input)) }
}

type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

function algorithmOf({ algorithm: { name } }: CryptoKey): {
  readonly alg: AssertionAlgorithm
  readonly parameters: { readonly name: string; readonly hash?: string; readonly saltLength?: number }
} {
  switch (name) {
    case 'Ed25519':
      return { alg: 'EdDSA', parameters: { name } }
    case 'ECDSA':
      return { alg: 'ES256', parameters: { name, hash: 'SHA-256' } }
    case 'RSASSA-PKCS1-v1_5':
      return { alg: 'RS256', parameters: { name } }
    case 'RSA-PSS':
      return { alg: 'PS256', parameters: { name, saltLength: 32 } }
    default:
      throw new TypeError(`Keys of ${name} sign no assertion: take Ed25519, ECDSA with P-256, or RSA.`)
  }
}
