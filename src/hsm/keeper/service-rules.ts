import { capabilitiesOf, holds } from '../../access/capabilities.ts'
import type { FieldsOf } from '../record-layouts.ts'
import { readServiceAccount, serviceText, type ServiceAccount } from '../service-account.ts'
import { type Change, hasRecovered, isOfGrant, isSame, type Person, type Rule } from './record-change.ts'

type ServiceChange = Change<'service account'>

/**
 * Whether the record of a service account may be sealed. Its owner may change it. Credentials that an administrator or
 * the operator gives it, and limits that they loosen, come with a recovery, as for users whose pass phrase an
 * administrator set (decision 25): its memberships are on hold until an Admin of each vault confirms them. The same
 * holds for changes by an owner who was recovered after becoming the owner; the account stores how many recoveries the
 * owner had then.
 */
export const serviceRule: Rule<'service account'> = (change) => {
  const after = accountIn(change.next.fields)
  if (after === undefined || !isPossible(change.next.fields)) return false
  if (change.previous === undefined) return isNew(change, after)
  const before = accountIn(change.previous.fields)
  return before !== undefined && keepsIdentity(change) && mayChange(change, after, before)
}

/** Undefined for a text that `serviceText` would not make. */
function accountIn({ account }: Pick<FieldsOf<'service account'>, 'account'>): ServiceAccount | undefined {
  try {
    return readServiceAccount(account)
  } catch {
    return undefined
  }
}

/** Its only capability is to log in. */
const isPossible = ({ capabilities }: FieldsOf<'service account'>): boolean =>
  capabilities === 0 || capabilities === capabilitiesOf(['active'])

const isNew = (change: ServiceChange, account: ServiceAccount): boolean =>
  change.next.fields.recoveries === 0 && isAdministrator(change) && isOwner(change.person, account)

const isAdministrator = ({ origin, grant }: ServiceChange): boolean =>
  origin === 'operator' || (grant !== undefined && holds(grant.capabilities, 'admin'))

/** By the owner's newest record, so that a later recovery is not counted as an earlier one. */
const isOwner = (person: Person | undefined, { owner, ownerRecoveries }: ServiceAccount): person is Person =>
  // A service account cannot own another.
  person?.account === undefined && person?.identity.toString('hex') === owner && hasRecovered(person, ownerRecoveries)

const keepsIdentity = ({ next, previous }: ServiceChange): boolean =>
  isSame(next, previous, 'identity', 'id', 'username')

function mayChange(change: ServiceChange, after: ServiceAccount, before: ServiceAccount): boolean {
  const { next, previous, grant, person, recovery } = change
  const made = next.fields.recoveries - (previous?.fields.recoveries ?? 0)
  const isByOwner = grant?.user.toString('hex') === before.owner
  if (!isByOwner && !isAdministrator(change)) return false
  const isSameOwner = after.owner === before.owner && after.ownerRecoveries === before.ownerRecoveries
  if (!isSameOwner && !isOwner(person, after)) return false
  // An owner may not name another owner.
  if (after.owner !== before.owner && !isAdministrator(change)) return false
  // Whether the owner has had no recovery since becoming the owner.
  const isHimself =
    isSameOwner && isOwner(person, before) && isOfGrant(person, grant) && person.recoveries === before.ownerRecoveries
  if (isHimself || (isSameOwner && lessens(change, after, before))) return made === 0
  return made === 1 || (made === 0 && recovery === 'open')
}

/** Whether the account only loses credentials or its right to log in. */
function lessens({ next, previous }: ServiceChange, after: ServiceAccount, before: ServiceAccount): boolean {
  const had = new Set(before.credentials.map((credential) => JSON.stringify(credential)))
  const isWithinBefore =
    after.credentials.every((credential) => had.has(JSON.stringify(credential))) &&
    serviceText({ ...after, credentials: [] }) === serviceText({ ...before, credentials: [] })
  return isWithinBefore && (next.fields.capabilities === 0 || previous?.fields.capabilities !== 0)
}
