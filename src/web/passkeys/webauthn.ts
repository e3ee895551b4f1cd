import { decodeBase64url, encodeBase64url } from '../interface/base64-text.ts'
import type { LoginBody, LoginChallenge, OwnChallenge, PasskeyRegistrationBody } from '../interface/calls.ts'
import { PasskeyFailure, type PasskeyReason } from '../interface/passkey-failure.ts'

type PasskeyAnswer = NonNullable<LoginBody['passkey']>
type Registration = PasskeyRegistrationBody['registration']

/** Whether the browser supports passkeys. */
export const hasPasskeys = (): boolean => 'PublicKeyCredential' in window

/** Asks the person for a passkey of this host. @throws PasskeyFailure */
export async function showPasskey(challenge: LoginChallenge, signal: AbortSignal): Promise<PasskeyAnswer> {
  const publicKey: PublicKeyCredentialRequestOptions = {
    challenge: decodeBase64url(challenge.challenge),
    rpId: challenge.rpid,
    timeout: challenge.timeout,
    userVerification: challenge.userverification,
  }
  const credential = await answered(() => navigator.credentials.get({ publicKey, signal }), signal, 'noneGiven')
  const { response } = credential
  if (!(response instanceof AuthenticatorAssertionResponse)) throw new PasskeyFailure('noneGiven', response)
  return {
    id: credential.id,
    response: {
      clientDataJSON: encodeBase64url(new Uint8Array(response.clientDataJSON)),
      authenticatorData: encodeBase64url(new Uint8Array(response.authenticatorData)),
      signature: encodeBase64url(new Uint8Array(response.signature)),
    },
  }
}

/** Asks the person to create a passkey, which the browser lists under `username`. @throws PasskeyFailure */
export async function makePasskey(
  challenge: OwnChallenge,
  { username, fullname }: { readonly username: string; readonly fullname: string },
  signal: AbortSignal,
): Promise<Registration> {
  const publicKey: PublicKeyCredentialCreationOptions = {
    challenge: decodeBase64url(challenge.challenge),
    rp: { id: challenge.rpid, name: 'Strongroom' },
    user: {
      id: decodeBase64url(challenge.userhandle),
      name: username,
      displayName: fullname === '' ? username : fullname,
    },
    pubKeyCredParams: challenge.algorithms.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: challenge.passkeys.map((id) => ({ type: 'public-key', id: decodeBase64url(id) })),
    // A login sends no list of credentials, so the authenticator itself must find the passkey.
    authenticatorSelection: { residentKey: 'required', userVerification: challenge.userverification },
    attestation: challenge.attestation,
    timeout: challenge.timeout,
  }
  const credential = await answered(() => navigator.credentials.create({ publicKey, signal }), signal, 'noneMade')
  const { response } = credential
  if (!(response instanceof AuthenticatorAttestationResponse)) throw new PasskeyFailure('noneMade', response)
  return {
    id: credential.id,
    response: {
      clientDataJSON: encodeBase64url(new Uint8Array(response.clientDataJSON)),
      attestationObject: encodeBase64url(new Uint8Array(response.attestationObject)),
    },
  }
}

/** Reasons for a failure, by the error names of WebAuthn §5.1. */
const reasons: Readonly<Record<string, PasskeyReason>> = {
  InvalidStateError: 'heldAlready',
  SecurityError: 'otherAddress',
}

async function answered(
  ask: () => Promise<Credential | null>,
  signal: AbortSignal,
  reason: PasskeyReason,
): Promise<PublicKeyCredential> {
  let credential: Credential | null
  try {
    credential = await ask()
  } catch (cause) {
    signal.throwIfAborted()
    throw new PasskeyFailure((cause instanceof DOMException && reasons[cause.name]) || reason, cause)
  }
  if (!(credential instanceof PublicKeyCredential)) throw new PasskeyFailure(reason, credential)
  return credential
}
