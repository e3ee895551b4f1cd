import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { composeRecord, openRecord } from '../../src/hsm/record-layouts.ts'
import type { SealedRecord } from '../../src/hsm/hsm.ts'
import { nextGeneration } from '../../src/hsm/record-generation.ts'
import { serviceText, type ServiceAccount } from '../../src/hsm/service-account.ts'
import { withFactor } from '../../src/hsm/user-factors.ts'
import type { User } from '../../src/features/users/records.ts'
import { sealedUser, userRecord } from '../../src/features/users/user-seals.ts'
import { findSealedMembership } from '../../src/features/vaults/vault-seals.ts'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests, workerForTests } from '../support/for-tests.ts'
import { attackerDevice, begunSession } from '../support/attacker-kit.ts'
import type { TestClient } from '../support/client.ts'
import { newIdentity, sealedRecord } from '../support/grant-kit.ts'
import { loginRequest } from '../support/login-request.ts'
import { rawSeal } from '../support/raw-seal.ts'
import { grantOfSession } from '../support/session-grant.ts'
import { outcomeOf } from '../support/step-outcome.ts'
import { accountRow } from '../support/user-row.ts'
import { makeVault } from '../support/vault.ts'

/**
 * The attacker runs code in a worker through which the session of an administrator passes. He gets several records
 * sealed for one row, commits none of them, and shows sometimes one and sometimes another.
 */
const appliance = applianceForTests(() => TestAppliance.own())
const worker = workerForTests(appliance)
let admin: TestClient
beforeAll(async () => {
  admin = await appliance.login(await appliance.addUser(['read', 'active', 'admin']))
})

const rowOf = (user: Pick<TestUser, 'id'>) => accountRow(appliance, user)
const newCheck = () => worker.newPassphraseCheck(randomBytes(32))

async function sealedBy(grant: SealedRecord, next: User, before: SealedRecord): Promise<SealedRecord> {
  const record = userRecord(next)
  return { record, seal: await worker.seal(record, { previous: before, grant }) }
}

/** A user who has logged in, and the means of an administrator to change the account. */
async function givenVictim() {
  const victim = await appliance.addUser()
  await appliance.login(victim)
  return { victim, before: await rowOf(victim), byAdmin: await grantOfSession(appliance, worker, admin) }
}

/** The victim's account with a recovery, as an administrator may have it sealed, and a session by it. */
async function takenOver() {
  const { victim, before, byAdmin } = await givenVictim()
  const device = await attackerDevice(worker, victim.id, byAdmin)
  const hash = randomBytes(32)
  const generation = before.generation + 1
  const recovered: User = {
    ...before,
    passphraseCheck: await worker.newPassphraseCheck(hash),
    factors: withFactor(before.factors, device.sealed.record),
    recoveries: before.recoveries + 1,
    generation,
  }
  const shown = await sealedBy(byAdmin, recovered, sealedUser(before))
  // A change that an administrator may make without a recovery: another name.
  const fork = await sealedBy(byAdmin, { ...before, username: 'fork', generation: generation + 1 }, sealedUser(before))
  // Sealed by the keeper of another machine, which this one does not know yet.
  const elsewhere = (user: User): SealedRecord => {
    const record = userRecord(user)
    return { record, seal: rawSeal(appliance.token, record) }
  }
  const beside = { ...before, username: 'beside', generation: generation + 2 }
  const besideShown = elsewhere(beside)
  const twin = { ...recovered, username: 'twin', generation: generation + 2 }
  const twinShown = elsewhere(twin)
  const request = await loginRequest(appliance, victim, device.factor())
  const begun = await begunSession(appliance, recovered, await worker.login({ ...request, user: shown, hash }))
  const { applicationKey } = request
  if (applicationKey === undefined) throw new Error('no application key')
  const asked = { ...begun, applicationKey }
  return { before, recovered, shown, fork, beside, besideShown, twin, twinShown, asked, device }
}

describe('a session that began by a recovery', () => {
  it('is given no grant by a record that counts no recovery', async () => {
    const { before, shown, fork, besideShown, asked } = await takenOver()
    for (const user of [sealedUser(before), fork])
      expect(await outcomeOf(worker.grant({ ...asked, user }))).toBe('hsm.outdated')
    expect(await outcomeOf(worker.grant({ ...asked, user: shown }))).toBe('done')
    expect(await outcomeOf(worker.grant({ ...asked, user: besideShown }))).toBe('session.invalid')
  })

  it('changes no record but that of the recovery: neither the pass phrase, nor by a fresh factor', async () => {
    const { recovered, shown, beside, besideShown, twin, twinShown, asked, device } = await takenOver()
    const grant = await worker.grant({ ...asked, user: shown })
    const passphraseCheck = await newCheck()
    const changed = (user: User): User => ({ ...user, passphraseCheck, generation: nextGeneration(user.generation) })
    expect(await outcomeOf(sealedBy(grant, changed(beside), besideShown))).toBe('hsm.rejected')
    expect(await outcomeOf(sealedBy(grant, changed(recovered), shown))).toBe('done')
    const fresh = await worker.freshGrant(grant, shown, device.factor())
    const added = await attackerDevice(worker, beside.id, grant)
    const gained = (user: User): User => ({
      ...user,
      factors: withFactor(user.factors, added.sealed.record),
      generation: nextGeneration(user.generation),
    })
    expect(await outcomeOf(sealedBy(fresh, gained(beside), besideShown))).toBe('hsm.rejected')
    expect(await outcomeOf(sealedBy(fresh, gained(twin), twinShown))).toBe('hsm.rejected')
    expect(await outcomeOf(sealedBy(fresh, gained(recovered), shown))).toBe('done')
  })

  it('gives no service account of the user a credential without a recovery', async () => {
    const { before, shown, besideShown, asked } = await takenOver()
    const grant = await worker.grant({ ...asked, user: shown })
    const credential = { id: 'ab'.repeat(8), kind: 'certificate', name: 'mine', addedAt: 1, expiresAt: null } as const
    const settings: ServiceAccount = {
      owner: before.identity.toString('hex'),
      ownerRecoveries: before.recoveries,
      addresses: [],
      expiresAt: null,
      credentials: [],
    }
    const account = {
      identity: newIdentity(),
      id: 4711,
      username: 'mail-form',
      capabilities: capabilitiesOf(['active']),
      recoveries: 0,
      account: serviceText(settings),
      generation: 1,
    }
    const gained = serviceText({ ...settings, credentials: [{ ...credential, sha256: 'ee'.repeat(32) }] })
    const record = composeRecord('service account', { ...account, account: gained, generation: 2 })
    const previous = sealedRecord(appliance.token, 'service account', account)
    const sealed = (owner: SealedRecord) => outcomeOf(worker.seal(record, { previous, grant, person: owner }))
    expect(await sealed(sealedUser(before))).toBe('hsm.outdated')
    expect(await sealed(besideShown)).toBe('hsm.rejected')
  })
})

describe('several records for one row', () => {
  it('are refused, with their successors, unless they were committed', async () => {
    const { before, byAdmin } = await givenVictim()
    const hash = randomBytes(32)
    const changed = async (user: User, after: number): Promise<User> => ({
      ...user,
      passphraseCheck: await worker.newPassphraseCheck(hash),
      recoveries: before.recoveries + 1,
      generation: user.generation + after,
    })
    const honest = await changed(before, 1)
    const forked = await changed(before, 2)
    const committed = await sealedBy(byAdmin, honest, sealedUser(before))
    const fork = await sealedBy(byAdmin, forked, sealedUser(before))
    const sealedInPlace = { ...forked, username: 'of the fork', generation: forked.generation + 1 }
    const ofFork = await sealedBy(byAdmin, sealedInPlace, fork)
    // A second record of a generation that was sealed already.
    expect(await outcomeOf(sealedBy(byAdmin, { ...forked, username: 'twin' }, sealedUser(before)))).toBe(
      'store.conflict',
    )
    await worker.raise([committed])
    const device = await attackerDevice(worker, before.id, byAdmin)
    const request = await loginRequest(appliance, { id: before.id, passphrase: '' }, device.factor())
    for (const user of [fork, ofFork]) {
      expect(await outcomeOf(worker.login({ ...request, user, hash }))).toBe('hsm.outdated')
      expect(await outcomeOf(worker.raise([user]))).toBe('hsm.outdated')
    }
    // The record is accepted. The login is refused for the factor.
    expect(await outcomeOf(worker.login({ ...request, user: committed, hash }))).toBe('login.refused')
  })

  it('may include one of another machine whose generation was used here for a change that was not committed', async () => {
    const { before, byAdmin } = await givenVictim()
    const generation = before.generation + 3
    await sealedBy(byAdmin, { ...before, username: 'came to nothing', generation }, sealedUser(before))
    const record = userRecord({ ...before, username: 'of the other machine', generation })
    const committed = { record, seal: rawSeal(appliance.token, record) }
    expect(await outcomeOf(worker.raise([committed]))).toBe('done')
    expect(await outcomeOf(worker.raise([committed]))).toBe('done')
    const next = { ...before, username: 'after it', generation: nextGeneration(generation) }
    expect(await outcomeOf(sealedBy(byAdmin, next, committed))).toBe('done')
  })

  it('count no recoveries for a membership before their commit', async () => {
    const { victim, before, byAdmin } = await givenVictim()
    const vault = await makeVault(appliance)
    await vault.share(String(victim.id), 'Read')
    const next = { ...before, passphraseCheck: await newCheck(), recoveries: 1, generation: before.generation + 1 }
    const ahead = await sealedBy(byAdmin, next, sealedUser(before))
    const membership = await findSealedMembership(appliance.store.read, before, Number(vault.id))
    const opened = membership && openRecord(membership.record)
    if (opened?.type !== 'membership') throw new Error('no membership')
    const { fields } = opened
    const byVaultAdmin = await grantOfSession(appliance, worker, vault.admin, (user) =>
      findSealedMembership(appliance.store.read, user, Number(vault.id)),
    )
    const record = composeRecord('membership', { ...fields, recoveries: 1, generation: nextGeneration(1) })
    const confirmed = () => outcomeOf(worker.seal(record, { previous: membership, grant: byVaultAdmin, person: ahead }))
    expect(await confirmed()).toBe('store.conflict')
    await worker.raise([ahead])
    expect(await confirmed()).toBe('done')
  })
})
