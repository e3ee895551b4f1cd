import { capabilitiesOf, holds, isPossible, raisesOwn } from '../../access/capabilities.ts'
import { operatorId } from '../../access/confirmation.ts'
import { permissionBits } from '../../access/permission.ts'
import { areGrants } from '../../access/scope.ts'
import { composeRecord, type FieldsOf, type OpenedRecord } from '../record-layouts.ts'
import { recordDigest } from '../sealed-record.ts'
import { areFactors, gainsFactor, isOneStep } from '../user-factors.ts'
import { type Change, hasRecovered, isOfGrant, isSame, refused, type Rule } from './record-change.ts'

type Grant = FieldsOf<'grant'>
type User = FieldsOf<'user'>

/** Whether the one who asks may: the operator, or a caller whose grant says so. */
export function isAllowed(
  { origin, grant }: Pick<Change, 'origin' | 'grant'>,
  right: (grant: Grant) => boolean,
): boolean {
  return origin === 'operator' || (grant !== undefined && right(grant))
}

/** Who asks, by the id of the row; undefined for a worker without a grant. */
const askerOf = ({ origin, grant }: Pick<Change, 'origin' | 'grant'>): number | undefined =>
  origin === 'operator' ? operatorId : grant?.userId

/** What is sealed of users, application keys, vaults and members. */
export const peopleRules: {
  readonly [T in 'user' | 'application key' | 'vault' | 'membership' | 'scoped membership']: Rule<T>
} = {
  user: (change) => keepsUser(change) && recovers(change) && isAllowed(change, (grant) => mayChangeUser(grant, change)),

  'application key': ({ next, previous, origin }) =>
    origin === 'operator' &&
    isSame(next, previous, 'identity', 'name', 'keyCheck') &&
    // What was revoked stays so.
    (previous === undefined ? next.fields.revokedAt === null : isRevokedStill(next.fields, previous.fields)),

  vault: ({ next, previous, ...change }) =>
    previous === undefined &&
    isAllowed(
      change,
      ({ capabilities, user }) => holds(capabilities, 'createVault') && user.equals(next.fields.creator),
    ),

  // Of a service account it is narrowed, or none.
  membership: (change) =>
    (change.next.fields.permission === 0 || change.member?.account === undefined) && isChangeOfMember(change),
  // What is narrower than Read is never more than Read; and hosts read what it is in one form alone.
  'scoped membership': (change) =>
    change.next.fields.permission === permissionBits.Read &&
    areGrants(change.next.fields.grants) &&
    isChangeOfMember(change),
}

function isRevokedStill(next: FieldsOf<'application key'>, previous: FieldsOf<'application key'>): boolean {
  return previous.revokedAt === null || next.revokedAt === previous.revokedAt
}

/** For every asker: a user stays the same one, recoveries are counted one by one, and no user becomes a new one again. */
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

/** What the user was given to log in with, and did not choose, comes with a recovery; but for a new user from the maker. */
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
 * Administrators change others, give themselves factors, and give up what they may; other users change their own pass
 * phrases, and their own factors when they have just shown one.
 */
function mayChangeUser(grant: Grant, { next, previous, fresh }: Change<'user'>): boolean {
  const isAdministrator = holds(grant.capabilities, 'admin')
  if (previous === undefined) return isAdministrator && next.fields.madeBy === grant.userId
  const [after, before] = [next.fields, previous.fields]
  if (!grant.user.equals(after.identity)) return isAdministrator
  // By it nothing but one of the factors changes, and once.
  if (fresh !== undefined)
    return (
      fresh.record.equals(recordDigest(composeRecord('user', before))) &&
      after.username === before.username &&
      after.capabilities === before.capabilities &&
      hasSamePassphrase(after, before) &&
      isOneStep(after.factors, before.factors)
    )
  // Who was asked to change it has done so.
  const isDone =
    !hasSamePassphrase(after, before) &&
    after.capabilities === (before.capabilities & ~capabilitiesOf(['changePassphrase']))
  if (isAdministrator) return isDone || !raisesOwn(before.capabilities, after.capabilities)
  if (after.username !== before.username || !after.factors.equals(before.factors)) return false
  return isDone || after.capabilities === before.capabilities
}

type MemberRecord = Extract<OpenedRecord, { type: 'membership' | 'scoped membership' }>

/** Of a membership, which grants make narrower or do not. */
interface MemberChange extends Omit<Change, 'next' | 'previous'> {
  readonly next: MemberRecord
  readonly previous: MemberRecord | undefined
}

function isChangeOfMember(change: MemberChange): boolean {
  return keepsMembership(change) && isAllowed(change, (grant) => mayChangeMember(grant, change))
}

/**
 * A membership is confirmed for recoveries that the newest record of its user counts, so that none of later ones is
 * confirmed with them.
 */
function isCounted({ next, previous, member }: MemberChange): boolean {
  const { user, recoveries } = next.fields
  if (recoveries <= (previous?.fields.recoveries ?? -1)) return true
  return member?.identity.equals(user) === true && hasRecovered(member, recoveries)
}

/** For every asker: a membership stays in its place, and an administrator does not confirm recoveries of his own. */
function keepsMembership(change: MemberChange): boolean {
  const { next, previous, madeRecovery, origin } = change
  const { permission, recoveries, user } = next.fields
  const isRemoval = permission === 0
  if (!isRemoval && !Object.values(permissionBits).some((bit) => bit === permission)) return false
  if (!isCounted(change)) return false
  if (previous === undefined) return !isRemoval
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

/** An Admin of the vault changes its members, and each member may leave. A member does not confirm himself. */
function mayChangeMember(grant: Grant, { next, previous }: MemberChange): boolean {
  const { vault, user, permission, recoveries } = next.fields
  if (grant.vault?.equals(vault) !== true) return false
  const isOwn = grant.user.equals(user)
  if (isOwn && recoveries !== previous?.fields.recoveries) return false
  return grant.permission === permissionBits.Admin || (isOwn && permission === 0)
}

/**
 * The key of a vault follows the record of the vault: who makes the vault makes its key, and later no other
 * (`checkProvenance`), by which what comes into it would be encrypted.
 * @throws Fault `hsm.rejected`
 */
export function checkVaultKey(
  { fields, key }: Change<'vault key 2'>['next'],
  { fields: vault }: Change<'vault'>['next'],
  change: Pick<Change, 'origin' | 'grant'>,
): void {
  const isOfVault =
    key?.kind === 'aes256-gcm' && /^(vault$|strict\.)/.test(key.kek) && fields.vault.equals(vault.identity)
  const isMaker = isAllowed(
    change,
    ({ capabilities, user }) => holds(capabilities, 'createVault') && user.equals(vault.creator),
  )
  if (!isOfVault || !isMaker) throw refused('vault key 2')
}

/**
 * The first member of a vault follows the record of the vault: its creator is an Admin of it, once.
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
    throw refused('membership')
}
