import type { Tx } from '../../store/store.ts'
import { forgiveFailedLogins } from '../users/passphrase-records.ts'
import type { User } from '../users/records.ts'
import type { ForgiveAttempt } from './throttle.ts'

interface GoodAttempt {
  readonly user: User
  readonly forgive: ForgiveAttempt
}

/**
 * Takes back one successful attempt, and leaves earlier failures counted for the next login to report. False where the
 * user was changed meanwhile.
 */
export async function forgiveGoodAttempt(tx: Tx, { user, forgive }: GoodAttempt): Promise<boolean> {
  await forgive(tx)
  return forgiveFailedLogins(tx, { ...user, failedLogins: 0 })
}
