import { setTransactionGrant, transactionGrant, type SealedGrant } from '../../access/transaction-grant.ts'
import type { Caller } from '../../access/caller.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { OnceShown } from '../../hsm/login-request.ts'
import { hasFactor } from '../../hsm/user-factors.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import { findUserById, isPerson, lockedUser, type User } from '../users/records.ts'
import { sealedUser } from '../users/user-seals.ts'
import type { Recoveries } from '../users/recovery.ts'
import { loginNameOf } from './credential-check.ts'
import type { OnceShownFactor } from './credentials.ts'
import type { CheckFactor } from './factor-check.ts'
import { commitGoodAttempt, forgiveGoodAttempt } from './good-attempt.ts'
import { onceShown } from './shown-factor.ts'
import type { HasUsableFactor } from './usable-factors.ts'

/** A second factor that the caller shows once more, with the client's address. */
export type FreshFactor = OnceShownFactor & { readonly address: string }

/** Changes that users make of their own second factors. */
export interface OwnFactors {
  /**
   * Makes one change of the caller's factors, authorized by a second factor in the same call. The factor is throttled
   * as at a login, used up in any case, and judged by the keeper, which seals no such change without it
   * (docs/decisions/0068). The user's row is locked when `work` begins. A change that leaves the user no second factor to
   * log in with is not made.
   * @throws Fault `login.refused`, `login.throttled`, `login.type_disabled`, `user.last_factor`
   */
  change<T>(
    caller: Pick<Caller, 'userId'>,
    factor: FreshFactor,
    commit: Commit,
    work: (tx: Tx) => Promise<T>,
  ): Promise<T>
  /**
   * Refuses a new factor while a membership of the user is on hold. Otherwise an administrator who has reset the user
   * could add a factor that stays valid after the user is confirmed.
   * @throws Fault `access.resting`
   */
  refuseOnHold(userId: number): Promise<void>
}

export interface OwnFactorsDependencies {
  readonly store: Pick<Store, 'read' | 'transaction'>
  readonly recoveries: Pick<Recoveries, 'countOnHold'>
  readonly hsm: Pick<Hsm, 'freshGrant'>
  readonly checkFactor: CheckFactor
  readonly hasUsableFactor: HasUsableFactor
}

export function createOwnFactors(on: OwnFactorsDependencies): OwnFactors {
  const { store, hsm, checkFactor, recoveries, hasUsableFactor } = on
  return {
    async refuseOnHold(userId) {
      if ((await recoveries.countOnHold(userId)) > 0) throw new Fault('access.resting', onHoldRefusal)
    },

    async change({ userId }, { address, ...shown }, commit, work) {
      const user = await findUserById(store.read, userId)
      if (user === null) throw new Fault('session.invalid')
      // A service account has no second factor, and the keeper takes its record for that of no user.
      if (!isPerson(user)) throw refused()
      const attempt = { name: loginNameOf(user.username), userId, address }
      const factor = await checkFactor(attempt, shown)
      if (factor === undefined || !hasFactor(user.factors, factor.sealed.record)) throw refused()
      const good = { ...factor, user }
      return commitGoodAttempt(store, good, () =>
        commit(async (tx) => {
          if (!(await forgiveGoodAttempt(tx, good))) throw refused()
          const fresh = await freshGrant(hsm, tx, await lockedUser(tx, userId), onceShown(factor, shown))
          setTransactionGrant(tx, () => Promise.resolve(fresh))
          const result = await work(tx)
          if (!(await hasUsableFactor(tx, await lockedUser(tx, userId)))) throw new Fault('user.last_factor', noneLeft)
          return result
        }),
      )
    },
  }
}

/**
 * Has the keeper use up a second factor of the caller and give a fresh grant for one change of the caller's factors.
 * @throws Fault `login.refused`
 */
export async function freshGrant(
  hsm: Pick<Hsm, 'freshGrant'>,
  tx: Tx,
  user: User,
  factor: OnceShown,
): Promise<SealedGrant> {
  const grant = await transactionGrant(tx)
  if (grant === undefined) throw new Fault('session.invalid')
  try {
    return await hsm.freshGrant(grant, sealedUser(user), factor)
  } catch (error) {
    throw isFault(error, 'login.refused') ? refused() : error
  }
}

const refused = (): Fault =>
  new Fault('login.refused', 'The second factor is wrong or was used before: nothing was changed.')

const noneLeft = 'No second factor that you can log in with would be left: register another first.'

const onHoldRefusal =
  'Your membership in a vault is on hold, because another person set your pass phrase or gave you a second factor: once it is confirmed, you can register factors of your own.'
