import type { UsedUp } from '../login-request.ts'
import type { ServiceCredential } from '../service-credential.ts'

/** Evidence of a service account that could be read. */
export interface ReadEvidence {
  /** Whether it fits a credential. */
  readonly fits: (credential: ServiceCredential) => boolean
  /** Where a session lasts no longer than what was shown. */
  readonly endsAt?: number
  /** Where it is good once. */
  readonly usedUp?: UsedUp
}
