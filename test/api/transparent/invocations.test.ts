import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createInvocations } from '../../../src/features/transparent/invocations.ts'
import { KeyVersionTable } from '../../../src/features/transparent/records.ts'
import { invocationsRecord } from '../../../src/features/transparent/sealing.ts'
import { TestAppliance, twoWorkers } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { grantIn, newIdentity, sealedRecord } from '../../support/grant-kit.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'
import { rawSeal } from '../../support/raw-seal.ts'
import { storedKey } from '../../support/stored-keys.ts'
import { makeVault } from '../../support/vault.ts'

const appliance = applianceForTests(() => TestAppliance.own({ transparent: { invocationLease: 10 } }))
let client: TestClient
let vaultId: number

beforeAll(async () => {
  client = await appliance.login()
  const [{ id }] = (await client.must('POST', '/vault', { vaultname: 'Counted' }))['VAULT'] as [{ id: string }]
  vaultId = Number(id)
})

const encrypt = (name: string) => client.post(`/transparent/${vaultId}/encrypt/${name}`, { plaintext: 'eA==' })

const stored = (name: string) => storedKey(appliance, vaultId, name)
const count = async (name: string) => (await stored(name)).latest.invocations

/** Sets the count, as the appliance would store it. */
async function setCount(name: string, invocations: number): Promise<void> {
  const { key, latest } = await stored(name)
  const invocationsSeal = rawSeal(appliance.token, invocationsRecord(key, latest.version, invocations))
  await appliance.store.transaction((tx) =>
    tx.update(KeyVersionTable, { keyId: key.id, version: latest.version }, { invocations, invocationsSeal }),
  )
}

const by = { grant: () => grantIn(appliance, vaultId) }

/** The sealed record of a new session. */
const sealedSession = (identity: Buffer) =>
  sealedRecord(appliance.token, 'session', {
    identity,
    tokenHash: '',
    user: newIdentity(),
    applicationKey: newIdentity(),
    recoveries: 0,
    certificate: null,
    createdAt: Date.now(),
    expiresAt: Date.now() + 3_600_000,
  })

/** The counting of another worker, over the same database. */
const counting = () => createInvocations({ store: appliance.store, hsm: appliance.hsm, leaseSize: 10 })

describe('encryptions with one key version', () => {
  it('are counted in leases that the database knows before they are spent', async () => {
    expect((await encrypt('steady')).status).toBe(201)
    const { key } = await stored('steady')
    const before = await count('steady')
    const worker = counting()
    for (let n = 0; n < 25; n++) await worker.spend(by, key, 1, 1)
    expect((await count('steady')) - before).toBe(30)
  })

  it('are never counted too few over a crash', async () => {
    expect((await encrypt('crashed')).status).toBe(201)
    await appliance.restart('SIGKILL')
    for (let n = 0; n < 5; n++) expect((await encrypt('crashed')).status).toBe(201)
    expect(await count('crashed')).toBeGreaterThanOrEqual(16)
  })

  it('with an earlier version do not have a backup refused that they overtake', async () => {
    expect((await encrypt('backed-up')).status).toBe(201)
    await client.must('POST', `/transparent/${vaultId}/keys/backed-up/rotate`)
    const { key } = await stored('backed-up')
    const { hsm, services } = appliance
    const [worker, sealBackup, overtaken] = [counting(), hsm.sealBackup.bind(hsm), 3]
    const sealing = vi.spyOn(hsm, 'sealBackup').mockImplementation(async (of) => {
      if (sealing.mock.calls.length <= overtaken) await worker.spend(by, key, 1, 10)
      return sealBackup(of)
    })
    onTestFinished(() => sealing.mockRestore())
    expect((await services.keyBackups.backup(by, await stored('backed-up'))).text).not.toBe('')
    expect(sealing).toHaveBeenCalledTimes(overtaken + 1)
  })

  it('share one lease among parallel callers', async () => {
    expect((await encrypt('shared')).status).toBe(201)
    const { key } = await stored('shared')
    const before = await count('shared')
    const worker = counting()
    await Promise.all(Array.from({ length: 10 }, () => worker.spend(by, key, 1, 1)))
    expect((await count('shared')) - before).toBe(10)
  })

  it('end at 2^32, to the very last one, and go on after a rotation', async () => {
    expect((await encrypt('worn')).status).toBe(201)
    await appliance.restart()
    await setCount('worn', 2 ** 32 - 3)
    const worker = counting()
    const { key } = await stored('worn')
    for (let n = 0; n < 3; n++) await worker.spend(by, key, 1, 1)
    await expect(worker.spend(by, key, 1, 1)).rejects.toMatchObject({ code: 'key.exhausted' })
    expect(await count('worn')).toBe(2 ** 32)
    const first = { plaintext: 'eA==', key_version: 1 }
    expectFault(await client.post(`/transparent/${vaultId}/encrypt/worn`, first), 409, 1504)
    expect((await encrypt('worn')).json.CALLINFO['key_version']).toBe('2')
  })

  it('go on for those who wait for a lease that its caller is refused', async () => {
    expect((await encrypt('shared')).status).toBe(201)
    const { key } = await stored('shared')
    const session = newIdentity()
    await appliance.hsm.endSessions([sealedSession(session)])
    const ended = { grant: () => grantIn(appliance, vaultId, { session }) }
    const expired = { grant: () => grantIn(appliance, vaultId, { expiresAt: Date.now() - 600_000 }) }
    for (const [name, refused] of Object.entries({ ended, expired })) {
      const worker = counting()
      const outcomes = await Promise.allSettled([refused, by, by].map((caller) => worker.spend(caller, key, 1, 1)))
      expect(
        outcomes.map(({ status }) => status),
        name,
      ).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    }
  })

  it('are refused when the count was edited', async () => {
    expect((await encrypt('edited')).status).toBe(201)
    await appliance.restart()
    await appliance.sql(
      "UPDATE key_versions SET invocations = 0 WHERE key_id = (SELECT id FROM transparent_keys WHERE name = 'edited')",
    )
    expectFault(await encrypt('edited'), 503, 1505)
  })
})

it.runIf(hasPostgres)(
  'lets workers that reserve of one count at the same time each have their turn',
  async () => {
    const database = startPostgres()
    const transparent = { invocationLease: 1 }
    const store = { postgresUrlFile: database.urlFile }
    const shared = await TestAppliance.own({ ...twoWorkers, transparent, store })
    try {
      const vault = await makeVault(shared)
      await vault.encrypt('busy', 'AAAA')
      const stream = async () => {
        const statuses = new Set<number>()
        for (let turn = 0; turn < 10; turn++)
          statuses.add((await vault.admin.post(`/transparent/${vault.id}/encrypt/busy`, { plaintext: 'AAAA' })).status)
        return [...statuses]
      }
      expect(new Set((await Promise.all(Array.from({ length: 12 }, stream))).flat())).toEqual(new Set([201]))
    } finally {
      await shared.close()
      database.cleanup()
    }
  },
  120_000,
)
