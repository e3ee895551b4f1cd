import { groupsOf } from '../../groups.ts'
import { mayLogIn } from '../../access/capabilities.ts'
import { permissionBits } from '../../access/permission.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { type Generation, generationOf, outdated } from '../../hsm/record-generation.ts'
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
 * @throws Fault `hsm.outdated` where it does, `hsm.seal_broken`
 */
export async function provenAdmins(
  hsm: Pick<Hsm, 'raise' | 'knownSubjects' | 'checkVaultNumber'>,
  tx: Tx,
  vault: Pick<Vault, 'id' | 'identity'>,
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
  await checkNewest(hsm, shown, await hsm.knownSubjects('membership', Buffer.from(vault.identity, 'hex')))

  const admins: ProvenAdmin[] = []
  for (const { userId, permission, recoveries, grantedBy, grantedAt } of members) {
    const user = users.get(userId)
    if (user === undefined || permission !== permissionBits.Admin) continue
    await checkNewest(hsm, [sealedUser(user)], await hsm.knownSubjects('user', user.identity))
    if (mayLogIn(user.capabilities))
      admins.push({ userId, grantedBy, grantedAt, isOnHold: recoveries < user.recoveries })
  }
  return admins
}

type NoMember = Pick<MembershipRow, 'userId' | 'permission' | 'grants' | 'recoveries' | 'generation' | 'seal'>

const usersOf = (tx: Tx, rows: readonly Pick<MembershipRow, 'userId'>[]): Promise<User[]> =>
  usersById(
    tx,
    rows.map(({ userId }) => userId),
  )

const shownAtOnce = 500

/** Whether these records have good seals, and are the newest of all known subjects. */
async function checkNewest(
  hsm: Pick<Hsm, 'raise'>,
  shown: readonly SealedRecord[],
  known: readonly Generation[],
): Promise<void> {
  // In parts, so that the keeper answers others in between.
  for (const some of groupsOf(shown, shownAtOnce)) await hsm.raise(some)
  const newest = new Map<string, number>()
  for (const { record } of shown) {
    const generation = generationOf(openRecord(record))
    if (generation !== undefined) newest.set(generation.subject.toString('hex'), generation.number)
  }
  if (known.some(({ subject, number }) => (newest.get(subject.toString('hex')) ?? 0) < number))
    throw outdated('The database hides a member of this vault, or a newer state of one')
}
