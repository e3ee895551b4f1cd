import { readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'

const appliance = applianceForTests()
let client: TestClient

beforeAll(async () => {
  client = await appliance.login(await appliance.addUser(['active']))
})

it('GET /utils/statusvalues names the bits of users and of vaults', async () => {
  const { CALLINFO } = await client.must('GET', '/utils/statusvalues')
  expect([CALLINFO.handler, CALLINFO['statusbits']]).toEqual([
    'UtilsHandler',
    {
      userbits: { Read: 0, Write: 1, Admin: 2, Audit: 3, Escrow: 4, Changepass: 6, Active: 7, 'UG-list': 8, Mail: 9 },
      vaultbits: { Read: 0, Write: 1, Admin: 2 },
    },
  ])
})

it('GET /utils/version tells version and build', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const { CALLINFO } = await client.must('GET', '/utils/version')
  expect([CALLINFO.handler, CALLINFO['version']]).toEqual([
    'UtilsHandler',
    expect.stringMatching(/^\d+\.\d+\.\d+-build\d{4}$/),
  ])
  expect(CALLINFO['version']).toMatch(new RegExp(`^${version.replaceAll('.', '\\.')}-`))
})

it('status values, version and policies are refused to callers without a session', async () => {
  for (const path of ['/utils/statusvalues', '/utils/version', '/utils/policies'])
    expectFault(await appliance.client().get(path), 403, 1200)
})
