import type { SignedManifest } from './manifest-statement.ts'
import type { OtpState } from './otp-use.ts'

/** The part of the port for backups of the appliance: the keeper answers the operator. All reject with `hsm.rejected` for a worker. */
export interface ApplianceBackupPort {
  /** Has the keeper sign the hex SHA-256 of a backup's manifest, with the audit signing key. */
  signManifest(hash: string): Promise<SignedManifest>

  /**
   * Has the keeper leave a copy of its file in `to`, a file that is not there yet, or beside its own with the suffix `.copy`: a
   * keeper that is confined writes nowhere else. Resolves with the record up to which each audit chain was signed at that moment.
   */
  copyState(to?: string): Promise<ReadonlyMap<string, number>>

  /** Makes all one-time passwords at or behind these counters used; false for each device that bears no good seal. */
  raiseOtps(devices: readonly OtpState[]): Promise<readonly boolean[]>
}
