import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificateRecord } from '../../src/features/certificates/records.ts'
import { deviceRecord, devicesOf, findByPublicId, stateOf, type OtpDevice } from '../../src/features/otp/records.ts'
import { parseOtp } from '../../src/features/otp/yubico-otp.ts'
import type { User } from '../../src/features/users/records.ts'
import { sealedUser, userRecord } from '../../src/features/users/user-seals.ts'
import { VaultTable } from '../../src/features/vaults/records.ts'
import { findSealedMembership, membershipRecord } from '../../src/features/vaults/vault-seals.ts'
import type { GrantRequest, Hsm, SealedRecord } from '../../src/hsm/hsm.ts'
import type { LoginRequest } from '../../src/hsm/login-request.ts'
import { withFactor } from '../../src/hsm/user-factors.ts'
import { CardAppliance } from '../api/certificates/card-kit.ts'
import type { TestAppliance, TestUser } from '../support/appliance.ts'
import { type AttackerDevice, attackerDevice, begunSession } from '../support/attacker-kit.ts'
import type { TestClient } from '../support/client.ts'
import { ClientCa, pemOf } from '../support/client-pki.ts'
import { loginRequest } from '../support/login-request.ts'
import { stockToken } from '../support/own-device-kit.ts'
import { outcomeOf } from '../support/step-outcome.ts'
import { accountRow } from '../support/user-row.ts'
import { makeVault } from '../support/vault.ts'
import { grantOfSession } from '../support/session-grant.ts'
import { workerHsm } from '../support/worker-hsm.ts'

/**
 * The attacker runs code in a worker. He has captured the pass phrase of a user and wants the second factor. He has a
 * seed of his own, the workers' sockets, every record of the database, and the sessions that pass through the worker.
 */
const ca = new ClientCa()
let cards: CardAppliance
let appliance: TestAppliance
let worker: Hsm

beforeAll(async () => {
  cards = await CardAppliance.start({ clientCa: ca.certificate })
  appliance = cards.appliance
  worker = workerHsm(appliance)
})
afterAll(async () => {
  await worker.close()
  await cards.close()
})

const rowOf = (user: Pick<TestUser, 'id'>) => accountRow(appliance, user)

/** The grant of the keeper for a session that passes through the worker. */
const grantOf = (client: TestClient, of?: { readonly user: User; readonly vaultId: string }) =>
  grantOfSession(appliance, worker, client, async () => {
    return of && findSealedMembership(appliance.store.read, of.user, Number(of.vaultId))
  })

const ownDevice = (userId: number | null, grant?: SealedRecord) => attackerDevice(worker, userId, grant)

/** A login of the victim, by the newest row or by another record. */
async function logIn(victim: TestUser, device: AttackerDevice, shown: Partial<LoginRequest> = {}) {
  return worker.login({ ...(await loginRequest(appliance, victim, device.factor())), ...shown })
}

/** A user who has logged in, and has a vault with another Admin. */
async function givenVictim() {
  const victim = await appliance.addUser()
  const session = await appliance.login(victim)
  const vault = await makeVault(appliance)
  await vault.share(String(victim.id), 'Admin')
  return { victim, session, vault }
}

describe('a device of the attacker', () => {
  it('is sealed for no user without a session, and in that of another user', async () => {
    const { victim } = await givenVictim()
    const other = await appliance.login(await appliance.addUser())
    expect(await outcomeOf(ownDevice(victim.id))).toBe('hsm.rejected')
    expect(await outcomeOf(ownDevice(victim.id, await grantOf(other)))).toBe('hsm.rejected')
  })

  it('opens no session when it is sealed in one of the user, who may begin to enrol an app, and nothing else is', async () => {
    const { victim, session } = await givenVictim()
    const grant = await grantOf(session)
    const device = await ownDevice(victim.id, grant)
    expect(await outcomeOf(logIn(victim, device))).toBe('login.refused')
    const before = await rowOf(victim)
    const factors = withFactor(before.factors, device.sealed.record)
    const gained = { ...before, factors, generation: before.generation + 1 }
    const named = worker.seal(userRecord(gained), { previous: sealedUser(before), grant })
    expect(await outcomeOf(named)).toBe('hsm.rejected')
  })

  it('is put in no place of a token that lies in stock', async () => {
    const { session } = await givenVictim()
    expect(await outcomeOf(ownDevice(null))).toBe('hsm.rejected')
    expect(await outcomeOf(ownDevice(null, await grantOf(session)))).toBe('hsm.rejected')
  })

  it('is no known token: in a session alone none changes hands', async () => {
    const { victim, session } = await givenVictim()
    const grant = await grantOf(session)
    const [held] = await devicesOf(appliance.store.read, victim.id, 'hwkey_otp')
    const token = await stockToken(appliance)
    const stock = await findByPublicId(appliance.store.read, token.publicId)
    if (held === undefined || stock === null) throw new Error('no hardware token')
    const give = (device: OtpDevice, userId: number | null) =>
      worker.seal(deviceRecord({ ...device, userId }), { previous: stateOf(device).device, grant })
    expect(await outcomeOf(give(stock, victim.id))).toBe('hsm.rejected')
    expect(await outcomeOf(give(held, null))).toBe('hsm.rejected')
  })

  it('opens no session when it is sealed in the session of an administrator, and nothing else is', async () => {
    const { victim } = await givenVictim()
    const device = await ownDevice(victim.id, await grantOf(cards.admin))
    expect(await outcomeOf(logIn(victim, device))).toBe('login.refused')
  })

  it('opens one with a recovery, in which no membership of the victim is of use', async () => {
    const { victim, vault } = await givenVictim()
    const [before, grant] = [await rowOf(victim), await grantOf(cards.admin)]
    const device = await ownDevice(victim.id, grant)
    const factors = withFactor(before.factors, device.sealed.record)
    const gained = { ...before, factors, generation: before.generation + 1 }
    const seal = (user: User) => worker.seal(userRecord(user), { previous: sealedUser(before), grant })
    expect(await outcomeOf(seal(gained))).toBe('hsm.rejected')
    const recovered = { ...gained, recoveries: before.recoveries + 1 }
    const user = sealedUser({ ...recovered, seal: await seal(recovered) })
    const request = { ...(await loginRequest(appliance, victim, device.factor())), user }
    const begun = await begunSession(appliance, recovered, await worker.login(request))
    const sealed = await findSealedMembership(appliance.store.read, before, Number(vault.id))
    const { applicationKey } = request
    if (sealed === undefined || applicationKey === undefined) throw new Error('no membership or no application key')
    const asked = { ...begun, applicationKey, membership: sealed }
    // With the record from before the recovery, or with the one that names the factor.
    expect(await outcomeOf(worker.grant({ ...asked, user: sealedUser(before) }))).toBe('hsm.outdated')
    expect(await outcomeOf(worker.grant({ ...asked, user }))).toBe('access.resting')
  })
})

describe('a certificate of the attacker', () => {
  it('is sealed for no user without an administrator', async () => {
    const { victim, session } = await givenVictim()
    const der = Buffer.from(pemOf(ca.issue('/CN=Mallory')).replaceAll(/-----[^-]*-----|\s/g, ''), 'base64')
    const record = certificateRecord({ userId: victim.id, fingerprint: 'ab'.repeat(32), der })
    expect(await outcomeOf(worker.seal(record))).toBe('hsm.rejected')
    expect(await outcomeOf(worker.seal(record, { grant: await grantOf(session) }))).toBe('hsm.rejected')
  })
})

describe('the maker of a user', () => {
  it('gives nothing unnoticed once the user has used a vault: the worker keeps no first login from the keeper', async () => {
    const { vault } = await givenVictim()
    const victim = await appliance.addUser()
    await vault.share(String(victim.id), 'Read')
    const user = await rowOf(victim)
    const [device] = await devicesOf(appliance.store.read, victim.id, 'hwkey_otp')
    const block = parseOtp(victim.hardwareToken.press())?.block
    if (device === undefined || block === undefined) throw new Error('no hardware token')
    const factor = { certificate: undefined, devices: [stateOf(device)], otp: { block } }
    const { applicationKey, ...request } = await loginRequest(appliance, victim, factor)
    const begun = await begunSession(appliance, user, await worker.login({ ...request, applicationKey }))
    const membership = await findSealedMembership(appliance.store.read, user, Number(vault.id))
    if (applicationKey === undefined || membership === undefined) throw new Error('no records')
    const granted = (more: Pick<GrantRequest, 'membership'>) =>
      outcomeOf(worker.grant({ ...begun, user: sealedUser(user), applicationKey, ...more }))
    expect(await granted({ membership })).toBe('session.invalid')
    // This notes the first login.
    expect(await granted({})).toBe('done')
  })
})

describe('a member', () => {
  it('is confirmed for no recovery that has not been', async () => {
    const { victim, session, vault } = await givenVictim()
    const user = await rowOf(victim)
    const other = await rowOf(await appliance.addUser())
    const grant = await grantOf(session, { user, vaultId: vault.id })
    const { identity } = await appliance.store.read.findOneByOrFail(VaultTable, { id: Number(vault.id) })
    const admitted = (recoveries: number) => {
      const state = { permission: 1, grants: null, recoveries, generation: 1 }
      return worker.seal(membershipRecord({ vault: { identity }, user: other }, state), { grant })
    }
    expect(await outcomeOf(admitted(1))).toBe('hsm.rejected')
  })
})
