import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { createObject, readObject, server } from '../../support/object-kit.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)
let admin: TestClient
let id: string

beforeAll(async () => {
  ;({ admin } = vault)
  id = await createObject(admin, vault.id)
})
afterAll(() => expectUnharmed(appliance))

type Row = readonly [what: string, members: object, status: number, code: number]

/** Wrong values of a field, encrypted or not. */
const values: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a list', ['x']],
  ['an object', { x: 'x' }],
  ['true', true],
  // JSON.parse rounds it, and writes 1.10 as 1.1: the value would not come back as it was sent.
  ['a number of 19 digits', 4_111_111_111_111_111_000],
  ['a fraction', 1.5],
  ['a line end', 'a\nb'],
  ['a control character', 'a\u0007b'],
  ['65,537 characters', 'x'.repeat(65_537)],
  ['a megabyte', 'x'.repeat(1_000_000)],
]
const ofFields: Row[] = ['host', 'password'].flatMap((field) => [
  ...values.map(([what, value]): Row => [`${what} as ${field}`, { [field]: value }, 400, 1611]),
  [`an empty ${field}`, { [field]: '' }, 400, 1611],
  [`NUL in ${field}`, { [field]: 'a\0b' }, 400, 1800],
  [`half a surrogate pair in ${field}`, { [field]: 'a\ud800' }, 400, 1800],
])

const ids = [
  '-1',
  '0x1',
  '1e1',
  '1.0',
  ' 1',
  '01',
  'abc',
  '',
  '9007199254740993',
  -1,
  1.5,
  1e16,
  null,
  true,
  ['1'],
  { id: 1 },
]
const ofTemplate: Row[] = ids.map((bad) => [`${JSON.stringify(bad)} as templateid`, { templateid: bad }, 400, 1804])
const ofParent: Row[] = ids.map((bad) => [`${JSON.stringify(bad)} as parentid`, { parentid: bad }, 400, 1804])
const ofName: Row[] = [7, ['x'], { x: 1 }, 'a\nb', '\u001b[31m', 'x'.repeat(256), 'x'.repeat(1_000_000)].map((bad) => [
  `${JSON.stringify(bad).slice(0, 30)} as objectname`,
  { objectname: bad },
  400,
  1804,
])

describe('POST /object', () => {
  const count = async () => (await appliance.services.objectReading.ofVault(Number(vault.id), () => undefined)).length
  const rows: Row[] = [
    ...ofFields,
    ...ofTemplate,
    ...ofParent,
    ...ofName,
    ['an unknown template', { templateid: '999999' }, 404, 1600],
    ['template 0', { templateid: 0 }, 404, 1600],
    ['an unknown parent', { parentid: '999999' }, 400, 1612],
    ['a file template without a file', { templateid: '3', file1: 'x' }, 400, 1611],
  ]
  it.each(rows)('refuses %s and makes nothing', async (_what, members, status, code) => {
    const before = await count()
    expectFault(await admin.post('/object', { groupid: vault.id, ...server, ...members }), status, code)
    expect(await count()).toBe(before)
  })

  it.each(['host', 'username', 'password'])('says that %s is missing', async (field) => {
    const answer = await admin.post('/object', { groupid: vault.id, ...server, [field]: undefined })
    expectFault(answer, 400, 1611)
    expect(answer.json.ERRORS?.[0]).toBe(`${field} is missing: the template Server needs it.`)
  })

  it.each(['1e3', '1000.0', '-0', '4111111111111111.1'])(
    'refuses a field with the number %s, which would be stored in another form',
    async (number) => {
      const before = await count()
      const raw = JSON.stringify({ groupid: vault.id, ...server }).replace(/"password":"[^"]*"/, `"password":${number}`)
      const answer = await admin.call('POST', '/object', { raw })
      expectFault(answer, 400, 1800)
      expect(answer.json.ERRORS?.[0]).toContain('password')
      expect(answer.json.ERRORS?.[0]).not.toContain(number)
      const edit = await admin.call('PUT', `/object/${id}`, { raw: `{"password":${number}}` })
      expectFault(edit, 400, 1800)
      expect(await count()).toBe(before)
    },
  )

  it('takes a whole number for a field, and gives it back as text', async () => {
    const made = await createObject(admin, vault.id, { ...server, password: 411_111_111_111_111 })
    expect(await readObject(admin, made, '?decrypt=true')).toMatchObject({ crypted: { password: '411111111111111' } })
  })

  it('takes null for a field that may be empty, and for the name, as left out', async () => {
    const made = await createObject(admin, vault.id, { ...server, objectname: null, info: null })
    expect(await readObject(admin, made)).toMatchObject({ objectname: server.host, public: { info: '' } })
  })

  it('says what is missing of its own members', async () => {
    const { groupid, ...rest } = { groupid: vault.id, ...server }
    const without = await admin.post('/object', rest)
    expectFault(without, 400, 1804)
    expect(without.json.ERRORS?.[0]).toBe('groupid is missing; in a form it stands before the file.')
    const untyped = await admin.post('/object', { groupid, host: 'x' })
    expectFault(untyped, 400, 1804)
    expect(untyped.json.ERRORS?.[0]).toBe('templateid is missing.')
  })

  it.each(['0', '-1', '999999', '0x1', 'abc', '9007199254740993', ['1'], { id: 1 }, true, -5, 1.5])(
    'knows no vault %j',
    async (groupid) => {
      expectFault(await admin.post('/object', { ...server, groupid }), 404, 1400)
    },
  )

  it('puts nothing into what is edited directly', async () => {
    const note = await createObject(admin, vault.id, { templateid: 8, name: 'Note' })
    expectFault(await admin.post('/object', { groupid: vault.id, ...server, parentid: note }), 400, 1611)
    expect((await readObject(admin, note))['children']).toBe('0')
  })
})

describe('PUT /object/:objectid', () => {
  const noName: Row = ['null as objectname', { objectname: null }, 400, 1804]
  it.each([...ofFields, ...ofName, noName])('refuses %s and changes nothing', async (_what, members, status, code) => {
    const before = await readObject(admin, id, '?decrypt=true')
    expectFault(await admin.call('PUT', `/object/${id}`, { body: { info: 'changed', ...members } }), status, code)
    expect(await readObject(admin, id, '?decrypt=true')).toEqual(before)
  })
})

describe('an id that is none', () => {
  it.each(['0', '-1', '999999', '0x1', '1e1', 'abc', '9007199254740993', '1.0', '%00', '1%20', '١'])(
    '%s',
    async (bad) => {
      for (const [method, query] of [
        ['GET', ''],
        ['GET', '?decrypt=true'],
        ['GET', '?filedata=true'],
        ['PUT', ''],
        ['DELETE', ''],
      ] as const)
        expectFault(await admin.call(method, `/object/${bad}${query}`, method === 'PUT' ? { body: {} } : {}), 404, 1610)
    },
  )
})

describe('GET /object/:objectid', () => {
  it.each([
    ['decrypt and children at once', 'decrypt=true&children=true', 1804],
    ['decrypt=maybe', 'decrypt=maybe', 1804],
    ['children=', 'children=', 1804],
    ['children twice', 'children=true&children=true', 1804],
    ['the file of what is none', 'filedata=true', 1616],
  ])('refuses %s', async (_what, query, code) => {
    expectFault(await admin.get(`/object/${id}?${query}`), 400, code)
  })
})

describe('GET /find', () => {
  it.each([
    ['no needle', ''],
    ['an empty one', '?needle='],
    ['one of blanks', '?needle=+%20'],
    ['a long one', `?needle=${'x'.repeat(256)}`],
    ['NUL', '?needle=a%00b'],
    ['two', '?needle=a&needle=b'],
  ])('refuses %s', async (_what, query) => {
    expectFault(await admin.get(`/find${query}`), 400, 1804)
  })
})
