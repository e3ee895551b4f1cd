import type { BegunService, BegunSession, LoginRequest, OnceShown, ServiceEvidence } from './login-request.ts'
import type { OtpState, OtpVerdict, ShownOtp } from './otp-use.ts'
import type { SeedUse } from './peppered-text.ts'
import type { SealedRecord } from './sealed-record.ts'

/** The part of the port that logins ask, and what prepares them: the keeper answers. */
export interface LoginPort {
  /**
   * Begins a session, where application key, second factor and pass phrase are right; the OTP is used up in any case.
   * Sessions begin in no other way. A certificate is the worker's word, and the record of the session says so. Rejects
   * with `login.refused` for whatever reason, and with `hsm.outdated` for a record of before.
   */
  login(request: LoginRequest): Promise<BegunSession>

  /**
   * Begins a session of a service account, by the sealed record of the account and what the application shows. Sessions of
   * service accounts begin in no other way. That a client holds the private key of its certificate is the worker's word.
   * Rejects with `login.refused`, whose detail says why, for the audit trail and never for the client; and with
   * `hsm.outdated` for a record of before. Without an account it does the same work, and refuses.
   */
  serviceLogin(account: SealedRecord | undefined, evidence: ServiceEvidence): Promise<BegunService>

  /**
   * For a caller who shows a second factor once more, which is used up in any case: what `seal` takes in place of the
   * caller's `grant` for one change of his own factors, within a minute. Rejects with `login.refused` where the factor is
   * wrong, and with `hsm.outdated` for a record of before.
   */
  freshGrant(grant: SealedRecord, user: SealedRecord, factor: OnceShown): Promise<SealedRecord>

  /**
   * Issues a challenge for authenticators (`passkey-challenge.ts`): to the session of this grant, or for logins, whoever
   * they are of.
   */
  passkeyChallenge(grant?: SealedRecord): Promise<{ readonly issuedAt: number; readonly seal: Buffer }>

  // What is stored to be compared: HMAC-SHA-256 by the token's pepper, each over a text of its own kind that the keeper
  // composes.

  // What is compared bears the version of the pepper that made it (`peppered-check.ts`).

  /** The check of a pass phrase whose argon2id hash this is: with a nonce, so that no two are alike. */
  newPassphraseCheck(hash: Uint8Array): Promise<Buffer>

  /**
   * Whether the check is of this hash; false without one, by the same work. Wrong ones are limited for each check; those that
   * come too often are told that they are wrong.
   */
  matchesPassphrase(check: Uint8Array | undefined, hash: Uint8Array): Promise<boolean>

  /** By which an application key is looked up: by each version of the pepper one, the newest first. */
  applicationKeyChecks(key: string): Promise<readonly Buffer[]>

  /** By which the seed of a device is recognised when it is enrolled again: likewise. */
  seedChecks(device: SeedUse, seed: Uint8Array): Promise<readonly Buffer[]>

  /** What the record of a hardware token holds of its private id (6 bytes). */
  privateIdCheck(privateId: Uint8Array): Promise<Buffer>

  /** From which the successor of a session's token is derived, always the same: 32 bytes. */
  sessionTokenSuccessor(token: string): Promise<Buffer>

  // One-time passwords, which the keeper judges by its own clock, and of which it remembers the last one that was used of
  // each device.

  /**
   * Whether one of the devices made this OTP and has used none after it. Wrong codes are limited for each device: of one
   * that has had too many no code is good until some time has passed. No device at all costs about as much as one.
   * `holder`: the sealed record of the user whose factors they must be, and who must be able to log in; needed for more
   * than one device.
   */
  checkOtp(devices: readonly OtpState[], otp: ShownOtp, holder?: SealedRecord): Promise<OtpVerdict>

  /** The same for at most one, and uses it up: `good` for exactly one of any number of calls, whatever the counter is. */
  useOtp(devices: readonly OtpState[], otp: ShownOtp): Promise<OtpVerdict>

  /**
   * `useOtp` of a hardware token's block for a client of the validator: the client's HMAC-SHA-1 over the answer, which has
   * to name this OTP and to accept it; undefined unless the OTP is good.
   */
  acceptOtp(client: OtpState['device'], device: OtpState, block: Buffer, answer: string): Promise<Buffer | undefined>

  /**
   * The counter after two codes that a HOTP token gave one after the other; undefined where they are not found within
   * `otp.hotpResyncWindow`. `useOtp` of the second uses both up, once that is stored.
   */
  resynchroniseOtp(device: OtpState, codes: readonly [string, string]): Promise<number | undefined>
}
