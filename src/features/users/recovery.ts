import type { Clock } from '../../clock.ts'
import type { Store, Tx } from '../../store/store.ts'
import { lockedUser, type User } from './records.ts'
import { countResting, insertRecovery } from './recovery-records.ts'
import type { Sealer } from './sealed-change.ts'
import { changeUser } from './user-seals.ts'

/**
 * Whoever sets the pass phrase of another user or gives him a second factor can log in as that user. So the user's
 * memberships rest afterwards until another Admin of each vault confirms them (docs/decisions/0025).
 */
export interface Recoveries {
  /**
   * Notes, in the transaction that makes it, that `by` sets the pass phrase of a user or gives a second factor. The
   * user's own acts do not count, nor those of who made the user, until somebody logs in as the user. `changes` of the
   * user's row are made under the same seal: the keeper seals neither without the recovery.
   * @throws Fault `user.not_found`
   */
  note(tx: Tx, userId: number, by: number, changesOf: (user: User) => Partial<User>): Promise<void>
  /** In how many vaults the membership of a user rests. */
  resting(userId: number): Promise<number>
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
  /** `open`: memberships do not rest. */
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

    resting: (userId) => countResting(store.read, userId),
  }
}

/** For whoever made the recovery; nothing where no membership rests. */
export async function restingNotice(recoveries: Pick<Recoveries, 'resting'>, userId: number): Promise<string[]> {
  const resting = await recoveries.resting(userId)
  if (resting === 0) return []
  return [
    `The user's membership in ${vaults(resting)} is on hold until another Admin of the vault, or the operator, confirms it.`,
  ]
}

/** For the user; nothing where no membership rests. */
export function restingAdvice(resting: number): string[] {
  if (resting === 0) return []
  return [
    `Your membership in ${vaults(resting)} is on hold, because another person set your pass phrase or gave you a second factor: another Admin of the vault has to confirm you, or the operator if there is none.`,
  ]
}

const vaults = (count: number): string => (count === 1 ? 'one vault' : `${count} vaults`)
