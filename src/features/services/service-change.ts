import { capabilitiesOf } from '../../access/capabilities.ts'
import type { ServiceAccount } from '../../hsm/service-account.ts'
import type { User } from '../users/records.ts'

/** The state of a service account before or after a change. */
export interface ServiceState {
  readonly isActive: boolean
  readonly account: ServiceAccount
}

/** Who changes it: `by` is the id of the user or `operatorId`, `owner` the id of the owner before the change. */
export interface ServiceActor {
  readonly by: number
  readonly owner: Pick<User, 'id' | 'recoveries'> | null
}

/**
 * Whether a change counts as a recovery, so that the memberships of the account are on hold until they are confirmed.
 * The keeper applies the same rule (`service-rules.ts`) and refuses a change that lacks the recovery.
 */
export function comesWithRecovery(before: ServiceState, after: ServiceState, { by, owner }: ServiceActor): boolean {
  const isSameOwner =
    after.account.owner === before.account.owner && after.account.ownerRecoveries === before.account.ownerRecoveries
  const isHimself = isSameOwner && owner?.id === by && owner.recoveries === before.account.ownerRecoveries
  return !isHimself && !(isSameOwner && lessens(before, after))
}

function lessens(before: ServiceState, after: ServiceState): boolean {
  const had = new Set(before.account.credentials.map(({ id }) => id))
  return (
    after.account.credentials.every(({ id }) => had.has(id)) &&
    limitsOf(after.account) === limitsOf(before.account) &&
    (before.isActive || !after.isActive)
  )
}

const limitsOf = ({ addresses, expiresAt }: ServiceAccount): string => JSON.stringify([addresses, expiresAt])

export const capabilitiesWhile = (isActive: boolean): number => (isActive ? capabilitiesOf(['active']) : 0)
