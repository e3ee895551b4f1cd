import type { Tx } from '../../store/store.ts'

/** What users are given to log in with beside their pass phrase, inside the transaction that changes the user. */
export interface SecondFactors {
  /**
   * Gives the hardware token that made this OTP, which the appliance knows and nobody holds, to a user. The OTP is used up.
   * @throws Fault `otp.device_invalid`
   */
  adoptByOtp(tx: Tx, userId: number, otp: string): Promise<void>
  /**
   * Takes the hardware token of this public id from the user who holds it, or gives him one that the appliance knows
   * and nobody holds. Its counter stays where it is.
   * @throws Fault `otp.device_not_found`, `otp.device_exists`, `otp.device_limit`
   */
  togglePrefix(tx: Tx, userId: number, publicId: string): Promise<void>
  /** Makes a seed in the token; the otpauth URI is shown once and kept nowhere. */
  enrolTotp(tx: Tx, user: { readonly id: number; readonly username: string }): Promise<string>
}
