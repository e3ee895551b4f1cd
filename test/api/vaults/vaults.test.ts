import { beforeAll, describe, expect, it } from 'vitest'
import type { TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { makeVault } from '../../support/vault.ts'

const appliance = applianceForTests()
let user: TestUser
let client: TestClient

beforeAll(async () => {
  user = await appliance.addUser()
  client = await appliance.login(user)
})

const create = (body: unknown) => client.post('/vault', body)
const vaultKeys = async () => (await appliance.hsm.status())[0]?.token?.objects.vaultKeys ?? 0

describe('POST /vault', () => {
  it('makes a vault with its creator as Admin, and a key of its own in the token', async () => {
    const before = await vaultKeys()
    const { status, json } = await create({ vaultname: 'Routers', policy: '7', description: 'core' })
    expect(status).toBe(200)
    const record = {
      id: expect.stringMatching(/^\d+$/),
      groupname: 'Routers',
      policy: '7',
      description: 'core',
      status: '4',
      statustext: 'Admin',
    }
    expect(json['VAULT']).toEqual([record])
    expect(json['VAULTS']).toEqual(json['VAULT'])
    expect(json.CALLINFO).toMatchObject({ handler: 'VaultHandler', message: 'Vault created' })
    expect(await vaultKeys()).toBe(before + 1)
  })

  const accepted: readonly (readonly [string, Record<string, unknown>, Record<string, string>])[] = [
    ['groupname', { groupname: 'Group', policy: '8' }, { groupname: 'Group', policy: '8', description: 'Group' }],
    ['a policy as number', { vaultname: 'Number', policy: 8 }, { policy: '8' }],
    ['no policy', { vaultname: 'Free' }, { policy: '16', description: 'Free' }],
    ['an empty description', { vaultname: 'Terse', description: '' }, { description: '' }],
    ['one name twice', { vaultname: 'Twice', groupname: ' Twice' }, { groupname: 'Twice' }],
    ['blanks around the name', { vaultname: '  Wide  ' }, { groupname: 'Wide' }],
    ['four-byte characters', { vaultname: '\u{1f511} Schlüssel' }, { groupname: '\u{1f511} Schlüssel' }],
    ['a name that is taken', { vaultname: 'Routers' }, { groupname: 'Routers' }],
    ['128 characters', { vaultname: 'x'.repeat(128) }, { groupname: 'x'.repeat(128) }],
  ]
  it.each(accepted)('accepts %s', async (_what, body, record) => {
    const { status, json } = await create(body)
    expect([status, json['VAULT']]).toMatchObject([200, [record]])
  })

  const refused: readonly (readonly [string, unknown, number])[] = [
    ['no name', { policy: '7' }, 1804],
    ['an empty name', { vaultname: '' }, 1804],
    ['a name of blanks', { vaultname: '   ' }, 1804],
    ['a name of 129 characters', { vaultname: 'x'.repeat(129) }, 1804],
    ['a name with a line end', { vaultname: 'a\nb' }, 1804],
    ['a number as name', { vaultname: 7 }, 1804],
    ['null as name', { vaultname: null }, 1804],
    ['a list as name', { vaultname: ['a'] }, 1804],
    ['two names', { vaultname: 'one', groupname: 'other' }, 1804],
    ['an unknown policy', { vaultname: 'x', policy: '99' }, 1401],
    ['a policy that is no number', { vaultname: 'x', policy: 'strong' }, 1804],
    ['a policy with a zero before its id', { vaultname: 'x', policy: '07' }, 1804],
    ['a policy below zero', { vaultname: 'x', policy: -1 }, 1401],
    ['a description of a megabyte', { vaultname: 'x', description: 'x'.repeat(1_000_000) }, 1804],
  ]
  it.each(refused)('refuses %s and makes nothing', async (_what, body, code) => {
    const before = [await vaultKeys(), (await client.must('GET', '/vault'))['VAULTS']]
    expectFault(await create(body), 400, code)
    expect([await vaultKeys(), (await client.must('GET', '/vault'))['VAULTS']]).toEqual(before)
  })

  it('needs the capability to create vaults', async () => {
    const reader = await appliance.login(await appliance.addUser(['read', 'active']))
    const answer = await reader.post('/vault', { vaultname: 'x' })
    expectFault(answer, 403, 1300)
    expect(answer.json.ERRORS).toEqual(['This call needs the capability createVault: ask an administrator for it.'])
  })
})

describe('GET /vault', () => {
  it('lists what is shared with the caller, with his permission, and nothing else', async () => {
    const vault = await makeVault(appliance, 'Shared')
    const newcomer = await appliance.addUser()
    const session = await appliance.login(newcomer)
    expect((await session.must('GET', '/vault'))['VAULTS']).toEqual([])
    for (const [permission, status] of [
      ['Read', '1'],
      ['Write', '2'],
      ['Admin', '4'],
    ] as const) {
      await vault.share(String(newcomer.id), permission)
      const json = await session.must('GET', '/vault')
      expect(json.CALLINFO.handler).toBe('GroupHandler')
      expect(json['VAULTS']).toEqual([
        { id: vault.id, groupname: 'Shared', policy: '16', description: 'Shared', status, statustext: permission },
      ])
    }
    await vault.share(String(newcomer.id), undefined)
    expect((await session.must('GET', '/vault'))['VAULTS']).toEqual([])
  })

  it('gives an administrator no way into vaults that are not shared with him', async () => {
    const vault = await makeVault(appliance, 'Private')
    const administrator = await appliance.login(await appliance.addUser(['read', 'createVault', 'admin', 'active']))
    expect((await administrator.must('GET', '/vault'))['VAULTS']).toEqual([])
    expectFault(await administrator.get(`/vault/${vault.id}/members`), 404, 1400)
    expectFault(await administrator.post(`/transparent/${vault.id}/encrypt/k`, { plaintext: 'AAAA' }), 404, 1400)
  })
})

describe('GET /vault/:vaultid/members', () => {
  it('lists the members to each of them, as the interface writes them', async () => {
    const [{ id }] = (await client.must('POST', '/vault', { vaultname: 'Members' }))['VAULT'] as [{ id: string }]
    const json = await client.must('GET', `/vault/${id}/members`)
    expect(json.CALLINFO.handler).toBe('VaultmembersHandler')
    expect(json.CALLINFO['vaultmembers']).toEqual([
      {
        id: String(user.id),
        username: user.username,
        fullname: expect.stringMatching(/^User/),
        email: `${user.username}@example.test`,
        groupstatus: '4',
        status: '131',
      },
    ])
  })

  it('shows them to a Read member, and a vault that is not there to nobody', async () => {
    const vault = await makeVault(appliance, 'Seen')
    const reader = await vault.member('Read')
    expect((await reader.must('GET', `/vault/${vault.id}/members`)).CALLINFO['vaultmembers']).toHaveLength(2)
    expectFault(await client.get(`/vault/${vault.id}/members`), 404, 1400)
    for (const id of ['0', '-1', '999999', '0x1', '1e1', 'abc', '9007199254740993', '1.0'])
      expectFault(await client.get(`/vault/${id}/members`), 404, 1400)
  })
})

describe('GET /utils/policies', () => {
  it('lists the policies that vaults may have, with the rules that apply and no others', async () => {
    const { CALLINFO } = await client.must('GET', '/utils/policies')
    const policies = CALLINFO['policies'] as { id: number; name: string; rules: Record<string, number> }[]
    expect(CALLINFO.handler).toBe('UtilsHandler')
    expect(policies.map(({ id }) => id)).toEqual([7, 8, 2, 5, 13, 17, 16])
    expect(policies[0]).toEqual({
      id: 7,
      name: expect.stringContaining('14'),
      rules: {
        min_length: 14,
        min_lowercase_chars: 1,
        min_uppercase_chars: 1,
        min_numeric_chars: 1,
        min_nonalphanumeric_chars: 1,
      },
    })
    for (const { rules } of policies) expect(Object.values(rules).every((rule) => rule > 0)).toBe(true)
  })
})
