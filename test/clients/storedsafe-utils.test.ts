import type { StoredSafe } from 'storedsafe'
import { beforeAll, expect, it } from 'vitest'
import { applianceForTests } from '../support/for-tests.ts'
import { accepted, npmClient, startForClients } from './client-kit.ts'

const appliance = applianceForTests(startForClients)
let client: StoredSafe

beforeAll(async () => {
  client = await npmClient(appliance, await appliance.addUser())
})

it('lists policies, bits and the version', async () => {
  const policies = accepted(await client.passwordPolicies()).data?.CALLINFO.policies ?? []
  expect(policies.map(({ id }) => id)).toEqual(expect.arrayContaining([7, 8, 2, 5, 13, 16]))
  for (const { rules } of policies) for (const rule of Object.values(rules)) expect(rule).toBeGreaterThan(0)
  expect(accepted(await client.statusValues()).data?.CALLINFO.statusbits).toMatchObject({
    userbits: { Active: 7, Admin: 2, Audit: 3, Changepass: 6, Read: 0, Write: 1 },
    vaultbits: { Admin: 2, Read: 0, Write: 1 },
  })
  expect(accepted(await client.version()).data?.CALLINFO.version).toMatch(/^\d+\.\d+\.\d+-build\d{4}$/)
})

it('generates passwords of every type that it knows', async () => {
  const generate = async (params?: Parameters<StoredSafe['generatePassword']>[0]) =>
    accepted(await client.generatePassword(params)).data?.CALLINFO
  expect(await generate()).toMatchObject({ type: 'secure', length: 40 })
  expect(await generate({ type: 'pronouncable', length: 12 })).toMatchObject({
    passphrase: expect.stringMatching(/^[a-z]{12}$/),
  })
  expect(await generate({ type: 'diceword', language: 'en_US', words: 6, delimeter: 'dash' })).toMatchObject({
    passphrase: expect.stringMatching(/^([a-z]+-){5}[a-z]+$/),
  })
  expect(await generate({ policyid: '7' })).toMatchObject({ length: 20 })
})
