import type { LoginBody, LoginChallenge, OwnChallenge, PasskeyRegistrationBody } from '../interface/calls.ts'
import { PasskeyFailure, type PasskeyReason } from '../interface/passkey-failure.ts'

type PasskeyAnswer = NonNullable<LoginBody['passkey']>
type Registration = PasskeyRegistrationBody['registration']

/** Where the browser knows of passkeys. */
export const hasPasskeys = (): boolean => 'PublicKeyCredential' in window

/** Has the person show a passkey: one of those that the browser finds for the host. @throws PasskeyFailure */
export async function showPasskey(challenge: LoginChallenge, signal: AbortSignal): Promise<PasskeyAnswer> {
  const publicKey: PublicKeyCredentialRequestOptions = {
    challenge: bytesOfText(challenge.challenge),
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
      clientDataJSON: textOfBytes(response.clientDataJSON),
      authenticatorData: textOfBytes(response.authenticatorData),
      signature: textOfBytes(response.signature),
    },
  }
}

/** Has the person make a passkey, which the browser shows as that of `username`. @throws PasskeyFailure */
export async function makePasskey(
  challenge: OwnChallenge,
  { username, fullname }: { readonly username: string; readonly fullname: string },
  signal: AbortSignal,
): Promise<Registration> {
  const publicKey: PublicKeyCredentialCreationOptions = {
    challenge: bytesOfText(challenge.challenge),
    rp: { id: challenge.rpid, name: 'Strongroom' },
    user: {
      id: bytesOfText(challenge.userhandle),
      name: username,
      displayName: fullname === '' ? username : fullname,
    },
    pubKeyCredParams: challenge.algorithms.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: challenge.passkeys.map((id) => ({ type: 'public-key', id: bytesOfText(id) })),
    // A login has no list of credentials: the authenticator itself has to find the passkey.
    authenticatorSelection: { residentKey: 'required', userVerification: challenge.userverification },
    attestation: 'none',
    timeout: challenge.timeout,
  }
  const credential = await answered(() => navigator.credentials.create({ publicKey, signal }), signal, 'noneMade')
  const { response } = credential
  if (!(response instanceof AuthenticatorAttestationResponse)) throw new PasskeyFailure('noneMade', response)
  return {
    id: credential.id,
    response: {
      clientDataJSON: textOfBytes(response.clientDataJSON),
      attestationObject: textOfBytes(response.attestationObject),
    },
  }
}

/** Why there is none, by the names of WebAuthn §5.1. */
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

/** Base64url without padding, by hand: not every browser makes JSON of credentials. */
const textOfBytes = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const bytesOfText = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
