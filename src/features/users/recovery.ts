import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Store, Tx } from '../../store/store.ts'
import { findUserById, forgetMaker, lockUser } from './records.ts'
import { countResting, insertRecovery } from './recovery-records.ts'

/**
 * Whoever sets the pass phrase of another user or gives him a second factor can log in as that user. So the user's
 * memberships rest afterwards until another Admin of each vault confirms them (docs/decisions/0025).
 */
export interface Recoveries {
  /**
   * Notes, in the transaction that makes it, that `by` sets the pass phrase of a user or gives a second factor. The
   * user's own acts do not count, nor those of who made the user, until somebody logs in as the user.
   * @throws Fault `user.not_found`
   */
  note(tx: Tx, userId: number, by: number): Promise<void>
  /** In how many vaults the membership of a user rests. */
  resting(userId: number): Promise<number>
}

export function createRecoveries({
  store,
  clock,
  rule,
  endSessions,
}: {
  readonly store: Pick<Store, 'read'>
  readonly clock: Clock
  /** `open`: memberships do not rest. */
  readonly rule: 'approved' | 'open'
  readonly endSessions: (tx: Tx, userId: number) => Promise<unknown>
}): Recoveries {
  return {
    async note(tx, userId, by) {
      if (by === userId) return
      const user = (await lockUser(tx, userId)) ? await findUserById(tx, userId) : null
      if (user === null) throw new Fault('user.not_found')
      if (by === user.madeBy) return
      await forgetMaker(tx, userId)
      if (rule === 'open') return
      await insertRecovery(tx, userId, by, clock.now())
      await endSessions(tx, userId)
    },

    resting: (userId) => countResting(store.read, userId),
  }
}

/** For whoever made the recovery; nothing where no membership rests. */
export async function restingNotice(recoveries: Pick<Recoveries, 'resting'>, userId: number): Promise<string[]> {
  const resting = await recoveries.resting(userId)
  if (resting === 0) return []
  const vaults = resting === 1 ? 'one vault' : `${resting} vaults`
  return [`The user's membership in ${vaults} rests until another Admin of the vault, or the operator, confirms it.`]
}
