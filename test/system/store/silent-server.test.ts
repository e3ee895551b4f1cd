import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { eventually, verdict } from '../../support/fault-kit.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../../support/postgres.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'

describe.skipIf(!hasPostgres)('a PostgreSQL server that stands still, as one whose machine is gone', () => {
  let database: TestPostgres
  let appliance: TestAppliance
  let vault: TestVault
  let user: TestUser

  beforeAll(async () => {
    database = startPostgres()
    appliance = await TestAppliance.own({ store: { postgresUrlFile: database.urlFile } })
    vault = await makeVault(appliance)
    user = await appliance.addUser()
  })
  afterAll(async () => {
    database.signal('SIGCONT')
    await appliance.close()
    database.cleanup()
  })

  it('holds up no call for good: each is refused meanwhile, and served when it goes on', async () => {
    const { admin, id } = vault
    database.signal('SIGSTOP')
    const refused = await Promise.all([
      admin.get('/vault'),
      admin.post('/vault', { vaultname: 'Refused' }),
      admin.post(`/transparent/${id}/encrypt/refused`, { plaintext: 'AAAA' }),
      appliance.client().post('/auth', appliance.credentials(user)),
    ])
    expect(refused.map(verdict)).toEqual(refused.map(() => '503 1905'))
    database.signal('SIGCONT')
    await eventually(async () => (await admin.get('/vault')).status === 200)
    expect((await admin.must('GET', '/vault'))['VAULTS']).toHaveLength(1)
    await vault.encrypt('served', 'AAAA')
  })

  it('is none that answers one statement after another, though the last one waits for long', async () => {
    const slept = appliance.store.transaction((tx) =>
      Promise.all([1, 2].map((number) => tx.query(`SELECT pg_sleep(8)::text, ${number} AS number`))),
    )
    expect(await slept).toEqual([[expect.objectContaining({ number: 1 })], [expect.objectContaining({ number: 2 })]])
  })

  it('ends the transactions of a machine that is gone, whose locks would hold up the others', async () => {
    const { store } = appliance
    const setting = 'SHOW idle_in_transaction_session_timeout'
    expect(await store.query(setting, [])).toEqual([{ idle_in_transaction_session_timeout: '1min' }])
  })
})
