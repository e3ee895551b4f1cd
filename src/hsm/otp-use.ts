import type { SealedRecord } from './sealed-record.ts'

/** The state of an OTP device in the database. */
export interface OtpState {
  /** The sealed record, of type `otp`. */
  readonly device: SealedRecord
  /**
   * Yubico: (use counter << 8) | session use of the last OTP; TOTP: the last accepted time step; HOTP: the next
   * expected counter.
   */
  readonly counter: number
  /** TOTP: how many time steps its clock was ahead of ours at the last login. */
  readonly driftSteps: number
}

/** An OTP as shown: 6 to 8 digits, or the 16 bytes of a hardware token's block, still encrypted. */
export type ShownOtp = { readonly code: string } | { readonly block: Buffer }

/** `used`: made by a hardware token, at or before its last accepted OTP. */
export const otpOutcomes = ['good', 'used', 'wrong'] as const

export interface OtpVerdict {
  readonly outcome: (typeof otpOutcomes)[number]
  /** Index of the device that made it; -1 where none did. */
  readonly at: number
  /** The state of that device after its use. */
  readonly counter: number
  readonly driftSteps: number
  /** For a hardware token, the 10 bytes after its private id; otherwise empty. */
  readonly reading: Buffer
}

/** More than any user has. */
export const mostOtpDevices = 16
