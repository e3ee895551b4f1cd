import type { Tx } from '../../store/store.ts'
import { forgiveFailedLogins } from '../users/passphrase-records.ts'
import type { User } from '../users/records.ts'
import type { ForgiveAttempt } from './throttle.ts'

interface GoodAttempt {
  readonly user: User
  readonly forgive: ForgiveAttempt
}

/**
 * Takes an attempt back that was good, and it alone: the next login reports the earlier ones. False where the user was
 * changed since.
 */
export async function forgiveGoodAttempt(tx: Tx, { user, forgive }: GoodAttempt): Promise<boolean> {
  await forgive(tx)
  return forgiveFailedLogins(tx, { ...user, failedLogins: 0 })
}
