import { beforeAll, describe, expect, it } from 'vitest'
import type { TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import type { Envelope, TestClient } from '../../support/client.ts'
import { curl } from '../../support/wire.ts'

const appliance = applianceForTests()
let session: TestClient
let colleague: TestUser
let vaultId: string

beforeAll(async () => {
  session = await appliance.login()
  colleague = await appliance.addUser()
  const [{ id }] = (await session.must('POST', '/vault', { vaultname: 'Forms' }))['VAULT'] as [{ id: string }]
  vaultId = id
})

async function call(method: string, path: string, ...args: string[]): Promise<{ status: number; json: Envelope }> {
  const answer = await curl(appliance, path, '--http1.1', '-X', method, ...args)
  const end = answer.indexOf('\r\n\r\n')
  return { status: Number(answer.split(' ')[1]), json: JSON.parse(answer.slice(end)) as Envelope }
}
const token = (): string => session.token ?? ''
const header = (): string[] => ['-H', `X-Http-Token: ${token()}`]

/** A successful round of calls of several kinds, each with a body. `$` is replaced by the vault. */
const round: readonly (readonly [method: string, path: string, body: Record<string, unknown>, status: number])[] = [
  ['POST', '/auth/check', {}, 200],
  ['POST', '/vault', { groupname: 'Made by curl', policy: 7 }, 200],
  ['PUT', '/vault/$', { description: 'Schlüssel & more + 100%' }, 200],
  ['POST', '/vault/$/member/@', { status: 1 }, 200],
  ['PUT', '/vault/$/member/@', { status: '2' }, 200],
  ['DELETE', '/vault/$/member/@', {}, 200],
  ['POST', '/transparent/$/encrypt/k', { plaintext: 'AAAA', aad: 'AAAA' }, 201],
  ['POST', '/transparent/hash', { input: 'AAAA' }, 200],
  ['POST', '/object', { templateid: 2, groupid: '$', parentid: '0', name: 'Folder' }, 200],
  ['POST', '/utils/get_mime_type', { data: 'UEsDBA==', extension: '.key', size: 4 }, 200],
]
const placed = (text: string): string => text.replaceAll('$', vaultId).replaceAll('@', String(colleague.id))

/** Content types that published clients send with a JSON body. */
const contentTypes: readonly (readonly [string, string])[] = [
  ['application/json', 'Content-Type: application/json'],
  ['application/json with a character set', 'Content-Type: application/json; charset=utf-8'],
  ['nothing', 'Content-Type:'],
  ['text/plain', 'Content-Type: text/plain;charset=UTF-8'],
  ['a form, as curl -d does', 'Content-Type: application/x-www-form-urlencoded'],
  ['something else', 'Content-Type: application/x-made-up'],
  ['a form of several parts', 'Content-Type: multipart/form-data; boundary=x'],
]

describe.each(contentTypes)('a body of JSON called %s', (_name, contentType) => {
  it('is read by every kind of call', async () => {
    for (const [method, path, members, expected] of round) {
      const body = placed(JSON.stringify(members))
      const { status, json } = await call(method, placed(path), ...header(), '-H', contentType, '-d', body)
      expect([status, json.ERRORS], `${method} ${path}`).toEqual([expected, undefined])
      const { plaintext: _secret, ...echo } = JSON.parse(body) as Record<string, unknown>
      expect(json.DATA).toMatchObject(echo)
    }
  })
})

describe('the token', () => {
  const places: readonly (readonly [string, () => { query?: string; args: string[] }])[] = [
    ['in the header', () => ({ args: [...header(), '-d', '{}'] })],
    ['in the header, whatever its case', () => ({ args: ['-H', `x-HTTP-token: ${token()}`, '-d', '{}'] })],
    ['in the query', () => ({ query: `?token=${token()}`, args: ['-d', '{}'] })],
    ['in the JSON', () => ({ args: ['-d', JSON.stringify({ token: token() })] })],
    ['in a multipart form', () => ({ args: ['-F', `token=${token()}`] })],
    ['in a form', () => ({ args: ['-d', `token=${token()}`] })],
  ]
  it.each(places)('is taken %s and echoed in DATA', async (_place, make) => {
    const { query = '', args } = make()
    const { status, json } = await call('POST', `/auth/check${query}`, ...args)
    expect([status, json.CALLINFO.token, json.DATA]).toEqual([200, token(), { token: token() }])
  })
})

describe('a body of JSON called a form of several parts, in a call that takes a file', () => {
  const headers = (): string[] => [...header(), '-H', 'Content-Type: multipart/form-data; boundary=x']
  const folder = (name: string) => JSON.stringify({ templateid: 2, groupid: vaultId, parentid: '0', name })

  it('is read by POST and PUT /object, with blanks in front and as large as any other', async () => {
    const blanks = ' \r\n\t'.repeat(200)
    const made = await call('POST', '/object', ...headers(), '--data-binary', blanks + folder('Typed'))
    expect([made.status, made.json.ERRORS, made.json.DATA]).toMatchObject([200, undefined, { name: 'Typed' }])
    const { objectid } = made.json.CALLINFO
    const edited = await call('PUT', `/object/${String(objectid)}`, ...headers(), '-d', '{"name":"Typed anew"}')
    expect([edited.status, edited.json.DATA]).toMatchObject([200, { name: 'Typed anew' }])
    const large = JSON.stringify({ ...(JSON.parse(folder('Large')) as object), more: 'x'.repeat(100_000) })
    const taken = await call('POST', '/object', ...headers(), '-d', large)
    expect([taken.status, taken.json.ERRORS]).toEqual([200, undefined])
  })

  it('is read over HTTP/2 as well', async () => {
    const answer = await curl(appliance, '/object', '--http2', '-X', 'POST', ...headers(), '-d', folder('Over HTTP/2'))
    expect(answer).toMatch(/^HTTP\/2 200/)
  })

  it.each([
    ['blanks alone', ' \r\n\t'],
    ['more blanks than a body begins with', `${' '.repeat(5_000)}{}`],
    ['text', 'templateid=2'],
  ])('is no JSON, but a form that breaks off, where it is %s: 400 1812', async (_what, body) => {
    const { status, json } = await call('POST', '/object', ...headers(), '--data-binary', body)
    expect([status, Object.keys(json.ERRORCODES ?? {})]).toEqual([400, ['1812', '2000']])
  })
})

describe('a field called __proto__', () => {
  const places: readonly (readonly [string, string, string[]])[] = [
    ['a query', '?__proto__=1', []],
    ['a form', '', ['-d', '__proto__=1']],
    ['a form of several parts', '', ['-F', '__proto__=1']],
  ]
  it.each(places)('is refused in %s, as it is in JSON: 400 1804', async (_place, query, args) => {
    const { status, json } = await call('POST', `/auth/check${query}`, ...header(), ...args)
    expect([status, json.ERRORS]).toEqual([400, ['A field must not have the name __proto__.']])
  })
})

describe('media types', () => {
  it('are read in whatever case (RFC 9110, 8.3.1)', async () => {
    const urlEncoded = 'Content-Type: Application/X-WWW-Form-URLEncoded'
    const form = await call('PUT', `/vault/${vaultId}`, ...header(), '-H', urlEncoded, '-d', 'description=Mixed+case')
    expect([form.status, form.json['VAULT']]).toMatchObject([200, [{ description: 'Mixed case' }]])
    const parts = '--x\r\nContent-Disposition: form-data; name="description"\r\n\r\nIn parts\r\n--x--\r\n'
    const multipart = 'Content-Type: Multipart/Form-DATA; Boundary=x'
    const several = await call('PUT', `/vault/${vaultId}`, ...header(), '-H', multipart, '--data-binary', parts)
    expect([several.status, several.json['VAULT']]).toMatchObject([200, [{ description: 'In parts' }]])
  })
})

describe('oddities of published clients', () => {
  it('a form of fields is read by every kind of call, but no file where none belongs', async () => {
    const field = ['-F', 'description=Schlüssel & more']
    const { status, json } = await call('PUT', `/vault/${vaultId}`, ...header(), ...field)
    expect([status, json['VAULT']]).toMatchObject([200, [{ description: 'Schlüssel & more' }]])
    const refused = await call('PUT', `/vault/${vaultId}`, ...header(), ...field, '-F', 'file=hello;filename=a.txt')
    expect([refused.status, Object.keys(refused.json.ERRORCODES ?? {})]).toEqual([400, ['1804', '2000']])
  })

  it.each(['/vault?', '/vault/', '/vault/?', '/auth/check?', '/template?', '/utils/policies/'])(
    'GET %s is what it is without the odd end',
    async (path) => {
      const odd = await call('GET', path, ...header())
      const plain = await call('GET', path.replace(/[/?]+$/, ''), ...header())
      expect(odd.status).toBe(200)
      const { HEADERS: _odd, ...oddMembers } = odd.json
      const { HEADERS: _plain, ...plainMembers } = plain.json
      expect(oddMembers).toEqual(plainMembers)
    },
  )

  it.each([[[]], [['-d', '{}', '-H', 'Content-Type: application/json']], [['-d', '']]])(
    'DELETE takes a body of nothing: %s',
    async (args) => {
      await session.must('POST', `/vault/${vaultId}/member/${colleague.id}`, { status: 1 })
      const { status, json } = await call('DELETE', `/vault/${vaultId}/member/${colleague.id}`, ...header(), ...args)
      expect([status, json.DATA]).toEqual([200, { userid: colleague.id, token: token() }])
    },
  )

  it('Basic authentication for a proxy in front is neither looked at nor echoed', async () => {
    const { status, json } = await call('GET', '/vault', ...header(), '--user', 'proxy:secret')
    expect(status).toBe(200)
    expect(json.HEADERS).not.toHaveProperty('Authorization')
    expect(JSON.stringify(json)).not.toContain(Buffer.from('proxy:secret').toString('base64'))
  })

  it('a blank in a query is written in either way', async () => {
    await session.must('POST', '/object', { templateid: 2, groupid: vaultId, parentid: '0', name: 'two words' })
    for (const needle of ['two+words', 'two%20words'])
      expect((await call('GET', `/find?needle=${needle}`, ...header())).json['OBJECT']).toMatchObject([
        { objectname: 'two words' },
      ])
  })
})
