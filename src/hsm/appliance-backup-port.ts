import type { SignedStatement } from './signed-statement.ts'
import type { OtpState } from './otp-use.ts'

/**
 * The part of the port for backups of the appliance, for the operator. All methods reject with `hsm.rejected` for a
 * worker.
 */
export interface ApplianceBackupPort {
  /** Has the keeper sign the hex SHA-256 of a backup's manifest, with the audit signing key. */
  signManifest(hash: string): Promise<SignedStatement>

  /**
   * Has the keeper write a copy of its file to `to`, which must not exist, or by default beside its own file with the
   * suffix `.copy`, because a confined keeper can write nowhere else. Resolves to the last signed record of each audit
   * chain in that copy.
   */
  copyState(to?: string): Promise<ReadonlyMap<string, number>>

  /** Marks all one-time passwords up to these counters as used. False for each device whose seal is broken. */
  raiseOtps(devices: readonly OtpState[]): Promise<readonly boolean[]>
}
