import { describe, expect, it } from 'vitest'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { permissionBits } from '../../src/access/permission.ts'
import type { SealedGrant } from '../../src/access/transaction-grant.ts'
import type { User } from '../../src/features/users/records.ts'
import { sealedUser, userRecord } from '../../src/features/users/user-seals.ts'
import { recallRemoved } from '../../src/features/vaults/membership-records.ts'
import { findVault, type Vault } from '../../src/features/vaults/records.ts'
import { findSealedMembership, membershipRecord, sealedVault } from '../../src/features/vaults/vault-seals.ts'
import { nextGeneration } from '../../src/hsm/record-generation.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests, workerForTests } from '../support/for-tests.ts'
import type { TestClient } from '../support/client.ts'
import { makeVault } from '../support/vault.ts'
import { eventually, processesOf } from '../support/fault-kit.ts'
import { grantOfSession } from '../support/session-grant.ts'
import { outcomeOf } from '../support/step-outcome.ts'
import { startKeeperAt } from '../support/turned-keeper.ts'
import { accountRow } from '../support/user-row.ts'

/**
 * The attacker runs code in a worker and keeps the grants of sessions that passed through it. Within their minute he
 * asks for seals of lasting changes, after the rights behind the grants were revoked.
 */
const appliance = applianceForTests(() => TestAppliance.own())
const worker = workerForTests(appliance)

const userOf = (id: number) => accountRow(appliance, { id })

async function vaultOf(id: string): Promise<Vault> {
  const vault = await findVault(appliance.store.read, Number(id))
  if (vault === null) throw new Error('no vault')
  return vault
}

const grantOf = (client: TestClient, vaultId?: string) =>
  grantOfSession(appliance, worker, client, async (user) =>
    vaultId === undefined ? undefined : findSealedMembership(appliance.store.read, user, Number(vaultId)),
  )

/** Asks for another seal of the unchanged user. */
const sealedAgain = (user: User, grant: SealedGrant) =>
  worker.seal(userRecord({ ...user, generation: nextGeneration(user.generation) }), {
    previous: sealedUser(user),
    grant,
  })

it('seals nothing for a session that was ended', async () => {
  const { id, ...login } = await appliance.addUser()
  const client = await appliance.login({ id, ...login })
  const grant = await grantOf(client)
  await expect(sealedAgain(await userOf(id), grant)).resolves.toHaveLength(32)
  await client.must('GET', '/auth/logout')
  await expect(sealedAgain(await userOf(id), grant)).rejects.toMatchObject({ code: 'session.invalid' })
})

it('brings no Admin back who was removed, nor others for him', async () => {
  const vault = await makeVault(appliance)
  const { id, ...login } = await appliance.addUser()
  const client = await appliance.login({ id, ...login })
  await vault.share(String(id), 'Admin')
  const grant = await grantOf(client, vault.id)
  const early = await findSealedMembership(appliance.store.read, await userOf(id), Number(vault.id))
  await vault.share(String(id), undefined)
  const [place, key] = [
    { vault: await vaultOf(vault.id), user: await userOf(id) },
    { vaultId: Number(vault.id), userId: id },
  ]
  const removed = await appliance.store.transaction((tx) => recallRemoved(tx, key))
  if (removed === null) throw new Error('nothing is left of the member')
  const none = { permission: 0, grants: null, recoveries: removed.recoveries }
  const last = { record: membershipRecord(place, { ...none, generation: removed.generation }), seal: removed.seal }
  const back = membershipRecord(place, {
    ...none,
    permission: permissionBits.Admin,
    generation: nextGeneration(removed.generation),
  })
  const taken = { code: 'access.permission' }
  await expect(worker.seal(back, { previous: last, grant, person: sealedUser(place.user) })).rejects.toMatchObject(
    taken,
  )
  // Showing the keeper the earlier record does not make it forget the newer one.
  if (early !== undefined) await worker.raise([early])
  await expect(worker.seal(back, { previous: last, grant, person: sealedUser(place.user) })).rejects.toMatchObject(
    taken,
  )
  const accomplice = await userOf((await appliance.addUser()).id)
  const state = { permission: permissionBits.Admin, grants: null, recoveries: 0, generation: nextGeneration(0) }
  const other = membershipRecord({ ...place, user: accomplice }, state)
  await expect(worker.seal(other, { grant, person: sealedUser(accomplice) })).rejects.toMatchObject(taken)
})

describe('on another machine, whose keeper has heard of the removal alone', () => {
  it('brings in nobody for an Admin who was removed', async () => {
    const vault = await makeVault(appliance)
    const { id, ...login } = await appliance.addUser()
    const client = await appliance.login({ id, ...login })
    await vault.share(String(id), 'Admin')
    const there = await startKeeperAt(appliance, Date.now, 'worker')
    try {
      const grant = await grantOfSession(appliance, there.hsm, client, (user) =>
        findSealedMembership(appliance.store.read, user, Number(vault.id)),
      )
      const row = await findVault(appliance.store.read, Number(vault.id))
      if (row === null) throw new Error('no vault')
      const made = async () => {
        const user = await userOf((await appliance.addUser()).id)
        const state = { permission: permissionBits.Admin, grants: null, recoveries: 0, generation: nextGeneration(0) }
        const record = membershipRecord({ vault: row, user }, state)
        return there.hsm.seal(record, { grant, person: sealedUser(user) })
      }
      await expect(made()).resolves.toHaveLength(32)
      await vault.share(String(id), undefined)
      const { batch } = await appliance.hsm.floorNews({})
      if (batch === undefined) throw new Error('nothing was told')
      await there.hsm.takeFloors([batch.sealed])
      await expect(made()).rejects.toMatchObject({ code: 'hsm.outdated' })
      const ending = there.hsm.sealTombstone(sealedVault(row), grant)
      await expect(ending).rejects.toMatchObject({ code: 'hsm.outdated' })
    } finally {
      await there.close()
    }
  })
})

it('makes no administrator for one who is none any more', async () => {
  const { id, ...login } = await appliance.addUser(['read', 'active', 'admin'])
  const grant = await grantOf(await appliance.login({ id, ...login }))
  const chief = await appliance.login(await appliance.addUser(['read', 'active', 'admin']))
  const made = () => {
    const capabilities = capabilitiesOf(['read', 'active', 'admin'])
    const own = { identity: Buffer.alloc(0), factors: Buffer.alloc(0), recoveries: 0, madeBy: id, generation: 1 }
    return worker.sealNew(userRecord({ ...like, ...own, capabilities, id: 1e6, username: 'accomplice' }), { grant })
  }
  const like = await userOf(id)
  await expect(made()).resolves.toHaveProperty('seal')
  await chief.must('PUT', `/user/${id}`, { status: [0, 7] })
  await expect(made()).rejects.toMatchObject({ code: 'access.permission' })
})

/** Ends the keeper. Resolves when the next one answers. */
async function restartKeeper(): Promise<void> {
  const { keeper } = processesOf(appliance)
  for (const pid of keeper) process.kill(pid, 'SIGKILL')
  await eventually(() => !processesOf(appliance).keeper.some((pid) => keeper.includes(pid)))
  await eventually(async () => (await outcomeOf(worker.floorNews())) === 'done')
}

it('brings in nobody for an Admin who was removed just before a start of the keeper, which others do not notice', async () => {
  const vault = await makeVault(appliance)
  const user = await appliance.addUser()
  await vault.share(String(user.id), 'Admin')
  const [removed, staying] = [
    await grantOf(await appliance.login(user), vault.id),
    await grantOf(vault.admin, vault.id),
  ]
  const [row, person] = [await vaultOf(vault.id), await userOf((await appliance.addUser()).id)]
  const state = { permission: permissionBits.Admin, grants: null, recoveries: 0, generation: nextGeneration(0) }
  const admitted = (grant: SealedGrant) =>
    outcomeOf(worker.seal(membershipRecord({ vault: row, user: person }, state), { grant, person: sealedUser(person) }))
  await vault.share(String(user.id), undefined)
  await restartKeeper()
  expect([await admitted(removed), await admitted(staying)]).toEqual(['access.permission', 'done'])
})
