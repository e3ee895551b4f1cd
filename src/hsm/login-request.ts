import type { OtpState, ShownOtp } from './otp-use.ts'
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
export type ShownFactor =
  | { readonly certificate: SealedRecord }
  | { readonly certificate: undefined; readonly devices: readonly OtpState[]; readonly otp: ShownOtp }

/** A session that no record of the database holds yet. */
export interface BegunSession {
  readonly token: string
  readonly identity: Buffer
  /** Over its record with the hash of the token. */
  readonly seal: Buffer
  readonly createdAt: number
  readonly expiresAt: number
  /** Whether the check of the pass phrase need not be made anew. */
  readonly isCheckCurrent: boolean
}
