import { capabilitiesOf } from '../../access/capabilities.ts'
import type { ServiceAccount } from '../../hsm/service-account.ts'
import type { User } from '../users/records.ts'

/** A service account as it stands before or after a change. */
export interface ServiceState {
  readonly isActive: boolean
  readonly account: ServiceAccount
}

/** Who changes it: `by` is the id of the user or `operatorId`, `owner` that of the owner before. */
export interface ServiceActor {
  readonly by: number
  readonly owner: Pick<User, 'id' | 'recoveries'> | null
}

/**
 * Whether a change comes with a recovery, so that the memberships of the account rest until they are confirmed. The
 * keeper's rule (`service-rules.ts`) has the last word: it seals none that lacks it.
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
