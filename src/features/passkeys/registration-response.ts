import { verifyRegistrationResponse } from '@simplewebauthn/server'
import { decodeAttestationObject, decodeCredentialPublicKey } from '@simplewebauthn/server/helpers'
import { Fault, isFault } from '../../fault.ts'
import type { PasskeyRules } from '../../hsm/passkey-assertion.ts'
import { checkPublicJwk, readPublicJwk, type PublicJwk } from '../../hsm/public-jwk.ts'
import type { Attestation } from './attestation.ts'
import type { NewPasskey } from './records.ts'

/** The answer of an authenticator to a registration, as in `PublicKeyCredential.toJSON()`. */
export interface RegistrationResponse {
  /** Base64url. */
  readonly id: string
  readonly clientDataJSON: string
  readonly attestationObject: string
}

export interface ReadRegistration extends NewPasskey {
  /** The challenge in the answer. Whether it was issued to this session is still to be checked. */
  readonly challenge: Buffer
}

/** COSE algorithms (RFC 9053): EdDSA, ES256, RS256. */
export const passkeyAlgorithms = [-8, -7, -257] as const

/** No attestation, and that of security keys. */
const attestationFormats: readonly string[] = ['none', 'packed']

/** Checks the registration of a passkey as in WebAuthn §7.1. @throws Fault `passkey.invalid`, `passkey.make_refused` */
export async function readRegistration(
  { id, clientDataJSON, attestationObject }: RegistrationResponse,
  { rpId, origins, userVerification }: PasskeyRules,
  attestation?: Attestation,
): Promise<ReadRegistration> {
  let challenge = ''
  try {
    const attested = decodeAttestationObject(Buffer.from(attestationObject, 'base64url'))
    const format = attested.get('fmt')
    if (!attestationFormats.includes(format)) throw new TypeError(`an attestation ${format}, which was not asked for`)
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        response: { clientDataJSON, attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge(text) {
        challenge = text
        return true
      },
      expectedOrigin: [...origins],
      expectedRPID: rpId,
      requireUserVerification: userVerification === 'required',
      supportedAlgorithmIDs: [...passkeyAlgorithms],
    })
    if (!verified) throw new TypeError('an attestation without a signature')
    const { credential, aaguid } = registrationInfo
    attestation?.check({ format, certificates: attested.get('attStmt').get('x5c'), aaguid })
    const key = publicKeyIn(credential.publicKey)
    checkPublicJwk(key)
    return {
      credentialId: Buffer.from(credential.id, 'base64url'),
      key,
      signCount: credential.counter,
      challenge: Buffer.from(challenge, 'base64url'),
    }
  } catch (cause) {
    if (isFault(cause, 'passkey.make_refused')) throw cause
    const reason = cause instanceof Error ? cause.message : 'unreadable'
    throw new Fault('passkey.invalid', undefined, { cause: new Error(reason) })
  }
}

/** COSE labels of the parameters of keys (RFC 9053 §7). */
const labels = { type: 1, curve: -1, x: -2, y: -3, modulus: -1, exponent: -2 } as const
const types = { okp: 1, ec2: 2, rsa: 3 } as const
const curves: Readonly<Record<number, string>> = { 1: 'P-256', 6: 'Ed25519' }

/** @throws TypeError for a key of another type */
function publicKeyIn(cose: Uint8Array): PublicJwk {
  const decoded: unknown = decodeCredentialPublicKey(Uint8Array.from(cose))
  const members: ReadonlyMap<unknown, unknown> = decoded instanceof Map ? decoded : new Map()
  const text = (label: number): string | undefined => {
    const value = members.get(label)
    return value instanceof Uint8Array ? Buffer.from(value).toString('base64url') : undefined
  }
  const type = members.get(labels.type)
  const crv = curves[Number(members.get(labels.curve))]
  if (type === types.okp) return readPublicJwk({ kty: 'OKP', crv, x: text(labels.x) })
  if (type === types.ec2) return readPublicJwk({ kty: 'EC', crv, x: text(labels.x), y: text(labels.y) })
  if (type === types.rsa) return readPublicJwk({ kty: 'RSA', n: text(labels.modulus), e: text(labels.exponent) })
  throw new TypeError('a key of another kind')
}
