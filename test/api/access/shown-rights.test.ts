import { readFileSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import type { Permission } from '../../../src/access/permission.ts'
import { describeInterface } from '../../../src/http/contract/openapi.ts'
import { expectFault, type Answer, type TestClient } from '../../support/client.ts'
import { contracts } from '../../support/contracts.ts'
import { peopleCalls } from '../../support/people-calls.ts'
import type { Need } from '../../support/people-ground.ts'
import type { TestVault } from '../../support/vault.ts'

const document = describeInterface(contracts)

/** The text of the OpenAPI document about who may call. */
function rightsOf(name: string): string {
  const [method = '', path = ''] = name.replace(/ \(.*/, '').split(' ')
  const item = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]
  return item?.[method.toLowerCase()]?.description.split('\n\n')[0] ?? ''
}

function saysNeed(rights: string, need: Need): boolean {
  const [permission = '', capability] = need.split(' and ')
  if (['Read', 'Write', 'Admin'].includes(permission))
    return (
      (rights.includes(`with ${permission} or more.`) || rights.includes(` needs ${permission}.`)) &&
      (capability === undefined || rights.includes(`capability ${capability}`))
    )
  if (need === 'session' || need === 'maker') return rights === 'Needs a session.'
  return need.split(' or ').every((one) => new RegExp(`capability .*\\b${one}\\b`).test(rights))
}

describe('rights in the OpenAPI document', () => {
  it.each(Object.entries(peopleCalls))('of %s are those that the appliance was seen to ask for', (name, { needs }) => {
    expect(saysNeed(rightsOf(name), needs), `${needs}: ${rightsOf(name)}`).toBe(true)
  })

  it('stand in the contracts, which the pipeline checks: no contract lists a refusal by hand', () => {
    for (const { operation, faults = [] } of contracts)
      expect([
        operation,
        ...faults.filter((code) => code.startsWith('access.p') || code === 'access.capability'),
      ]).toEqual([operation])
  })

  it('are checked by no route itself', () => {
    const features = resolve(import.meta.dirname, '../../../src/features')
    const routes = readdirSync(features, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /routes\/.*\.ts$/.test(file),
    )
    expect(routes.length).toBeGreaterThan(70)
    for (const file of routes)
      expect(readFileSync(resolve(features, file), 'utf8'), file).not.toMatch(/'access\.(permission|capability)'/)
  })
})

/** A call for each form that needs more than the others, and the permission just below its need. */
interface Row {
  readonly below: Permission
  readonly enough: Permission
  readonly call: (vault: TestVault, client: TestClient) => Promise<Answer>
}

const input = 'AAAA'
const post =
  (path: (id: string) => string, body: object): Row['call'] =>
  (vault, client) =>
    client.post(path(vault.id), body)

const rows: Readonly<Record<string, Row>> = {
  'vault.member.remove: Removing others': {
    below: 'Write',
    enough: 'Admin',
    call: async (vault, client) => client.call('DELETE', `/vault/${vault.id}/member/${otherMember}`),
  },
  'transparent.encrypt: Making a key that the vault does not have': {
    below: 'Read',
    enough: 'Write',
    call: post((id) => `/transparent/${id}/encrypt/new-key`, { plaintext: input }),
  },
  'transparent.datakey: A data key in the open': {
    below: 'Read',
    enough: 'Write',
    call: post((id) => `/transparent/${id}/datakey/plaintext/master`, {}),
  },
  'transparent.sign: Signing': {
    below: 'Read',
    enough: 'Write',
    call: post((id) => `/transparent/${id}/sign/signer`, { input }),
  },
  'transparent.key.list: Listing deleted keys': {
    below: 'Write',
    enough: 'Admin',
    call: (vault, client) => client.get(`/transparent/${vault.id}/keys?deleted=true`),
  },
  'transparent.restore: `force`': {
    below: 'Write',
    enough: 'Admin',
    call: async (vault, client) => {
      const { KEYS } = await vault.admin.must('GET', `/transparent/backup/${vault.id}/master`)
      const { backup } = KEYS as { backup: string }
      return client.post(`/transparent/restore/${vault.id}/master`, { backup, force: true })
    },
  },
}

const appliance = applianceForTests()
const vault = vaultForTests(appliance)
let otherMember: number

beforeAll(async () => {
  await vault.encrypt('master', input)
  await vault.admin.must('POST', `/transparent/${vault.id}/keys/signer`, { type: 'ecdsa-p256' })
  otherMember = (await appliance.addUser()).id
  await vault.share(String(otherMember), 'Read')
})

describe('a form that needs more in the vault', () => {
  const forms = contracts.flatMap(({ operation, demanding = [] }) =>
    demanding.map(({ what }) => [`${operation}: ${what}`, operation, what] as const),
  )

  it('has a row', () => {
    // LIST and GET have the same operation.
    expect(Object.keys(rows).toSorted()).toEqual([...new Set(forms.map(([name]) => name))].toSorted())
  })

  it.each(forms)('%s: is shown, and refused to those who have less', async (name, operation, what) => {
    const row = rows[name]
    if (row === undefined) throw new Error(`no row for ${name}`)
    const shown = Object.values(document.paths).flatMap((item) => Object.values(item))
    const { description = '' } = shown.find(({ operationId }) => operationId === operation) ?? {}
    expect(description).toContain(`${what} needs `)
    expect(description).toContain(row.enough)

    const refused = await row.call(vault, await vault.member(row.below))
    expectFault(refused, 403, 1301)
    expect(refused.json.ERRORS?.[0]).toBe(`${what} needs ${row.enough} in the vault; you have ${row.below}.`)
    expect((await row.call(vault, await vault.member(row.enough))).status).toBeLessThan(300)
  })

  it('signing follows what the vault has set', async () => {
    await vault.admin.must('PUT', `/transparent/${vault.id}/settings`, { signing_permission: 'Admin' })
    const path = `/transparent/${vault.id}/sign/signer`
    expectFault(await (await vault.member('Write')).post(path, { input }), 403, 1301)
    expect((await (await vault.member('Admin')).post(path, { input })).status).toBe(200)
  })
})

describe('the sessions of a user', () => {
  it('are shown to the user, and to others who hold admin alone', async () => {
    expect(rightsOf('GET /user/:userid/sessions')).toBe(
      'Needs a session. The user needs the capability admin, for other users than oneself.',
    )
    const user = await appliance.addUser()
    const own = await appliance.login(user)
    expect((await own.get(`/user/${user.id}/sessions`)).status).toBe(200)
    expectFault(await own.get(`/user/${otherMember}/sessions`), 403, 1300)
    expectFault(await own.get('/user/0/sessions'), 403, 1300)
  })
})
