import { rmSync } from 'node:fs'
import { keeperOf } from '../../src/config/keeper-section.ts'
import { ApplicationKeyTable } from '../../src/features/auth/application-key-records.ts'
import { sealedApplicationKey } from '../../src/features/auth/application-key.ts'
import { UserTable } from '../../src/features/users/records.ts'
import { sealedUser } from '../../src/features/users/user-seals.ts'
import {
  MembershipTable,
  RemovedMemberTable,
  type MembershipRow,
} from '../../src/features/vaults/membership-records.ts'
import { VaultTable } from '../../src/features/vaults/records.ts'
import { sealedMembership, sealedVault } from '../../src/features/vaults/vault-seals.ts'
import type { Tx } from '../../src/store/store.ts'
import type { TestAppliance } from './appliance.ts'

/** Puts the rows of people in the state after the migration that added the columns: without identities and seals. */
export async function withoutSeals(tx: Tx): Promise<void> {
  for (const table of ['users', 'application_keys'])
    await tx.query(`UPDATE ${table} SET identity = '', generation = 1, seal = ''`)
  await tx.query(`UPDATE users SET factors = ''`)
  for (const table of ['vault_members', 'removed_members'])
    await tx.query(`UPDATE ${table} SET generation = 1, seal = ''`)
  await tx.query(`UPDATE vaults SET creator = '', seal = ''`)
}

/** Removes the files of the keeper of a stopped appliance. Earlier releases had none. */
export function withoutKeeper({ config }: Pick<TestAppliance, 'config'>): void {
  const { state, floors } = keeperOf(config)
  for (const file of [state, floors])
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}

/** The number of rows of people. Rejects unless all seals are valid. */
export async function sealedRowsOf({ store, hsm }: TestAppliance): Promise<number> {
  const sealed = [
    ...(await store.read.find(UserTable)).map(sealedUser),
    ...(await store.read.find(ApplicationKeyTable)).map(sealedApplicationKey),
    ...(await store.read.find(VaultTable)).map(sealedVault),
  ]
  const removed = (await store.read.find(RemovedMemberTable)).map((row) => ({ ...row, permission: 0, grants: null }))
  for (const row of [...(await store.read.find(MembershipTable)), ...removed]) {
    const vault = await store.read.findOneByOrFail(VaultTable, { id: row.vaultId })
    const user = await store.read.findOneByOrFail(UserTable, { id: row.userId })
    sealed.push(sealedMembership({ vault, user }, row))
  }
  for (const one of sealed) await hsm.verify(one)
  return sealed.length
}

export function membershipOf(
  { store }: TestAppliance,
  vaultId: string | number,
  userId: number,
): Promise<MembershipRow | null> {
  return store.read.findOneBy(MembershipTable, { vaultId: Number(vaultId), userId })
}
