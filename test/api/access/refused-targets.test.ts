import { beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests } from '../../support/for-tests.ts'
import type { TestClient } from '../../support/client.ts'
import { contracts } from '../../support/contracts.ts'
import { requestIdOf } from '../../support/fault-kit.ts'

/** Ids of nothing that exists, so that every call is refused, at the latest because it finds nothing. */
const missing: Readonly<Record<string, string>> = {
  vaultid: '900000001',
  name: 'aimed-at',
  version: '904',
  userid: '900000002',
  deviceid: '900000003',
  sessionid: '900000005',
  passkeyid: '900000010',
  linkid: '900000011',
  objectid: '900000006',
  templateid: '900000007',
  type: 'plaintext',
  serviceid: '900000008',
  credentialid: '900000009',
  needle: 'looked-for',
}
/** Search texts and types of answers are not targets of a record. */
const noTargets = ['needle', 'type']
/** Operations that return the caller's own things, whatever he names. */
const ownWhateverNamed = ['usercert.readany']

const aimed = contracts
  .filter(({ path, target, access }) => path.includes('/:') || target !== undefined || access.member !== undefined)
  // Node's client does not support LIST, for which GET is equivalent.
  .filter(({ operation, method }) => method !== 'LIST' && !ownWhateverNamed.includes(operation))
const named = aimed.map((contract) => [`${contract.method} ${contract.path}`, contract] as const)

const appliance = applianceForTests()
const callers: Record<string, TestClient> = {}

beforeAll(async () => {
  callers['a stranger'] = appliance.client()
  callers['a user without capabilities'] = await appliance.login(await appliance.addUser(['active']))
  callers.admin = await appliance.login(await appliance.addUser(['admin', 'createVault', 'read', 'active']))
})

const recordOf = (requestId: string): Record<string, unknown> | undefined =>
  appliance.trail
    .flatMap((text) => text.split('\n').slice(0, -1))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .find((record) => record['requestId'] === requestId)

describe('the audit record of a call that is refused says what it was aimed at', () => {
  it('for a good part of the interface', () => {
    expect(named.length).toBeGreaterThan(40)
    expect(new Set(aimed.flatMap(({ path }) => path.match(/(?<=:)[a-z]+/g) ?? []))).toEqual(
      new Set(Object.keys(missing)),
    )
  })

  it.each(named)('%s', async (_name, { method, path, target, access }) => {
    const parameters: readonly string[] = path.match(/(?<=:)[a-z]+/g) ?? []
    const address = path.replace(/:([a-z]+)/g, (_match, name: string) => missing[name] ?? '')
    const body = {
      ...(target && { [target.member]: 'named-in-the-body' }),
      ...(access.member !== undefined && { [access.member]: missing['vaultid'] }),
    }
    for (const [who, client] of Object.entries(callers)) {
      const answer = await client.call(method, address, method === 'GET' || method === 'LIST' ? {} : { body })
      // A search with an empty result is not refused.
      if (answer.status < 400) continue
      const record = recordOf(requestIdOf(answer))
      expect(record?.['outcome'], who).not.toBe('allowed')
      const { vault, key, keyVersion } = record ?? {}
      if (parameters.includes('vaultid') || access.member !== undefined) expect(vault, who).toBe(missing['vaultid'])
      if (parameters.includes('name')) expect(key, who).toBe(missing['name'])
      if (parameters.includes('version')) expect(keyVersion, who).toBe(Number(missing['version']))
      const things = parameters.filter((name) => !['vaultid', 'name', 'version', ...noTargets].includes(name))
      for (const name of things) expect(record?.['subject'], who).toContain(missing[name])
      if (target) expect(record?.['subject'], who).toContain(`${target.noun} named-in-the-body`)
    }
  })

  it('and so does a change of a user that a rule refuses, with what was to be changed', async () => {
    const { id } = await appliance.addUser()
    const { admin } = callers
    if (admin === undefined) throw new Error('no administrator')
    const answer = await admin.call('PUT', `/user/${id}`, { body: { username: 'a', status: 3 } })
    expect(answer.status).toBe(400)
    expect(recordOf(requestIdOf(answer))?.['subject']).toBe(`user ${id}: username, status 3`)
  })
})
