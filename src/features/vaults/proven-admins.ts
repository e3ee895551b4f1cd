import { mayLogIn } from '../../access/capabilities.ts'
import { permissionBits } from '../../access/permission.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { Fault } from '../../fault.ts'
import { type Generation, generationOf } from '../../hsm/record-generation.ts'
import { openRecord } from '../../hsm/record-layouts.ts'
import type { Tx } from '../../store/store.ts'
import { type User, usersById } from '../users/records.ts'
import { sealedUser } from '../users/user-seals.ts'
import { MembershipTable, type MembershipRow, RemovedMemberTable } from './membership-records.ts'
import type { Vault } from './records.ts'
import { sealedMembership } from './vault-seals.ts'

export interface ProvenAdmin extends Pick<MembershipRow, 'userId' | 'grantedBy' | 'grantedAt'> {
  readonly isOnHold: boolean
}

/**
 * The Admins of a vault who can log in, for a decision of the operator that assumes that there are none. The keeper knows
 * who is or was a member, and the vault's number: the database can neither hide nor change one of them.
 * @param accepted how many of them are missing, as the operator knows
 * @throws Fault `hsm.outdated` where other than that many are, `hsm.seal_broken`
 */
export async function provenAdmins(
  hsm: Pick<Hsm, 'raise' | 'knownSubjects' | 'checkVaultNumber'>,
  tx: Tx,
  vault: Pick<Vault, 'id' | 'identity'>,
  accepted: number,
): Promise<ProvenAdmin[]> {
  await hsm.checkVaultNumber(vault)
  const members = await tx.findBy(MembershipTable, { vaultId: vault.id })
  const removed = await tx.findBy(RemovedMemberTable, { vaultId: vault.id })
  const users = new Map((await usersOf(tx, [...members, ...removed])).map((user) => [user.id, user]))
  const sealed = (rows: readonly (MembershipRow | NoMember)[]) =>
    rows.flatMap((row) => {
      const user = users.get(row.userId)
      return user === undefined ? [] : [sealedMembership({ vault, user }, row)]
    })
  const shown = sealed([...members, ...removed.map((row) => ({ ...row, permission: 0, grants: null }))])
  let missing = await missingIn(hsm, shown, await hsm.knownSubjects('membership', Buffer.from(vault.identity, 'hex')))

  const admins: ProvenAdmin[] = []
  for (const { userId, permission, recoveries, grantedBy, grantedAt } of members) {
    const user = users.get(userId)
    if (user === undefined || permission !== permissionBits.Admin) continue
    missing += await missingIn(hsm, [sealedUser(user)], await hsm.knownSubjects('user', user.identity))
    if (mayLogIn(user.capabilities))
      admins.push({ userId, grantedBy, grantedAt, isOnHold: recoveries < user.recoveries })
  }
  checkMissing(missing, accepted)
  return admins
}

/** @throws Fault `hsm.outdated` where other than the accepted number of records are missing */
function checkMissing(missing: number, accepted: number): void {
  if (missing === accepted) return
  throw new Fault(
    'hsm.outdated',
    missing === 0
      ? 'No row is missing: leave --missing out.'
      : `This appliance has seen members of the vault, or newer states of them, that are in no row: ${missing}. The database may hide an Admin. If you know that none of them exists any more, add --missing ${missing}.`,
  )
}

type NoMember = Pick<MembershipRow, 'userId' | 'permission' | 'grants' | 'recoveries' | 'generation' | 'seal'>

const usersOf = (tx: Tx, rows: readonly Pick<MembershipRow, 'userId'>[]): Promise<User[]> =>
  usersById(
    tx,
    rows.map(({ userId }) => userId),
  )

/** The number of known subjects of which the newest record is not among these, which must have good seals. */
async function missingIn(
  hsm: Pick<Hsm, 'raise'>,
  shown: readonly SealedRecord[],
  known: readonly Generation[],
): Promise<number> {
  await hsm.raise(shown)
  const newest = new Map<string, number>()
  for (const { record } of shown) {
    const generation = generationOf(openRecord(record))
    if (generation !== undefined) newest.set(generation.subject.toString('hex'), generation.number)
  }
  return known.filter(({ subject, number }) => (newest.get(subject.toString('hex')) ?? 0) < number).length
}
