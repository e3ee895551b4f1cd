import type { Clock } from '../../clock.ts'
import type { Store, Tx } from '../../store/store.ts'
import { lockedUser, type User } from './records.ts'
import { countOnHold, insertRecovery } from './recovery-records.ts'
import type { Sealer } from './sealed-change.ts'
import { changeUser } from './user-seals.ts'

/**
 * A person who sets the pass phrase of another user, or gives that user a second factor, can log in as that user. So
 * the user's memberships are on hold afterwards, until another Admin of each vault confirms them (docs/decisions/0025).
 */
export interface Recoveries {
  /**
   * Notes, within the transaction, that `by` sets a user's pass phrase or gives a second factor. It is no recovery when
   * `by` is the user, or created the user, who has not logged in yet. `changesOf` gives the changes of
   * the user's row, which are sealed together with the recovery: the keeper refuses them without it.
   * @throws Fault `user.not_found`
   */
  note(tx: Tx, userId: number, by: number, changesOf: (user: User) => Partial<User>): Promise<void>
  /** The number of vaults in which the user's membership is on hold. */
  countOnHold(userId: number): Promise<number>
}

export function createRecoveries({
  store,
  hsm,
  clock,
  rule,
  endSessions,
}: {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Sealer
  readonly clock: Clock
  /** `open`: recoveries put no membership on hold. */
  readonly rule: 'approved' | 'open'
  readonly endSessions: (tx: Tx, userId: number) => Promise<unknown>
}): Recoveries {
  return {
    async note(tx, userId, by, changesOf) {
      const user = await lockedUser(tx, userId)
      const changes = changesOf(user)
      if (by === userId || by === user.madeBy) {
        await changeUser(hsm, tx, user, changes)
        return
      }
      const number = user.recoveries + (rule === 'open' ? 0 : 1)
      await changeUser(hsm, tx, user, { ...changes, madeBy: null, recoveries: number })
      if (rule === 'open') return
      await insertRecovery(tx, { userId, number, recoveredBy: by, recoveredAt: clock.now() })
      await endSessions(tx, userId)
    },

    countOnHold: (userId) => countOnHold(store.read, userId),
  }
}

/** For the person who made the recovery; empty where no membership is on hold. */
export async function onHoldNotice(recoveries: Pick<Recoveries, 'countOnHold'>, userId: number): Promise<string[]> {
  const count = await recoveries.countOnHold(userId)
  if (count === 0) return []
  return [
    `The user's membership in ${vaults(count)} is on hold until another Admin of the vault, or the operator, confirms it.`,
  ]
}

/** For the user; empty where no membership is on hold. */
export function onHoldAdvice(count: number): string[] {
  if (count === 0) return []
  return [
    `Your membership in ${vaults(count)} is on hold, because another person set your pass phrase or gave you a second factor: another Admin of the vault has to confirm you, or the operator if there is none.`,
  ]
}

const vaults = (count: number): string => (count === 1 ? 'one vault' : `${count} vaults`)
