import type { OtpState, ShownOtp } from './otp-use.ts'
import type { PasskeyAssertion } from './passkey-assertion.ts'
import type { SealedRecord } from './sealed-record.ts'

/** The credentials of a login, for the keeper. */
export interface LoginRequest {
  /** The sealed record of the application key with this text; undefined where there is none. */
  readonly applicationKey: SealedRecord | undefined
  readonly applicationKeyText: Uint8Array
  /** The sealed record; undefined where there is no such user. */
  readonly user: SealedRecord | undefined
  /** The argon2id hash of the pass phrase, by the salt and cost of the user. */
  readonly hash: Buffer
  readonly factor: ShownFactor
}

/** `certificate`: the sealed record of the user's certificate, whose smartcard the worker claims to have seen. */
export type ShownFactor = { readonly certificate: SealedRecord } | OnceShown

/** A second factor that is valid once, judged by the keeper: an OTP, or an assertion of a passkey. */
export type OnceShown =
  | { readonly certificate: undefined; readonly devices: readonly OtpState[]; readonly otp: ShownOtp }
  | { readonly certificate: undefined; readonly passkey: ShownPasskey }

export interface ShownPasskey {
  /** The sealed record; undefined where there is none. */
  readonly passkey: SealedRecord | undefined
  /** The signature count of its authenticator in the database. */
  readonly signCount: number
  readonly assertion: PasskeyAssertion
}

/** Kinds of evidence by which an application logs in to its account: see the keeper's `service-evidence.ts`. */
export const evidenceKinds = ['certificate', 'jwt', 'federated', 'static'] as const

export interface ServiceEvidence {
  readonly kind: (typeof evidenceKinds)[number]
  /** The DER of the client certificate of the connection; the assertion; the text of a static key. */
  readonly shown: Uint8Array
  /** The JWK set of the issuer of a federated assertion, if it was fetched from a URL: the worker's claim. */
  readonly issuerKeys?: Uint8Array | undefined
}

/** A session that is not in the database yet. */
interface Begun {
  readonly token: string
  readonly identity: Buffer
  /** Seal over its record with the hash of the token. */
  readonly seal: Buffer
  readonly createdAt: number
  readonly expiresAt: number
}

/** The session of a service account. */
export interface BegunService extends Begun {
  /** Id of the credential that began it. */
  readonly credential: string
  /** The assertion that it used up; undefined for evidence that can be used again. */
  readonly usedUp: UsedUp | undefined
}

/** A used assertion, which begins no other session on any machine. */
export interface UsedUp {
  /** Identifies the assertion: 32 bytes. */
  readonly assertion: Buffer
  /** When the assertion expires, after which it is refused for that reason. */
  readonly goodUntil: number
}

/** The session of a user. */
export interface BegunSession extends Begun {
  /** False where the check value of the pass phrase should be renewed. */
  readonly isCheckCurrent: boolean
}
