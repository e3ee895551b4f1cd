import type { UsedUp } from '../login-request.ts'
import type { ServiceCredential } from '../service-credential.ts'

/** The parsed evidence of a login of a service account. */
export interface ReadEvidence {
  /** Whether the evidence fits a credential. */
  readonly fits: (credential: ServiceCredential) => boolean
  /** Set where the session must not outlast the evidence. */
  readonly endsAt?: number
  /** Set where the evidence is valid once. */
  readonly usedUp?: UsedUp
}
