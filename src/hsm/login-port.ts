import type { BegunService, BegunSession, LoginRequest, OnceShown, ServiceEvidence } from './login-request.ts'
import type { OtpState, OtpVerdict, ShownOtp } from './otp-use.ts'
import type { SeedUse } from './peppered-text.ts'
import type { SealedRecord } from './sealed-record.ts'

/** The block of an OTP, and the answer of the validator that accepts it. */
export interface AcceptedOtp {
  readonly block: Buffer
  readonly answer: string
}

/** The part of the port for logins and their preparation, which the keeper answers. */
export interface LoginPort {
  /**
   * Begins a session, provided that application key, second factor and pass phrase are right. The OTP is used up in any
   * case. There is no other way to begin a session. That a certificate was presented is the worker's claim, and the
   * session's record says so. Rejects with `login.refused`, whichever part was wrong, and with `hsm.outdated` for an
   * older record.
   */
  login(request: LoginRequest): Promise<BegunSession>

  /**
   * Begins a session of a service account, by the sealed record of the account and the application's evidence. There is
   * no other way to begin one. That a client has the private key of its certificate is the worker's claim. Rejects with
   * `login.refused`, whose detail gives the reason for the audit trail and never for the client, and with
   * `hsm.outdated` for an older record. Without an account it does the same work, and refuses.
   */
  serviceLogin(account: SealedRecord | undefined, evidence: ServiceEvidence): Promise<BegunService>

  /**
   * A fresh grant for a caller who shows a second factor once more, which is used up in any case. `seal` takes it
   * instead of the caller's `grant`, within a minute, for one change of the caller's own factors. Rejects with
   * `login.refused` where the factor is wrong, and with `hsm.outdated` for an older record.
   */
  freshGrant(grant: SealedRecord, user: SealedRecord, factor: OnceShown): Promise<SealedRecord>

  /**
   * Issues a challenge for authenticators (`passkey-challenge.ts`): to the session of this grant, or without one for
   * any login.
   */
  passkeyChallenge(grant?: SealedRecord): Promise<{ readonly issuedAt: number; readonly seal: Buffer }>

  // Stored check values: HMAC-SHA-256 by the token's pepper over texts that the keeper composes, each type with a form
  // of its own.

  // A check value contains the version of the pepper that made it (`peppered-check.ts`).

  /** The check value of a pass phrase with this argon2id hash. It has a nonce, so that no two are equal. */
  newPassphraseCheck(hash: Uint8Array): Promise<Buffer>

  /**
   * Whether the check value is of this hash; false without one, after the same work. Wrong tries are limited per check
   * value: after too many, every try counts as wrong.
   */
  matchesPassphrase(check: Uint8Array | undefined, hash: Uint8Array): Promise<boolean>

  /** The check values by which an application key is looked up, one per version of the pepper, newest first. */
  applicationKeyChecks(key: string): Promise<readonly Buffer[]>

  /** The check values by which the seed of a device is recognised when it is enrolled again, likewise. */
  seedChecks(device: SeedUse, seed: Uint8Array): Promise<readonly Buffer[]>

  /** The check value in a hardware token's record, of its private id (6 bytes). */
  privateIdCheck(privateId: Uint8Array): Promise<Buffer>

  /** 32 bytes from which the successor of a session token is derived; always the same for the same token. */
  sessionTokenSuccessor(token: string): Promise<Buffer>

  // One-time passwords. The keeper judges them by its own clock, and remembers the last one used of each device.

  /**
   * Whether one of the devices made this OTP and no later one was used. Wrong codes are limited per device: after too
   * many, no code of the device is accepted for some time. Without a device the call costs about as much as with one.
   * `holder`: the sealed record of the user who must have the devices as factors and be able to log in; required for
   * more than one device.
   */
  checkOtp(devices: readonly OtpState[], otp: ShownOtp, holder?: SealedRecord): Promise<OtpVerdict>

  /**
   * The same for at most one device, and uses the OTP up: `good` for exactly one of any number of calls, whatever the
   * counter is.
   */
  useOtp(devices: readonly OtpState[], otp: ShownOtp): Promise<OtpVerdict>

  /**
   * `useOtp` of a hardware token's block for a client of the validator. Resolves to the HMAC-SHA-1 (20 bytes) over the
   * answer, which has to name this OTP and to accept it; undefined unless the OTP is good, and of a factor of this
   * holder, who may log in. Rejects with `hsm.outdated` for an older record of client or holder.
   */
  acceptOtp(
    client: SealedRecord,
    device: OtpState,
    holder: SealedRecord,
    accepted: AcceptedOtp,
  ): Promise<Buffer | undefined>

  /**
   * The counter after two consecutive codes of a HOTP token; undefined where they are not found within
   * `otp.hotpResyncWindow`. Once it is stored, `useOtp` of the second code uses both up.
   */
  resynchroniseOtp(device: OtpState, codes: readonly [string, string]): Promise<number | undefined>
}
