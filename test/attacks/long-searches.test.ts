import { beforeAll, expect, it } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../support/for-tests.ts'
import { expectFault, type TestClient } from '../support/client.ts'
import { createObject } from '../support/object-kit.ts'

const appliance = applianceForTests(() => TestAppliance.own())
const vault = vaultForTests(appliance)
let member: TestClient

beforeAll(async () => {
  member = await vault.member('Write')
})

/** Nearly matches everywhere in a text of `u`. */
const expensive = `/find?needle=${'u'.repeat(250)}x`

it('searches through much text are read two at once in a worker, and in turns with other calls', async () => {
  const fill = { username: 'u'.repeat(16_000) }
  for (let at = 0; at < 600; at += 20)
    await Promise.all(Array.from({ length: 20 }, () => createObject(member, vault.id, fill)))
  const searches = await Promise.all(Array.from({ length: 24 }, () => member.get(expensive)))
  const refused = searches.filter(({ status }) => status !== 200)
  // The limit holds at each moment: searches arrive one after another, so that more than two are answered in all.
  expect(refused.length).toBeGreaterThan(0)
  for (const answer of refused) {
    expectFault(answer, 429, 1820)
    expect(answer.headers['retry-after']).toBeDefined()
  }
  const [, ...others] = await Promise.all([member.get(expensive), ...[1, 2].map(() => vault.admin.get('/vault'))])
  expect(others.map(({ status }) => status)).toEqual([200, 200])
})
