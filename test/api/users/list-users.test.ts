import { operatorId } from '../../../src/access/confirmation.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'

const appliance = applianceForTests(() => TestAppliance.own())
let user: TestUser
let administrator: TestClient
let sharer: TestClient

const passphrase = 'correct horse battery staple'
const people = [
  ['anna.svensson', 'Anna Svensson', 'anna@north.example'],
  ['asa_aberg', 'ÅSA ÅBERG', 'asa@north.example'],
  ['percent', '100% Percy', 'percy@south.example'],
  ['backslash', 'Back\\Slash', 'back@south.example'],
  ['key-keeper', '\u{1f511} Keeper', 'keys@south.example'],
] as const

beforeAll(async () => {
  user = await appliance.addUser(['read', 'createVault', 'admin', 'audit', 'active'])
  administrator = await appliance.login(user)
  sharer = await appliance.login(await appliance.addUser(['createVault', 'active']))
  for (const [username, fullname, email] of people)
    await appliance.services.users.create(
      { username, fullname, email, passphrase, capabilities: 131 },
      operatorId,
      appliance.commit,
    )
})

type UserRecord = Record<string, string>
const found = async (client: TestClient, path: string): Promise<UserRecord[]> =>
  (await client.must('GET', path)).CALLINFO['users'] as UserRecord[]
const names = async (path: string): Promise<(string | undefined)[]> =>
  (await found(administrator, path)).map(({ username }) => username)

describe('GET /user', () => {
  it('shows administrators every user with every field, as text', async () => {
    const json = await administrator.must('GET', '/user')
    expect(json.CALLINFO.handler).toBe('UserHandler')
    const users = json.CALLINFO['users'] as UserRecord[]
    expect(users).toHaveLength(2 + people.length)
    expect(users.find(({ id }) => id === String(user.id))).toEqual({
      id: String(user.id),
      username: user.username,
      fullname: expect.stringMatching(/^User/),
      email: `${user.username}@example.test`,
      status: '143',
      otpprefix: user.hardwareToken.publicId,
      fingerprint: expect.stringMatching(/^[0-9A-F]{40}$/),
      tags: [],
      bits: { 0: 'Read', 1: 'Write', 2: 'Admin', 3: 'Audit', 7: 'Active' },
    })
    expect(users.find(({ username }) => username === 'percent')).toMatchObject({ status: '131', otpprefix: '' })
  })

  it('shows those who make vaults nothing but id, full name and e-mail address', async () => {
    const users = await found(sharer, '/user')
    expect(users).toHaveLength(2 + people.length)
    for (const record of users) expect(Object.keys(record)).toEqual(['id', 'fullname', 'email'])
  })

  it('shows nothing to others', async () => {
    const reader = await appliance.login(await appliance.addUser(['read', 'audit', 'active']))
    for (const path of ['/user', '/user?searchstring=anna', '/user/anna', `/user/${user.id}`])
      expectFault(await reader.get(path), 403, 1300)
    expect((await reader.get('/user')).json.ERRORS?.join()).toContain('the capability admin or createVault:')
    expectFault(await appliance.client().get('/user'), 403, 1200)
  })
})

describe('a search', () => {
  const searches: readonly (readonly [string, string, readonly string[]])[] = [
    ['a part of a login name', 'na.sv', ['anna.svensson']],
    ['a part of a full name, in another case', 'ANNA S', ['anna.svensson']],
    ['letters beyond ASCII, in another case', 'åsa åb', ['asa_aberg']],
    ['letters that came decomposed', 'A\u030asa', ['asa_aberg']],
    ['a part of an e-mail address', '@north', ['anna.svensson', 'asa_aberg']],
    ['a percent sign', '0% P', ['percent']],
    ['a percent sign that is no wildcard', '1%P', []],
    ['an underscore', 'a_a', ['asa_aberg']],
    ['an underscore that is no wildcard', 'a_n', []],
    ['a backslash', 'k\\S', ['backslash']],
    ['a four-byte character', '\u{1f511}', ['key-keeper']],
    ['a quote', "'", []],
    ['15 characters', 'ANNA SVENSSONXX', []],
    ['nothing that is there', 'zzzz', []],
    ['text over two fields', 'svensson\u2028anna', []],
  ]
  it.each(searches)('finds by %s: %j', async (_what, text, expected) => {
    const query = encodeURIComponent(text)
    expect(await names(`/user?searchstring=${query}`)).toEqual(expected)
    expect(await names(`/user/${query}`)).toEqual(expected)
  })

  it('does not match login names for users who may not see them', async () => {
    expect(await found(sharer, '/user?searchstring=key-keeper')).toEqual([])
    expect(await found(sharer, '/user/percent')).toEqual([])
    expect(await found(sharer, '/user/Percy')).toMatchObject([{ fullname: '100% Percy' }])
    expect(await found(sharer, '/user/%40south')).toHaveLength(3)
  })

  it('reads a plus as a blank, and an empty search as none', async () => {
    expect(await names('/user?searchstring=Anna+Sven')).toEqual(['anna.svensson'])
    expect(await names('/user?searchstring=')).toHaveLength((await names('/user')).length)
  })

  it.each([
    ['16 characters', 'x'.repeat(16)],
    ['a line break', 'a%0Ab'],
    ['a NUL', 'a%00'],
    ['DEL', 'a%7F'],
  ])('with %s: 400 1804', async (_what, text) => {
    expectFault(await administrator.get(`/user?searchstring=${text}`), 400, 1804)
    expectFault(await administrator.get(`/user/${text}`), 400, 1804)
  })

  it('twice in one call: 400 1804', async () => {
    expectFault(await administrator.get('/user?searchstring=a&searchstring=b'), 400, 1804)
  })
})

describe('a list page by page', () => {
  const pageOf = async (query: string): Promise<{ ids: string[]; next: string | undefined }> => {
    const { CALLINFO } = await administrator.must('GET', `/user?${query}`)
    const ids = (CALLINFO['users'] as UserRecord[]).map(({ id }) => id ?? '')
    return { ids, next: CALLINFO['next'] as string | undefined }
  }

  it('has every user once, in the order of the whole list', async () => {
    const all = (await found(administrator, '/user')).map(({ id }) => id)
    const seen: string[] = []
    for (let query = 'limit=3'; ;) {
      const { ids, next } = await pageOf(query)
      seen.push(...ids)
      if (next === undefined) break
      expect(ids).toHaveLength(3)
      query = `limit=3&next=${next}`
    }
    expect(seen).toEqual(all)
  })

  it('goes on where it was while a user of the page before is changed, and finds what a search finds', async () => {
    const first = await pageOf('searchstring=%40south&limit=2')
    expect(first.ids).toHaveLength(2)
    await administrator.must('PUT', `/user/${first.ids[0]}`, { fullname: 'Another Name' })
    const { ids, next } = await pageOf(`searchstring=%40south&limit=2&next=${first.next}`)
    expect([ids.length, next]).toEqual([1, undefined])
    expect(first.ids).not.toContain(ids[0])
  })

  it('that is full names no next one where nothing is left', async () => {
    expect((await pageOf('searchstring=%40north&limit=2')).next).toBeUndefined()
  })

  it('shows those who make vaults no more than a whole one', async () => {
    const { CALLINFO } = await sharer.must('GET', '/user?limit=1')
    expect(CALLINFO['users']).toEqual([
      { id: expect.any(String), fullname: expect.any(String), email: expect.any(String) },
    ])
    expect(await found(sharer, '/user?searchstring=key-keeper&limit=5')).toEqual([])
  })

  it.each(['limit=0', 'limit=1001', 'limit=x', 'limit=2&next=0', 'limit=2&next=x', 'next=1'])(
    '%s: 400 1804',
    async (query) => {
      expectFault(await administrator.get(`/user?${query}`), 400, 1804)
    },
  )
})

describe('GET /user/:userid', () => {
  it('reads one user by id, for each kind of caller', async () => {
    expect(await found(administrator, `/user/${user.id}`)).toMatchObject([
      { id: String(user.id), username: user.username },
    ])
    expect(await found(sharer, `/user/${user.id}`)).toEqual([
      { id: String(user.id), fullname: expect.any(String), email: `${user.username}@example.test` },
    ])
  })

  it.each(['0', '00', '01', '99999', '9007199254740993', '9'.repeat(200)])('%s: 404 1700', async (id) => {
    expectFault(await administrator.get(`/user/${id}`), 404, 1700)
  })

  it.each(['-4294967297', '0x1', '1e30', '1.0', '%D9%A1', "1'"])('%s is no id but a search', async (text) => {
    expect(await found(administrator, `/user/${text}`)).toEqual([])
  })
})
