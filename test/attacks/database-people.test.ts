import { beforeAll, describe, expect, it } from 'vitest'
import { sealedApplicationKey } from '../../src/features/auth/application-key.ts'
import { ApplicationKeyTable } from '../../src/features/auth/application-key-records.ts'
import { UserTable } from '../../src/features/users/records.ts'
import { sealedUser } from '../../src/features/users/user-seals.ts'
import { MembershipTable, RemovedMemberTable } from '../../src/features/vaults/membership-records.ts'
import { VaultTable } from '../../src/features/vaults/records.ts'
import { sealedMembership } from '../../src/features/vaults/vault-seals.ts'
import type { SealedRecord } from '../../src/hsm/hsm.ts'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import type { TestClient } from '../support/client.ts'
import { verdict } from '../support/fault-kit.ts'
import { sealedRowsOf } from '../support/earlier-people.ts'
import { makeVault, type TestVault } from '../support/vault.ts'

/** The attacker writes to the database: he alters, forges and puts back rows of people. */
const appliance = applianceForTests(() => TestAppliance.own())
let administrator: TestClient
let vault: TestVault
let user: TestUser

beforeAll(async () => {
  administrator = await appliance.login(await appliance.addUser(['read', 'createVault', 'admin', 'active']))
  vault = await makeVault(appliance)
})

const userRow = () => appliance.store.read.findOneByOrFail(UserTable, { id: user.id })
const shownUser = async () => sealedUser(await userRow())

async function shownMember(userId = user.id): Promise<SealedRecord> {
  const { read } = appliance.store
  const place = {
    vault: await read.findOneByOrFail(VaultTable, { id: Number(vault.id) }),
    user: await read.findOneByOrFail(UserTable, { id: userId }),
  }
  return sealedMembership(place, await read.findOneByOrFail(MembershipTable, { vaultId: Number(vault.id), userId }))
}

const broken = { code: 'hsm.seal_broken' }
const reset = () =>
  administrator.call('PUT', `/user/${user.id}/passphrase`, {
    body: { newpassphrase: 'eleven grey lanterns over snow' },
  })

async function givenMember(): Promise<void> {
  user = await appliance.addUser()
  await vault.share(String(user.id), 'Read')
}

describe('a user who was edited', () => {
  it.each([
    ['the capabilities', 'capabilities = capabilities + 4'],
    ['the check of the pass phrase', `passphrase_check = (SELECT passphrase_check FROM users ORDER BY id LIMIT 1)`],
    ['the salt', `passphrase_salt = 'AAAAAAAAAAAAAAAAAAAAAA=='`],
    ['the name', `username = username || 'x'`],
    ['the recoveries', 'recoveries = recoveries + 1'],
    ['the maker', 'made_by = 4711'],
    ['the generation', 'generation = generation + 1'],
    ['the seal', `seal = ''`],
    ['the identity', `identity = (SELECT identity FROM users ORDER BY id LIMIT 1)`],
  ])('bears no seal any more, and is never sealed anew: %s', async (_what, edit) => {
    await givenMember()
    await appliance.sql(`UPDATE users SET ${edit} WHERE id = ${user.id}`)
    await expect(appliance.hsm.verify(await shownUser())).rejects.toMatchObject(broken)
    expect(verdict(await reset())).not.toBe('done')
    await expect(appliance.hsm.verify(await shownUser())).rejects.toMatchObject(broken)
  })

  it('may get another full name, which the seal does not cover', async () => {
    await givenMember()
    await appliance.sql(`UPDATE users SET fullname = 'Somebody Else' WHERE id = ${user.id}`)
    await appliance.hsm.verify(await shownUser())
  })
})

describe('a member', () => {
  it('whose permission was raised has no valid seal any more, and is never sealed again', async () => {
    await givenMember()
    await appliance.sql(`UPDATE vault_members SET permission = 4 WHERE user_id = ${user.id}`)
    await expect(appliance.hsm.verify(await shownMember())).rejects.toMatchObject(broken)
    const member = `/vault/${vault.id}/member/${user.id}`
    expect(verdict(await vault.admin.call('PUT', member, { body: { status: 2 } }))).not.toBe('done')
    expect(verdict(await vault.admin.call('DELETE', member))).not.toBe('done')
  })

  it('who was taken off hold has no valid seal any more', async () => {
    await givenMember()
    await appliance.login(user)
    expect(verdict(await reset())).toBe('done')
    await appliance.sql(`UPDATE vault_members SET recoveries = 1 WHERE user_id = ${user.id}`)
    await expect(appliance.hsm.verify(await shownMember())).rejects.toMatchObject(broken)
  })

  it('who was copied from another one has no valid seal', async () => {
    await givenMember()
    const stranger = await appliance.addUser()
    await appliance.sql(
      `INSERT INTO vault_members (vault_id, user_id, permission, added_at, recoveries, generation, seal)
       SELECT vault_id, ${stranger.id}, 4, added_at, recoveries, generation, seal FROM vault_members WHERE user_id = ${user.id}`,
    )
    await expect(appliance.hsm.verify(await shownMember(stranger.id))).rejects.toMatchObject(broken)
  })

  it('who was removed and put back is refused as outdated, also when the removal record was deleted', async () => {
    await givenMember()
    const row = await appliance.store.read.findOneByOrFail(MembershipTable, { userId: user.id })
    await vault.share(String(user.id), undefined)
    await appliance.store.transaction(async (tx) => {
      await tx.delete(RemovedMemberTable, { userId: user.id })
      await tx.insert(MembershipTable, row)
    })
    const member = `/vault/${vault.id}/member/${user.id}`
    expect(verdict(await vault.admin.call('PUT', member, { body: { status: 2 } }))).toBe('503 1911')
    await appliance.store.transaction((tx) => tx.delete(MembershipTable, { userId: user.id }))
    expect(verdict(await vault.admin.call('POST', member, { body: { status: 2 } }))).not.toBe('done')
  })
})

it('a user row from before a reset is refused as outdated, also after a restart', async () => {
  await givenMember()
  await appliance.login(user)
  const before = await userRow()
  expect(verdict(await reset())).toBe('done')
  await appliance.restart()
  await appliance.store.transaction((tx) => tx.update(UserTable, { id: user.id }, { ...before }))
  expect(verdict(await reset())).toBe('503 1911')
})

it('an application key that was made up bears no seal, and one that was revoked does not come back', async () => {
  const { applicationKeys } = appliance.services
  await applicationKeys.create('lost', appliance.commit)
  const rowOf = (name: string) => appliance.store.read.findOneByOrFail(ApplicationKeyTable, { name })
  const before = await rowOf('lost')
  await applicationKeys.revoke('lost', appliance.commit)
  await appliance.sql(`UPDATE application_keys SET revoked_at = NULL WHERE name = 'lost'`)
  await expect(appliance.hsm.verify(sealedApplicationKey(await rowOf('lost')))).rejects.toMatchObject(broken)
  await appliance.store.transaction((tx) => tx.update(ApplicationKeyTable, { name: 'lost' }, { ...before }))
  await expect(applicationKeys.revoke('lost', appliance.commit)).rejects.toMatchObject({ code: 'hsm.outdated' })
  const { id: _, ...copied } = before
  await appliance.store.transaction((tx) =>
    tx.insert(ApplicationKeyTable, { ...copied, name: 'mine', keyCheck: Buffer.alloc(32, 7) }),
  )
  await expect(appliance.hsm.verify(sealedApplicationKey(await rowOf('mine')))).rejects.toMatchObject(broken)
})

it('unaltered rows have valid seals', async () => {
  const fresh = await TestAppliance.own()
  try {
    const shared = await makeVault(fresh)
    await shared.member('Write')
    await sealedRowsOf(fresh)
  } finally {
    await fresh.close()
  }
})
