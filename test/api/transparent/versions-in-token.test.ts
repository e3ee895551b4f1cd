import { expect, it } from 'vitest'
import { inTokenQuery } from '../../../src/features/transparent/records.ts'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { storedKey } from '../../support/stored-keys.ts'
import { makeVault } from '../../support/vault.ts'

const appliance = applianceForTests(() => TestAppliance.own({ transparent: { versionsInToken: 3 } }))
const vault = vaultForTests(appliance)

const inToken = { residency: 'token' }

it('keys in the token have a bound in all, those of other vaults among them; keys in the database have none: 409 1521', async () => {
  const other = await makeVault(appliance)
  await vault.admin.must('POST', vault.keyPath('one'), inToken)
  await vault.admin.must('POST', `${vault.keyPath('one')}/rotate`)
  await other.admin.must('POST', `/transparent/${other.id}/keys/two`, inToken)
  expectFault(await vault.admin.post(vault.keyPath('three'), inToken), 409, 1521)
  expectFault(await vault.admin.post(`${vault.keyPath('one')}/rotate`), 409, 1521)
  expect(await vault.encrypt('one', 'AAAA')).toMatch(/^service:v2:/)
  await vault.admin.must('POST', vault.keyPath('plain'))
  await vault.admin.must('POST', `${vault.keyPath('plain')}/rotate`)

  const { keyring } = appliance.services
  const byNone = { grant: () => Promise.reject(new Error('no grant')) }
  await keyring.update(byNone, await storedKey(appliance, vault.id, 'one'), { autoRotatePeriodMs: 1 }, appliance.commit)
  expect(await vault.encrypt('one', 'AAAA')).toMatch(/^service:v[3-9]:/)
})

it('they are counted by their index', async () => {
  expect(await appliance.store.read.query(`EXPLAIN QUERY PLAN ${inTokenQuery}`)).toMatchObject([
    { detail: expect.stringContaining('INDEX key_versions_in_token') },
  ])
})
