import { capabilitiesOf, holds, isPossible, raisesOwn } from '../../access/capabilities.ts'
import { operatorId } from '../../access/confirmation.ts'
import { permissionBits } from '../../access/permission.ts'
import { areGrants } from '../../access/scope.ts'
import { composeRecord, type FieldsOf, identityBytes, type OpenedRecord } from '../record-layouts.ts'
import { recordDigest } from '../sealed-record.ts'
import { areFactors, gainsFactor, isOneStep } from '../user-factors.ts'
import { type Change, hasRecovered, isOfGrant, isSame, refused, type Rule } from './record-change.ts'

type Grant = FieldsOf<'grant'>
type User = FieldsOf<'user'>

/** Whether the change may be made: by the operator, or by a caller whose grant allows it. */
export function isAllowed(
  { origin, grant }: Pick<Change, 'origin' | 'grant'>,
  right: (grant: Grant) => boolean,
): boolean {
  return origin === 'operator' || (grant !== undefined && right(grant))
}

/** The row id of the caller, `operatorId` for the operator; undefined for a worker without a grant. */
const askerOf = ({ origin, grant }: Pick<Change, 'origin' | 'grant'>): number | undefined =>
  origin === 'operator' ? operatorId : grant?.userId

/** Which records of users, application keys, vaults and members may be sealed. */
export const peopleRules: {
  readonly [T in 'user' | 'application key' | 'vault' | 'membership' | 'scoped membership']: Rule<T>
} = {
  user: (change) => keepsUser(change) && recovers(change) && isAllowed(change, (grant) => mayChangeUser(grant, change)),

  'application key': ({ next, previous, origin }) =>
    origin === 'operator' &&
    isSame(next, previous, 'identity', 'name', 'keyCheck') &&
    // A revocation is final.
    (previous === undefined ? next.fields.revokedAt === null : isRevokedStill(next.fields, previous.fields)),

  vault: ({ next, previous, ...change }) => previous === undefined && mayMakeVault(change, next.fields),

  // A service account's membership is always narrowed (`scoped membership`), or without permission.
  membership: (change) =>
    (change.next.fields.permission === 0 || change.person?.account === undefined) && isChangeOfMember(change),
  // A narrowed membership never has more than Read, and its grants have the one form that token hosts read.
  'scoped membership': (change) =>
    change.next.fields.permission === permissionBits.Read &&
    areGrants(change.next.fields.grants) &&
    isChangeOfMember(change),
}

function isRevokedStill(next: FieldsOf<'application key'>, previous: FieldsOf<'application key'>): boolean {
  return previous.revokedAt === null || next.revokedAt === previous.revokedAt
}

/**
 * For all callers: the identity of a user stays, recoveries are counted one by one, and `madeBy` is never set again.
 */
function keepsUser({ next, previous }: Change<'user'>): boolean {
  const { fields } = next
  if (!areFactors(fields.factors)) return false
  if (previous === undefined)
    return fields.recoveries === 0 && fields.factors.length === 0 && isPossible(fields.capabilities)
  const before = previous.fields
  return (
    isSame(next, previous, 'identity', 'id') &&
    [0, 1].includes(fields.recoveries - before.recoveries) &&
    (fields.madeBy === null || fields.madeBy === before.madeBy) &&
    (fields.capabilities === before.capabilities || isPossible(fields.capabilities))
  )
}

/** Credentials that a user did not choose come with a recovery, except those that a new user gets from its creator. */
function recovers(change: Change<'user'>): boolean {
  const { next, previous, grant, recovery } = change
  const asker = askerOf(change)
  if (previous === undefined || asker === undefined) return true
  const [after, before] = [next.fields, previous.fields]
  // A session of the user means that the user has logged in.
  if (grant?.user.equals(after.identity))
    return isOfGrant(before, grant) && after.madeBy === null && after.recoveries === before.recoveries
  const isGiven = !hasSamePassphrase(after, before) || gainsFactor(after.factors, before.factors)
  if (asker === before.madeBy || !isGiven) return true
  return after.madeBy === null && (recovery === 'open' || after.recoveries === before.recoveries + 1)
}

const hasSamePassphrase = (one: User, other: User): boolean =>
  one.passphraseSalt.equals(other.passphraseSalt) &&
  one.passphraseCheck.equals(other.passphraseCheck) &&
  one.passphraseCost === other.passphraseCost

/**
 * Administrators change others, give themselves factors, and give up capabilities. Other users change their own pass
 * phrases and, having just shown one, their own factors.
 */
function mayChangeUser(grant: Grant, { next, previous, fresh }: Change<'user'>): boolean {
  const isAdministrator = holds(grant.capabilities, 'admin')
  if (previous === undefined) return isAdministrator && next.fields.madeBy === grant.userId
  const [after, before] = [next.fields, previous.fields]
  if (!grant.user.equals(after.identity)) return isAdministrator
  // A fresh grant allows one change of one factor, and nothing else.
  if (fresh !== undefined)
    return (
      fresh.record.equals(recordDigest(composeRecord('user', before))) &&
      after.username === before.username &&
      after.capabilities === before.capabilities &&
      hasSamePassphrase(after, before) &&
      isOneStep(after.factors, before.factors)
    )
  // The user has changed the pass phrase as requested, which removes the request.
  const isDone =
    !hasSamePassphrase(after, before) &&
    after.capabilities === (before.capabilities & ~capabilitiesOf(['changePassphrase']))
  if (isAdministrator) return isDone || !raisesOwn(before.capabilities, after.capabilities)
  if (after.username !== before.username || !after.factors.equals(before.factors)) return false
  return isDone || after.capabilities === before.capabilities
}

type MemberRecord = Extract<OpenedRecord, { type: 'membership' | 'scoped membership' }>

/** A change of a membership, narrowed or not. */
interface MemberChange extends Omit<Change, 'next' | 'previous'> {
  readonly next: MemberRecord
  readonly previous: MemberRecord | undefined
}

function isChangeOfMember(change: MemberChange): boolean {
  return keepsMembership(change) && isAllowed(change, (grant) => mayChangeMember(grant, change))
}

/**
 * A membership can be confirmed only up to the recoveries that the user's newest record counts, so that later ones are
 * not confirmed with them.
 */
function isCounted({ next, previous, person }: MemberChange): boolean {
  const { user, recoveries } = next.fields
  if (recoveries <= (previous?.fields.recoveries ?? -1)) return true
  return person?.identity.equals(user) === true && hasRecovered(person, recoveries)
}

/**
 * For all callers: vault and user of a membership never change, and no user confirms recoveries that they made
 * themselves.
 */
function keepsMembership(change: MemberChange): boolean {
  const { next, previous, madeRecovery, origin } = change
  const { permission, recoveries, user } = next.fields
  const isRemoval = permission === 0
  if (!isRemoval && !Object.values(permissionBits).some((bit) => bit === permission)) return false
  if (!isCounted(change)) return false
  // Of an identity of any length the keeper's file would keep all.
  if (previous === undefined) return !isRemoval && user.length === identityBytes
  const before = previous.fields
  const asker = askerOf(change)
  return (
    isSame(next, previous, 'vault', 'user') &&
    (isRemoval
      ? before.permission !== 0 && recoveries === before.recoveries
      : recoveries === before.recoveries ||
        (recoveries > before.recoveries &&
          (origin === 'operator' ||
            (asker !== undefined && !madeRecovery(asker, user, before.recoveries, recoveries)))))
  )
}

/** An Admin of the vault changes its members, and every member may leave. Members do not confirm themselves. */
function mayChangeMember(grant: Grant, { next, previous }: MemberChange): boolean {
  const { vault, user, permission, recoveries } = next.fields
  if (grant.vault?.equals(vault) !== true) return false
  const isOwn = grant.user.equals(user)
  if (isOwn && recoveries !== previous?.fields.recoveries) return false
  return grant.permission === permissionBits.Admin || (isOwn && permission === 0)
}

/** Whether a vault with this creator, and its key, may be made: by the creator, who has the capability to. */
export function mayMakeVault(
  change: Pick<Change, 'origin' | 'grant'>,
  { creator }: Pick<FieldsOf<'vault'>, 'creator'>,
): boolean {
  return isAllowed(change, ({ capabilities, user }) => holds(capabilities, 'createVault') && user.equals(creator))
}

/**
 * The record of a vault's key follows the record of the vault: the vault's creator makes the key, and never a second
 * one (`checkProvenance`), with which new contents would be encrypted.
 * @throws Fault `hsm.rejected`
 */
export function checkVaultKey(
  { fields, key }: Change<'vault key 2'>['next'],
  { fields: vault }: Change<'vault'>['next'],
  change: Pick<Change, 'origin' | 'grant' | 'isLowered'>,
): void {
  const isOfVault =
    key?.kind === 'aes256-gcm' && /^(vault$|strict\.)/.test(key.kek) && fields.vault.equals(vault.identity)
  if (!isOfVault || !mayMakeVault(change, vault)) throw refused('vault key 2', change)
}

/**
 * The first membership follows the record of the vault: its creator becomes Admin, once.
 * @throws Fault `hsm.rejected`
 */
export function checkFirstMember(
  next: Change<'membership'>['next'],
  { fields: vault }: Change<'vault'>['next'],
  change: Omit<Change, 'next' | 'previous'>,
): void {
  const { fields } = next
  const isCreator = fields.user.equals(vault.creator) && fields.vault.equals(vault.identity)
  const isFirst = fields.permission === permissionBits.Admin && fields.generation === 1
  const isTheirs = isCounted({ ...change, next, previous: undefined })
  if (!isCreator || !isFirst || !isTheirs || !isAllowed(change, ({ user }) => user.equals(vault.creator)))
    throw refused('membership', change)
}
