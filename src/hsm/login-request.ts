import type { OtpState, ShownOtp } from './otp-use.ts'
import type { PasskeyAssertion } from './passkey-assertion.ts'
import type { SealedRecord } from './sealed-record.ts'

/** What a login shows the keeper. */
export interface LoginRequest {
  /** The sealed record of the key of this text; undefined where there is none. */
  readonly applicationKey: OtpState['device'] | undefined
  readonly applicationKeyText: Uint8Array
  /** The sealed record; undefined where there is no such user. */
  readonly user: OtpState['device'] | undefined
  /** The argon2id hash of the pass phrase, by the salt and cost of the user. */
  readonly hash: Buffer
  readonly factor: ShownFactor
}

/** `certificate`: the sealed record of the user's certificate, whose smartcard the worker says to have seen. */
export type ShownFactor = { readonly certificate: SealedRecord } | OnceShown

/** What is good once, and judged by the keeper alone: an OTP, or the assertion of a passkey. */
export type OnceShown =
  | { readonly certificate: undefined; readonly devices: readonly OtpState[]; readonly otp: ShownOtp }
  | { readonly certificate: undefined; readonly passkey: ShownPasskey }

export interface ShownPasskey {
  /** The sealed record; undefined where there is none. */
  readonly passkey: SealedRecord | undefined
  /** The count of its authenticator, as the database has it. */
  readonly signCount: number
  readonly assertion: PasskeyAssertion
}

/** Ways in which an application shows that it is the one of its account: see `service-evidence.ts` of the keeper. */
export const evidenceKinds = ['certificate', 'jwt', 'federated', 'static'] as const

export interface ServiceEvidence {
  readonly kind: (typeof evidenceKinds)[number]
  /** The DER of the client certificate of the connection; the assertion; the text of a static key. */
  readonly shown: Uint8Array
  /** The JWK set of the issuer of a federated assertion, where it came by URL: the worker's word. */
  readonly issuerKeys?: Uint8Array | undefined
}

/** A session that no record of the database holds yet. */
interface Begun {
  readonly token: string
  readonly identity: Buffer
  /** Over its record with the hash of the token. */
  readonly seal: Buffer
  readonly createdAt: number
  readonly expiresAt: number
}

/** Of a service account. */
export interface BegunService extends Begun {
  /** The id of the credential that it was begun by. */
  readonly credential: string
  /** The assertion that it used up; undefined for evidence that is good more than once. */
  readonly usedUp: UsedUp | undefined
}

/** An assertion that begins no other session, here or at another machine. */
export interface UsedUp {
  /** Tells it from all others: 32 bytes. */
  readonly assertion: Buffer
  /** From then on it is refused because it has expired. */
  readonly goodUntil: number
}

/** Of a user. */
export interface BegunSession extends Begun {
  /** Whether the check of the pass phrase need not be made anew. */
  readonly isCheckCurrent: boolean
}
