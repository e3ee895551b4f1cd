import { beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { makeVault } from '../../support/vault.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance, 'Routers')
let admin: TestClient

beforeAll(async () => {
  admin = vault.admin
})

const vaultKeys = async () => (await appliance.hsm.status())[0]?.token?.objects.vaultKeys ?? 0
const record = async () => (await admin.must('GET', `/vault/${vault.id}`))['VAULT']
const remove = (client: TestClient, id: string) => client.call('DELETE', `/vault/${id}`)

describe('GET /vault/:vaultid', () => {
  it('tells each member about the vault, with his own permission', async () => {
    for (const [permission, status] of [
      ['Read', '1'],
      ['Write', '2'],
      ['Admin', '4'],
    ] as const) {
      const json = await (await vault.member(permission)).must('GET', `/vault/${vault.id}`)
      expect(json.CALLINFO.handler).toBe('GroupHandler')
      expect(json['VAULT']).toEqual([
        { id: vault.id, groupname: 'Routers', policy: '16', description: 'Routers', status, statustext: permission },
      ])
      expect(json).toMatchObject({ OBJECTS: [], TEMPLATES: [] })
    }
  })

  it('knows nothing of a vault that is not shared, or not there', async () => {
    const stranger = await appliance.login()
    expectFault(await stranger.get(`/vault/${vault.id}`), 404, 1400)
    for (const id of [
      '0',
      '-1',
      '999999',
      '0x1',
      '1e1',
      'abc',
      '9007199254740993',
      '1.0',
      '%00',
      ' 1',
      `${vault.id}%20`,
    ])
      expectFault(await admin.get(`/vault/${id}`), 404, 1400)
  })
})

describe('PUT /vault/:vaultid', () => {
  const changes: readonly (readonly [string, Record<string, unknown>, Record<string, string>])[] = [
    ['groupname', { groupname: 'Switches' }, { groupname: 'Switches' }],
    ['vaultname', { vaultname: ' Core ' }, { groupname: 'Core' }],
    ['policy as text', { policy: '8' }, { policy: '8' }],
    ['policy as number', { policy: 7 }, { policy: '7' }],
    ['description', { description: 'floor 2\n\u{1f511}' }, { description: 'floor 2\n\u{1f511}' }],
    ['an empty description', { description: '' }, { description: '' }],
    ['nothing', {}, {}],
    ['unknown members', { id: '1', status: '1', objects: [] }, {}],
  ]
  it.each(changes)('changes %s and leaves the rest', async (_what, body, changed) => {
    const [before] = (await record()) as [object]
    const { CALLINFO, VAULT } = await admin.must('PUT', `/vault/${vault.id}`, body)
    expect(CALLINFO).toMatchObject({ handler: 'VaultHandler', message: 'Vault updated' })
    expect(VAULT).toEqual([{ ...before, ...changed }])
    expect(await record()).toEqual(VAULT)
  })

  const refused: readonly (readonly [string, unknown, number])[] = [
    ['an empty name', { groupname: '' }, 1804],
    ['a name of blanks', { groupname: '  ' }, 1804],
    ['a name of 129 characters', { vaultname: 'x'.repeat(129) }, 1804],
    ['a control character', { vaultname: 'a\u0007' }, 1804],
    ['null', { vaultname: null }, 1804],
    ['a list', { groupname: ['a'] }, 1804],
    ['two names', { vaultname: 'one', groupname: 'other' }, 1804],
    ['an unknown policy', { policy: '99' }, 1401],
    ['a policy in hexadecimal', { policy: '0x7' }, 1804],
    ['a broken policy', { policy: 7.5 }, 1804],
    ['an object as description', { description: {} }, 1804],
    ['a description of a megabyte', { description: 'x'.repeat(1_000_000) }, 1804],
  ]
  it.each(refused)('refuses %s and changes nothing', async (_what, body, code) => {
    const before = await record()
    expectFault(await admin.call('PUT', `/vault/${vault.id}`, { body }), 400, code)
    expect(await record()).toEqual(before)
  })

  it('needs Admin, whatever the user is on the appliance', async () => {
    const path = `/vault/${vault.id}`
    const body = { vaultname: 'Mine' }
    const administrator = await appliance.addUser(['read', 'createVault', 'admin', 'active'])
    const session = await appliance.login(administrator)
    expectFault(await session.call('PUT', path, { body }), 404, 1400)
    for (const permission of ['Read', 'Write'] as const)
      expectFault(await (await vault.member(permission)).call('PUT', path, { body }), 403, 1301)
    await vault.share(String(administrator.id), 'Write')
    expectFault(await session.call('PUT', path, { body }), 403, 1301)
  })
})

describe('DELETE /vault/:vaultid', () => {
  it('deletes an empty vault with its members, and its data key in the token', async () => {
    const before = await vaultKeys()
    const doomed = await makeVault(appliance, 'Doomed')
    const reader = await doomed.member('Read')
    expect(await vaultKeys()).toBe(before + 1)
    const { CALLINFO } = await doomed.admin.must('DELETE', `/vault/${doomed.id}`)
    expect(CALLINFO).toMatchObject({ handler: 'GroupHandler', message: 'Vault deleted' })
    expect(await vaultKeys()).toBe(before)
    for (const client of [doomed.admin, reader]) {
      expect((await client.must('GET', '/vault'))['VAULTS']).toEqual([])
      for (const path of ['', '/members']) expectFault(await client.get(`/vault/${doomed.id}${path}`), 404, 1400)
    }
    expectFault(await remove(doomed.admin, doomed.id), 404, 1400)
    expect(await appliance.store.query('SELECT * FROM pending_destructions', [])).toEqual([])
  })

  it('keeps a vault that holds a key, or one that can still be taken back', async () => {
    const full = await makeVault(appliance, 'Full')
    await full.encrypt('k', 'AAAA')
    const refusal = await remove(full.admin, full.id)
    expectFault(refusal, 409, 1402)
    expect(refusal.json.ERRORS?.[0]).toContain('1 key')
    await full.admin.must('DELETE', `/transparent/${full.id}/keys/k`)
    expectFault(await remove(full.admin, full.id), 409, 1402)
    expect((await full.admin.must('GET', `/vault/${full.id}/members`)).CALLINFO['vaultmembers']).toHaveLength(1)
  })

  it('needs Admin in the vault and the capability to create vaults', async () => {
    const shared = await makeVault(appliance, 'Shared')
    for (const permission of ['Read', 'Write'] as const)
      expectFault(await remove(await shared.member(permission), shared.id), 403, 1301)
    const modest = await appliance.addUser(['read', 'active'])
    await shared.share(String(modest.id), 'Admin')
    expectFault(await remove(await appliance.login(modest), shared.id), 403, 1300)
    const administrator = await appliance.login(await appliance.addUser(['read', 'createVault', 'admin', 'active']))
    expectFault(await remove(administrator, shared.id), 404, 1400)
    await shared.admin.must('DELETE', `/vault/${shared.id}`)
  })

  it('takes one of many deletions at once, and answers what is put in meanwhile with 201 and 409, or 404', async () => {
    for (let round = 0; round < 20; round++) {
      const racing = await makeVault(appliance, 'Racing')
      const put = () =>
        round % 2 === 0
          ? racing.admin.post(`/transparent/${racing.id}/keys/k${round}`, {})
          : racing.admin.post(`/transparent/${racing.id}/encrypt/k${round}`, { plaintext: 'AAAA' })
      const [made, ...removed] = await Promise.all([
        put(),
        ...Array.from({ length: 4 }, () => remove(racing.admin, racing.id)),
      ])
      const statuses = removed.map(({ status }) => status)
      if (made?.status === 201) expect(statuses.every((status) => status === 409)).toBe(true)
      else {
        expect([404, 409]).toContain(made?.status)
        expect(statuses.filter((status) => status === 200)).toHaveLength(1)
        expect(statuses.every((status) => [200, 404, 409].includes(status))).toBe(true)
      }
    }
  })
})

it('gives an administrator no way into a vault that is not shared with him, at no address of it', async () => {
  const administrator = await appliance.login(
    await appliance.addUser(['read', 'createVault', 'admin', 'audit', 'active']),
  )
  const me = '1'
  const calls: readonly (readonly [string, string, unknown?])[] = [
    ['GET', ''],
    ['PUT', '', { vaultname: 'Mine' }],
    ['DELETE', ''],
    ['GET', '/members'],
    ['POST', `/member/${me}`, { status: 4 }],
    ['PUT', `/member/${me}`, { status: 4 }],
    ['DELETE', `/member/${me}`],
  ]
  for (const [method, path, body] of calls)
    expectFault(await administrator.call(method, `/vault/${vault.id}${path}`, { body }), 404, 1400)
})
