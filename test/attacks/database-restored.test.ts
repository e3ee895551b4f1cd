import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { User } from '../../src/features/users/records.ts'
import { userRecord } from '../../src/features/users/user-seals.ts'
import type { Hsm, SealedRecord } from '../../src/hsm/hsm.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { strongroom } from '../support/console-kit.ts'
import { copyOfRows } from '../support/database-owner.ts'
import { verdict } from '../support/fault-kit.ts'
import { rawSeal } from '../support/raw-seal.ts'
import { outcomeOf } from '../support/step-outcome.ts'
import { startKeeperAt } from '../support/turned-keeper.ts'
import { accountRow } from '../support/user-row.ts'
import { makeVault } from '../support/vault.ts'

/**
 * The operator has accepted a restored database, so that the keeper has forgotten what is newest. Who writes to the
 * database puts rows back that were outdated before; code in a worker shows what it had sealed and kept before.
 */
const appliance = applianceForTests(() => TestAppliance.own())

const accept = async () => {
  const { status } = await strongroom(appliance.configFile, ['database', 'accept-restored'])
  expect(status).toBe(0)
}

describe('a row from before', () => {
  it('of an application key that was revoked opens no session', async () => {
    const user = await appliance.addUser()
    const { key } = await appliance.services.applicationKeys.create('leaving', appliance.commit)
    const putBack = copyOfRows(appliance, 'application_keys')
    await appliance.services.applicationKeys.revoke('leaving', appliance.commit)
    await accept()
    putBack()
    const body = { ...appliance.credentials(user), apikey: key }
    expect(verdict(await appliance.client().call('POST', '/auth', { body }))).toBe('503 1911')
  })

  it('of a key that was restricted, or a version that was disabled, serves nothing', async () => {
    const vault = await makeVault(appliance)
    const user = await appliance.addUser()
    await vault.share(String(user.id), 'Admin')
    const [backed, disabled] = ['backed', 'disabled'].map((name) => `/transparent/${vault.id}/keys/${name}`)
    for (const path of [backed, disabled]) await vault.admin.must('POST', String(path), {})
    await vault.admin.must('POST', `${disabled}/rotate`)
    const { CALLINFO: encrypted } = await vault.admin.must('POST', `/transparent/${vault.id}/encrypt/disabled`, {
      plaintext: 'a2VwdA==',
      key_version: 1,
    })
    const putBack = ['transparent_keys', 'key_versions'].map((table) => copyOfRows(appliance, table))
    await vault.admin.must('PUT', String(backed), { allow_backup: false })
    await vault.admin.must('PUT', `${disabled}/versions/1`, { enabled: false })
    await accept()
    for (const each of putBack) each()
    const session = await appliance.login(user)
    const { ciphertext } = encrypted
    const decrypted = await session.post(`/transparent/${vault.id}/decrypt/disabled`, { ciphertext })
    expect([verdict(decrypted), verdict(await session.get(`/transparent/backup/${vault.id}/backed`))]).toEqual([
      '503 1911',
      '503 1911',
    ])
  })
})

describe('a record that was sealed and kept', () => {
  const next = (user: User, after: number, username: string): User => ({
    ...user,
    username,
    generation: user.generation + after,
  })
  const sealedBy = async (keeper: Hsm, user: User, before: SealedRecord): Promise<SealedRecord> => {
    const record = userRecord(user)
    return { record, seal: await keeper.seal(record, { previous: before }) }
  }

  it('in place of a row is not believed again, unless it was being committed', async () => {
    const account = await accountRow(appliance, await appliance.addUser())
    const row = { record: userRecord(account), seal: account.seal }
    let aheadMs = 0
    const keeper = await startKeeperAt(appliance, () => Date.now() + aheadMs)
    try {
      await keeper.hsm.raise([row])
      const committed = await sealedBy(keeper.hsm, next(account, 1, 'committed'), row)
      const fork = await sealedBy(keeper.hsm, next(account, 2, 'fork'), row)
      await keeper.hsm.raise([committed])
      expect(await outcomeOf(keeper.hsm.raise([fork]))).toBe('hsm.outdated')

      aheadMs = 11 * 60_000
      const underWay = await sealedBy(keeper.hsm, next(account, 3, 'under way'), committed)
      await keeper.hsm.acceptRestored()
      await keeper.hsm.raise([row])
      for (const kept of [committed, fork, underWay])
        expect(await outcomeOf(keeper.hsm.raise([kept]))).toBe('hsm.outdated')

      const again = await sealedBy(keeper.hsm, next(account, 4, 'again'), row)
      await keeper.hsm.acceptRestored()
      await keeper.hsm.raise([row])
      expect(await outcomeOf(keeper.hsm.raise([again]))).toBe('done')
    } finally {
      await keeper.close()
    }
  })

  it('of an account that is in no row is not believed again once the operator has shown all', async () => {
    const known = await accountRow(appliance, await appliance.addUser())
    const first = (id: number): User => ({ ...known, id, recoveries: 0, factors: Buffer.alloc(0), generation: 1 })
    const record = userRecord({ ...first(1003), identity: randomBytes(16) })
    const ofAnotherMachine = { record, seal: rawSeal(appliance.token, record) }
    let aheadMs = 0
    const keeper = await startKeeperAt(appliance, () => Date.now() + aheadMs)
    try {
      const account = async (id: number): Promise<SealedRecord> => {
        const { identity, seal } = await keeper.hsm.sealNew(userRecord({ ...first(id), identity: Buffer.alloc(0) }))
        return { record: userRecord({ ...first(id), identity }), seal }
      }
      const [kept, madeSince] = [await account(1001), await account(1002)]
      await keeper.hsm.raise([madeSince])
      aheadMs = 11 * 60_000
      await keeper.hsm.acceptRestored()
      await keeper.hsm.raise([{ record: userRecord(known), seal: known.seal }])
      await keeper.hsm.restoredShown()
      for (const lost of [kept, madeSince]) expect(await outcomeOf(keeper.hsm.raise([lost]))).toBe('hsm.outdated')
      for (const made of [await account(1004), ofAnotherMachine])
        expect(await outcomeOf(keeper.hsm.raise([made]))).toBe('done')
    } finally {
      await keeper.close()
    }
  })
})
