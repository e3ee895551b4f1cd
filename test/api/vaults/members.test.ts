import { beforeAll, describe, expect, it } from 'vitest'
import type { TestUser } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)
let admin: TestClient

beforeAll(async () => {
  admin = vault.admin
})

const path = (userId: string | number): string => `/vault/${vault.id}/member/${userId}`
const members = async (): Promise<Record<string, string>> => {
  const { CALLINFO } = await admin.must('GET', `/vault/${vault.id}/members`)
  return Object.fromEntries(
    (CALLINFO['vaultmembers'] as { id: string; groupstatus: string }[]).map(({ id, groupstatus }) => [id, groupstatus]),
  )
}
const disable = ({ username }: TestUser) => appliance.services.users.disable(username, appliance.commit)
const ownId = async (): Promise<string> => Object.keys(await members())[0] ?? ''

describe('a member', () => {
  it('is added, changed and removed, with the words of the interface, and each counts at once', async () => {
    const user = await appliance.addUser()
    const session = await appliance.login(user)
    const statuses: readonly (readonly [string, string | number, string])[] = [
      ['POST', 1, 'User added'],
      ['PUT', '2', 'User updated'],
      ['PUT', 4, 'User updated'],
      ['PUT', '4', 'User updated'],
      ['PUT', '1', 'User updated'],
    ]
    for (const [method, status, message] of statuses) {
      const { CALLINFO, DATA } = await admin.must(method, path(user.id), { status })
      expect(CALLINFO).toMatchObject({ handler: 'VaultmembersHandler', message })
      expect(DATA).toMatchObject({ status })
      expect((await members())[user.id]).toBe(String(status))
      expect((await session.must('GET', '/vault'))['VAULTS']).toMatchObject([{ id: vault.id, status: String(status) }])
    }
    const { CALLINFO, DATA } = await admin.must('DELETE', path(user.id))
    expect(CALLINFO).toMatchObject({ handler: 'VaultmembersHandler', message: 'User removed from vault' })
    expect(DATA).toMatchObject({ userid: user.id })
    expectFault(await session.get(`/vault/${vault.id}`), 404, 1400)
  })

  it('may leave, whatever the permission, and comes back only by an Admin', async () => {
    for (const permission of ['Read', 'Write', 'Admin'] as const) {
      const user = await appliance.addUser()
      await vault.share(String(user.id), permission)
      const session = await appliance.login(user)
      await session.must('DELETE', path(user.id))
      expectFault(await session.post(path(user.id), { status: 4 }), 404, 1400)
    }
  })

  it('who is no Admin changes nobody', async () => {
    const user = await appliance.addUser()
    const victim = await appliance.addUser()
    await vault.share(String(victim.id), 'Read')
    const other = await appliance.addUser()
    const session = await appliance.login(user)
    for (const [index, permission] of (['Read', 'Write'] as const).entries()) {
      await admin.must(index === 0 ? 'POST' : 'PUT', path(user.id), { status: permission === 'Read' ? 1 : 2 })
      expectFault(await session.post(path(other.id), { status: 1 }), 403, 1301)
      expectFault(await session.call('PUT', path(user.id), { body: { status: 4 } }), 403, 1301)
      expectFault(await session.call('DELETE', path(victim.id)), 403, 1301)
    }
    expect((await members())[victim.id]).toBe('1')
  })

  it('is added once, and only one who can log in', async () => {
    const user = await appliance.addUser()
    await admin.must('POST', path(user.id), { status: 1 })
    expectFault(await admin.post(path(user.id), { status: 2 }), 409, 1404)
    expect((await members())[user.id]).toBe('1')
    const disabled = await appliance.addUser()
    await disable(disabled)
    expectFault(await admin.post(path(disabled.id), { status: 1 }), 404, 1700)
    const escrow = await appliance.addUser(['read', 'escrow', 'active'])
    expectFault(await admin.post(path(escrow.id), { status: 1 }), 404, 1700)
    const racing = await appliance.addUser()
    const answers = await Promise.all(Array.from({ length: 6 }, () => admin.post(path(racing.id), { status: 1 })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409])
  })

  it('cannot be changed or removed where he is not one of the vault', async () => {
    const stranger = await appliance.addUser()
    for (const id of [stranger.id, 999_999, 0, -1, '0x1', '1e1', 'abc', '%00', '9007199254740993', '9'.repeat(40)]) {
      expectFault(await admin.call('PUT', path(id), { body: { status: 1 } }), 404, 1405)
      expectFault(await admin.call('DELETE', path(id)), 404, 1405)
      if (id !== stranger.id) expectFault(await admin.post(path(id), { status: 1 }), 404, 1700)
    }
  })

  const bad: readonly (readonly [string, unknown])[] = [
    ['nothing', {}],
    ['null', { status: null }],
    ['0', { status: 0 }],
    ['3', { status: 3 }],
    ['8', { status: '8' }],
    ['a sum', { status: 7 }],
    ['a negative', { status: -1 }],
    ['a fraction', { status: 1.5 }],
    ['a word', { status: 'Read' }],
    ['a list', { status: [1] }],
    ['an object', { status: { bit: 1 } }],
    ['true', { status: true }],
    ['blanks', { status: ' 1' }],
    ['hexadecimal', { status: '0x1' }],
  ]
  it.each(bad)('is not given %s as permission', async (_what, body) => {
    const user = await appliance.addUser()
    for (const method of ['POST', 'PUT']) {
      const answer = await admin.call(method, path(user.id), { body })
      expectFault(answer, 400, 1804)
      expect(answer.json.ERRORS?.[0]).toContain('1 (Read), 2 (Write) or 4 (Admin)')
    }
  })
})

describe('the last Admin who can log in', () => {
  it('can neither leave nor be lowered, and an Admin who is disabled does not count', async () => {
    const me = await ownId()
    const attempts = async () => {
      expectFault(await admin.call('DELETE', path(me)), 409, 1403)
      for (const status of [1, 2]) expectFault(await admin.call('PUT', path(me), { body: { status } }), 409, 1403)
      await admin.must('PUT', path(me), { status: 4 })
    }
    await attempts()
    const second = await appliance.addUser()
    await vault.share(String(second.id), 'Admin')
    await disable(second)
    await attempts()
    await admin.must('DELETE', path(second.id))
    expect((await members())[me]).toBe('4')
  })
})
