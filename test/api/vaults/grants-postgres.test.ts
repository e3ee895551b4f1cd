import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance, twoWorkers } from '../../support/appliance.ts'
import { expectFault } from '../../support/client.ts'
import { createObject } from '../../support/object-kit.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../../support/postgres.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'

describe.runIf(hasPostgres)('grants in PostgreSQL', () => {
  let database: TestPostgres
  let appliance: TestAppliance
  let vault: TestVault

  beforeAll(async () => {
    database = startPostgres()
    appliance = await TestAppliance.own({ ...twoWorkers, store: { postgresUrlFile: database.urlFile } })
    vault = await makeVault(appliance)
    for (const name of ['mail-a', 'pay']) await vault.admin.must('POST', `/transparent/${vault.id}/keys/${name}`)
  })
  afterAll(async () => {
    await appliance.close()
    database.cleanup()
  })

  it('narrow as in SQLite, and a limit a day holds for all workers together', async () => {
    const { user, client } = await vault.narrowed([{ keys: 'mail-*', operations: ['encrypt', 'read'], daily: 20 }])
    const path = `/transparent/${vault.id}/encrypt/mail-a`
    const answers = await Promise.all(Array.from({ length: 40 }, () => client.post(path, { plaintext: 'AAAA' })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20)
    expectFault(await client.post(`/transparent/${vault.id}/encrypt/pay`, { plaintext: 'AAAA' }), 403, 1301)
    await vault.share(String(user.id), undefined)
    expectFault(await client.post(path, { plaintext: 'AAAA' }), 404, 1400)
  })

  it('show in lists and searches what matches', async () => {
    await createObject(vault.admin, vault.id, { host: 'needle-of-the-vault' })
    const found = async (...grants: readonly object[]) => {
      const { client } = await vault.narrowed(grants)
      const { OBJECT } = await client.must('GET', '/find?needle=needle-of-the-vault')
      return (OBJECT as unknown[]).length
    }
    expect(await found({ objects: ['list'] })).toBe(1)
    expect(await found({ objects: ['read', 'decrypt'] }, { keys: 'list', operations: ['read'] })).toBe(0)
    const { client } = await vault.narrowed([{ keys: 'mail-*', operations: ['read'] }])
    const { KEYS } = await client.must('GET', `/transparent/${vault.id}/keys`)
    expect((KEYS as { name: string }[]).map(({ name }) => name)).toEqual(['mail-a'])
  })
})
