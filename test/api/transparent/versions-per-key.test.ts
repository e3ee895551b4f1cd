import { expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { storedKey } from '../../support/stored-keys.ts'

const appliance = applianceForTests(() => TestAppliance.own({ transparent: { versionsPerKey: 3 } }))
const vault = vaultForTests(appliance)

async function fullKey(name: string): Promise<void> {
  await vault.admin.must('POST', vault.keyPath(name))
  for (let made = 1; made < 3; made++) await vault.admin.must('POST', `${vault.keyPath(name)}/rotate`)
}

it('a key with as many versions as it may have is not rotated, until older ones are trimmed: 409 1520', async () => {
  await fullKey('full')
  expectFault(await vault.admin.post(`${vault.keyPath('full')}/rotate`), 409, 1520)
  expect(await vault.encrypt('full', 'AAAA')).toMatch(/^service:v3:/)
  await vault.admin.must('PUT', vault.keyPath('full'), { min_encryption_version: 2, min_decryption_version: 2 })
  await vault.admin.must('POST', `${vault.keyPath('full')}/trim`, { min_available_version: 2 })
  await vault.admin.must('POST', `${vault.keyPath('full')}/rotate`)
  expectFault(await vault.admin.post(`${vault.keyPath('full')}/rotate`), 409, 1520)
})

it('parallel rotations make no more', async () => {
  await vault.admin.must('POST', vault.keyPath('rushed'))
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => vault.admin.post(`${vault.keyPath('rushed')}/rotate`)),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
  for (const answer of answers.filter(({ status }) => status !== 201)) expectFault(answer, 409, 1520)
})

it('a rotation that the age of the key asks for goes on', async () => {
  await fullKey('aged')
  const { keyring } = appliance.services
  const byNone = { grant: () => Promise.reject(new Error('no grant')) }
  await keyring.update(
    byNone,
    await storedKey(appliance, vault.id, 'aged'),
    { autoRotatePeriodMs: 1 },
    appliance.commit,
  )
  expect(await vault.encrypt('aged', 'AAAA')).toMatch(/^service:v[4-9]:/)
})
