import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { permissionBits } from '../../src/access/permission.ts'
import { systemClock } from '../../src/clock.ts'
import type { User } from '../../src/features/users/records.ts'
import { sealedPolicy } from '../../src/features/transparent/sealing.ts'
import { sealedUser, userRecord } from '../../src/features/users/user-seals.ts'
import { findVault } from '../../src/features/vaults/records.ts'
import { createShownMemberships } from '../../src/features/vaults/shown-memberships.ts'
import { findSealedMembership, membershipRecord, sealedVault } from '../../src/features/vaults/vault-seals.ts'
import type { Hsm, SealedRecord } from '../../src/hsm/hsm.ts'
import { nextGeneration } from '../../src/hsm/record-generation.ts'
import { withFactor } from '../../src/hsm/user-factors.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests, workerForTests } from '../support/for-tests.ts'
import { attackerDevice } from '../support/attacker-kit.ts'
import type { TestClient } from '../support/client.ts'
import { loginRequest } from '../support/login-request.ts'
import { rawSeal } from '../support/raw-seal.ts'
import { grantOfSession } from '../support/session-grant.ts'
import { outcomeOf } from '../support/step-outcome.ts'
import { startKeeperAt } from '../support/turned-keeper.ts'
import { storedKey } from '../support/stored-keys.ts'
import { accountRow } from '../support/user-row.ts'
import { makeVault } from '../support/vault.ts'

/**
 * Code in a worker has kept records that were sealed in place of a row and never committed. Another one was committed
 * there since, so that they are dead: it tries to have the keeper believe them once more.
 */
const appliance = applianceForTests(() => TestAppliance.own())
const worker = workerForTests(appliance)
let admin: TestClient
let adminId: number
beforeAll(async () => {
  const administrator = await appliance.addUser(['read', 'active', 'admin'])
  adminId = administrator.id
  admin = await appliance.login(administrator)
})

const sealedBy = async (keeper: Hsm, grant: SealedRecord, next: User, before: SealedRecord): Promise<SealedRecord> => {
  const record = userRecord(next)
  return { record, seal: await keeper.seal(record, { previous: before, grant }) }
}

const minuteMs = 60_000

describe('a dead record', () => {
  it('is not believed once another one of its number is sealed, or committed', async () => {
    const { id } = await appliance.addUser()
    // Made by the administrator, who gives what he likes without a recovery until the first login.
    const made: User = { ...(await accountRow(appliance, { id })), madeBy: adminId, recoveries: 0 }
    const madeShown = { record: userRecord(made), seal: rawSeal(appliance.token, userRecord(made)) }
    let aheadMs = 0
    const keeper = await startKeeperAt(appliance, () => Date.now() + aheadMs, 'worker')
    try {
      await keeper.hsm.raise([madeShown])
      const byAdmin = await grantOfSession(appliance, keeper.hsm, admin)
      const logged: User = { ...made, madeBy: null, generation: made.generation + 1 }
      const device = await attackerDevice(keeper.hsm, id, byAdmin)
      const hash = randomBytes(32)
      const taken: User = {
        ...made,
        passphraseCheck: await keeper.hsm.newPassphraseCheck(hash),
        factors: withFactor(made.factors, device.sealed.record),
        generation: made.generation + 2,
      }
      const committed = await sealedBy(keeper.hsm, byAdmin, logged, madeShown)
      const fork = await sealedBy(keeper.hsm, byAdmin, taken, madeShown)
      await keeper.hsm.raise([committed])
      const request = await loginRequest(appliance, { id, passphrase: '' }, device.factor())
      const login = () => outcomeOf(keeper.hsm.login({ ...request, user: fork, hash, factor: device.factor() }))
      expect(await login()).toBe('hsm.outdated')

      aheadMs = 11 * minuteMs
      const renamed: User = { ...logged, username: 'renamed', generation: taken.generation }
      const twin = await sealedBy(keeper.hsm, byAdmin, renamed, committed)
      expect(await login()).toBe('hsm.outdated')
      await keeper.hsm.raise([twin])
      expect(await login()).toBe('hsm.outdated')
    } finally {
      await keeper.close()
    }
  })

  it('changes nothing of what the keeper knows of the rights of its user', async () => {
    const mallory = await appliance.addUser(['read', 'active', 'admin'])
    const client = await appliance.login(mallory)
    const before = await accountRow(appliance, mallory)
    const byAdmin = await grantOfSession(appliance, worker, admin)
    const kept = await grantOfSession(appliance, worker, client)
    const next = (name: string, capabilities: number, after: number): User => ({
      ...before,
      username: name,
      capabilities,
      generation: before.generation + after,
    })
    const less = next('less', capabilitiesOf(['read', 'active']), 1)
    const committed = await sealedBy(worker, byAdmin, less, sealedUser(before))
    const fork = await sealedBy(worker, byAdmin, next('fork', before.capabilities, 2), sealedUser(before))
    await worker.raise([committed])
    const other = await accountRow(appliance, await appliance.addUser())
    const disabled = { ...other, capabilities: 0, generation: nextGeneration(other.generation) }
    const bring = () => outcomeOf(sealedBy(worker, kept, disabled, sealedUser(other)))
    expect(await bring()).toBe('access.permission')
    expect(await outcomeOf(worker.raise([fork]))).toBe('hsm.outdated')
    expect(await bring()).toBe('access.permission')
  })
})

describe('a new user and a new member that were sealed and kept', () => {
  it('are believed for an hour of the keeper, and so is what was sealed in their place', async () => {
    const vault = await makeVault(appliance)
    const members = await Promise.all([1, 2].map(async () => accountRow(appliance, await appliance.addUser())))
    const row = await findVault(appliance.store.read, Number(vault.id))
    const [soon, late] = members
    if (row === null || soon === undefined || late === undefined) throw new Error('no vault or no users')
    let aheadMs = 0
    const keeper = await startKeeperAt(appliance, () => Date.now() + aheadMs, 'worker')
    try {
      const byAdmin = await grantOfSession(appliance, keeper.hsm, admin)
      const byVaultAdmin = await grantOfSession(appliance, keeper.hsm, vault.admin, (user) =>
        findSealedMembership(appliance.store.read, user, Number(vault.id)),
      )
      const account = async (id: number): Promise<SealedRecord> => {
        const next: User = { ...late, id, madeBy: adminId, recoveries: 0, factors: Buffer.alloc(0), generation: 1 }
        const { identity, seal } = await keeper.hsm.sealNew(userRecord({ ...next, identity: Buffer.alloc(0) }), {
          grant: byAdmin,
        })
        return { record: userRecord({ ...next, identity }), seal }
      }
      const state = { permission: permissionBits.Read, grants: null, recoveries: 0 }
      const member = async (user: User, generation: number, before?: SealedRecord): Promise<SealedRecord> => {
        const record = membershipRecord({ vault: row, user }, { ...state, generation })
        return {
          record,
          seal: await keeper.hsm.seal(record, { previous: before, grant: byVaultAdmin, person: sealedUser(user) }),
        }
      }
      const shownSoon = [await account(4711), await member(soon, 1)]
      const kept = [await account(4712), await member(late, 1)]
      const inPlace = await member(late, 2, kept[1])
      aheadMs = 50 * minuteMs
      expect(await outcomeOf(keeper.hsm.raise(shownSoon))).toBe('done')
      aheadMs = 65 * minuteMs
      expect(await outcomeOf(keeper.hsm.raise(shownSoon))).toBe('done')
      for (const record of [...kept, inPlace]) expect(await outcomeOf(keeper.hsm.raise([record]))).toBe('hsm.outdated')
    } finally {
      await keeper.close()
    }
  })

  it('are believed no longer where they are tombstones', async () => {
    const [vault, other] = [await makeVault(appliance), await makeVault(appliance)]
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/ending`, {})
    const { key } = await storedKey(appliance, vault.id, 'ending')
    let aheadMs = 0
    const keeper = await startKeeperAt(appliance, () => Date.now() + aheadMs)
    try {
      const ended = async (id: string): Promise<SealedRecord> => {
        const row = await findVault(appliance.store.read, Number(id))
        if (row === null) throw new Error('no vault')
        return keeper.hsm.sealTombstone(sealedVault(row))
      }
      const kept = [await keeper.hsm.sealTombstone(sealedPolicy(key)), await ended(vault.id)]
      const shown = await ended(other.id)
      aheadMs = 50 * minuteMs
      expect(await outcomeOf(keeper.hsm.raise([shown]))).toBe('done')
      aheadMs = 65 * minuteMs
      expect(await outcomeOf(keeper.hsm.raise([shown]))).toBe('done')
      for (const record of kept) expect(await outcomeOf(keeper.hsm.raise([record]))).toBe('hsm.outdated')
    } finally {
      await keeper.close()
    }
  })

  it('are good where the daemon shows what is in the database', async () => {
    const vault = await makeVault(appliance)
    const { id } = await appliance.addUser()
    await vault.share(String(id), 'Read')
    const shown: Buffer[] = []
    const raise = async (records: readonly SealedRecord[]): Promise<void> => {
      await worker.raise(records)
      shown.push(...records.map(({ record }) => record))
    }
    const showAll = createShownMemberships({ store: appliance.store, hsm: { raise }, clock: systemClock })
    await showAll()
    const known = await findSealedMembership(
      appliance.store.read,
      await accountRow(appliance, { id }),
      Number(vault.id),
    )
    expect(shown).toContainEqual(known?.record)
    shown.length = 0
    const { id: next } = await appliance.addUser()
    await vault.share(String(next), 'Write')
    await showAll()
    const added = await findSealedMembership(
      appliance.store.read,
      await accountRow(appliance, { id: next }),
      Number(vault.id),
    )
    expect(shown).toContainEqual(added?.record)
  })
})
