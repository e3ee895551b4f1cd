import { isFault } from '../../fault.ts'
import type { Store, Tx } from '../../store/store.ts'
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

/**
 * Commits what a successful attempt is for, which takes the attempt back. So does a commit that fails for another reason
 * than the attempt, such as a full disk of the audit trail: those who try again meanwhile have made no failed logins.
 */
export async function commitGoodAttempt<T>(
  store: Pick<Store, 'transaction'>,
  attempt: GoodAttempt,
  commit: () => Promise<T>,
): Promise<T> {
  try {
    return await commit()
  } catch (error) {
    if (!isFault(error, 'login.refused'))
      await store.transaction((tx) => forgiveGoodAttempt(tx, attempt)).catch(() => undefined)
    throw error
  }
}
