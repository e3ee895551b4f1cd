import { connect, type ClientHttp2Session } from 'node:http2'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { checkAnswer, type Envelope } from '../support/client.ts'
import { totpCode } from '../support/hardware-token.ts'
import { startForClients } from './client-kit.ts'
import { only, records } from './published-kit.ts'

/**
 * The browser extension: over HTTP/2 as Chromium sends it, JSON as text/plain, exactly 200 for a success. 401 and 403 make it
 * forget its session, so that neither may answer what has nothing to do with that.
 */

const knownRules =
  /^((min|max)_(length|(lowercase|uppercase|numeric|nonalphanumeric)_chars)|disallow_(numeric|nonalphanumeric)_(chars|first|last))$/
const knownIcons = /^ico_(server|folder|file|note|quicknote|pin|ccard|certfolder|person)$/
const knownTypes = /^(text|text-passwdgen|textarea|file|dropdown|countrycode|progress|date|datetime)$/
const fields = { name: 'Portal', url: 'https://portal.example.test', username: 'alice', password: 'weak' }

const appliance = applianceForTests(startForClients)
let user: TestUser
let session: ClientHttp2Session
let token: string | undefined
let vaultId: string
let objectId: string

beforeAll(async () => {
  user = await appliance.addUser()
  session = connect(new URL(appliance.url).origin, { ca: appliance.ca })
  const { CALLINFO } = await ok('POST', '/auth', {
    username: user.username,
    passphrase: user.passphrase,
    otp: totpCode(user.totpSecret),
    logintype: 'totp',
    apikey: appliance.applicationKey,
  })
  token = CALLINFO.token
  // It reads both without a look at whether they are there.
  expect(CALLINFO['audit']).toEqual({ violations: [], warnings: expect.anything() })
  expect(CALLINFO['timeout']).toBe(3_600_000)
  vaultId = String(only(await ok('POST', '/vault', { groupname: 'Web', policy: '7', description: '' }), 'VAULT')['id'])
})
afterAll(() => session.close())

/** What fetch sends from a service worker, over the one connection. */
function ask(method: string, path: string, body?: object): Promise<{ status: number; json: Envelope }> {
  const payload = body && JSON.stringify(body)
  const stream = session.request({
    ':method': method,
    ':path': `/api/1.0${path}`,
    ...(payload && { 'content-length': Buffer.byteLength(payload), 'content-type': 'text/plain;charset=UTF-8' }),
    ...(token && { 'x-http-token': token }),
    accept: '*/*',
    ...(method !== 'GET' && { origin: 'chrome-extension://abcdefghijklmnopabcdefghijklmnop' }),
    'sec-fetch-site': 'none',
    'sec-fetch-mode': 'cors',
    'sec-fetch-dest': 'empty',
    'user-agent':
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
    'accept-encoding': 'gzip, deflate, br, zstd',
  })
  return new Promise((resolve, reject) => {
    let text = ''
    let headers: NodeJS.Dict<string | string[]> = {}
    let status = 0
    stream.setEncoding('latin1')
    stream.on('response', ({ ':status': came = 0, ...others }) => {
      status = came
      headers = others
    })
    stream.on('data', (piece: string) => (text += piece))
    stream.on('error', reject)
    stream.on('end', () => {
      const answer = { status, headers, json: JSON.parse(text) as Envelope }
      checkAnswer(method, path, answer, text)
      resolve(answer)
    })
    stream.end(payload)
  })
}

async function ok(method: string, path: string, body?: object): Promise<Envelope> {
  const { status, json } = await ask(method, path, body)
  expect([status, json.ERRORS ?? []]).toEqual([200, []])
  return json
}

it('has its headers echoed as over HTTP/1.1', async () => {
  const { HEADERS } = await ok('POST', '/auth/check')
  expect(HEADERS).toMatchObject({ Host: new URL(appliance.url).host, 'X-Http-Token': token, 'Sec-Fetch-Mode': 'cors' })
  expect(Object.keys(HEADERS).filter((name) => name.startsWith(':'))).toEqual([])
})

it('opens its popup: vaults, templates and policies in parallel, and each is what it can show', async () => {
  const [, vaults, templates, policies] = await Promise.all([
    ok('POST', '/auth/check'),
    ok('GET', '/vault'),
    ok('GET', '/template'),
    ok('GET', '/utils/policies'),
  ])
  const known = policies.CALLINFO['policies'] as { id: number; rules: Record<string, unknown> }[]
  const { policy, status } = only(vaults, 'VAULTS')
  expect(known.map(({ id }) => id)).toContain(Number(policy))
  expect([policy, status]).toEqual(['7', '4'])
  for (const rule of known.flatMap(({ rules }) => Object.entries(rules))) {
    expect(rule[0]).toMatch(knownRules)
    expect(rule[1]).not.toBe(0)
  }
  const entries = records(templates, 'TEMPLATE') as { INFO: Record<string, string>; STRUCTURE: object }[]
  expect(entries.map(({ INFO }) => INFO['id'])).toEqual(expect.arrayContaining(['2', '3', '20']))
  for (const { INFO, STRUCTURE } of entries) {
    expect(INFO).toMatchObject({
      id: expect.any(String),
      name: expect.any(String),
      ico: expect.stringMatching(knownIcons),
    })
    for (const field of Object.values(STRUCTURE))
      expect(field).toMatchObject({
        type: expect.stringMatching(knownTypes),
        translation: expect.any(String),
        encrypted: expect.any(Boolean),
        opt: expect.any(Boolean),
      })
  }
})

it('saves a login without a name, though it breaks the policy of the vault', async () => {
  const { CALLINFO } = await ok('POST', '/object', { parentid: '0', groupid: vaultId, templateid: '20', ...fields })
  expect(CALLINFO).toMatchObject({ general: ['BAD_POLICY'], message: 'Object successfully saved' })
  objectId = String(CALLINFO['objectid'])
})

it('finds what belongs to a page, with its template and its vault', async () => {
  const found = await ok('GET', '/find?needle=portal.example.test')
  const { password: _secret, ...open } = fields
  const object = only(found, 'OBJECT')
  expect(object).toMatchObject({ id: objectId, objectname: 'Portal', status: '1152', templateid: '20', public: open })
  for (const member of ['crypted', 'fileinfo']) expect(object).not.toHaveProperty(member)
  expect([only(found, 'TEMPLATES')['id'], only(found, 'VAULTS')]).toEqual([
    object['templateid'],
    expect.objectContaining({ id: object['groupid'], status: '4', policy: '7' }),
  ])
})

it('looks for the host of whatever page is open, up to the longest there are', async () => {
  for (const host of ['newtab', 'xn--bcher-kva.example', '[::1]', 'a%20b'])
    expect((await ok('GET', `/find?needle=${host}`))['OBJECT']).toEqual([])
  const longest = `${'a'.repeat(63)}.`.repeat(3) + 'a'.repeat(61)
  await ok('PUT', `/object/${objectId}`, { ...fields, url: `https://${longest}/login` })
  expect(only(await ok('GET', `/find?needle=${longest}`), 'OBJECT')['id']).toBe(objectId)
})

it('shows, changes and deletes it: a change brings every field of the template', async () => {
  expect(only(await ok('GET', `/object/${objectId}?decrypt=true`), 'OBJECT')['crypted']).toEqual({ password: 'weak' })
  const changed = { ...fields, url: '', password: 'Str0ng-enough.phrase' }
  expect((await ok('PUT', `/object/${objectId}`, changed)).CALLINFO.general).toEqual([])
  const read = only(await ok('GET', `/object/${objectId}?decrypt=true`), 'OBJECT')
  const { password, ...open } = changed
  expect(read).toMatchObject({ status: '128', public: open, crypted: { password } })
  expect((await ok('DELETE', `/object/${objectId}`)).CALLINFO['message']).toBe('DELETED')
})

it.each([
  ['type=secure&length=24', 24],
  ['type=pin&length=6', 6],
  ['type=pronounceable&length=16', 16],
  ['type=bytes&length=32', 64],
  ['type=opie&delimiter=default', undefined],
  ['type=diceword&language=en_US&words=5&min_char=2&max_char=0&delimiter=dash', undefined],
  ['type=diceword&language=sv_SE&words=5&min_char=2&max_char=0&delimiter=space', undefined],
  ['type=secure&length=20&policyid=7', 20],
  ['policyid=7', 20],
  ['', 40],
])('makes a password: %s', async (query, length) => {
  const { CALLINFO } = await ok('GET', `/utils/pwgen?${query}`)
  expect(CALLINFO).toMatchObject({
    passphrase: expect.any(String),
    length: length ?? expect.any(Number),
    type: expect.any(String),
  })
  expect(CALLINFO['passphrase']).toHaveLength(CALLINFO['length'] as number)
})

it('keeps its session when something is missing, or is not for it', async () => {
  const others = await appliance.login()
  const foreign = only(await others.must('POST', '/vault', { vaultname: 'Foreign' }), 'VAULT')['id'] as string
  const refused = [
    ask('GET', `/object/${objectId}?decrypt=true`),
    ask('GET', `/vault/${foreign}`),
    ask('POST', '/object', { parentid: '0', groupid: foreign, templateid: '20', ...fields }),
    ask('POST', '/object', { parentid: '0', groupid: vaultId, templateid: '20', ...fields, username: '' }),
    ask('GET', '/find?needle='),
  ]
  for (const { status, json } of await Promise.all(refused)) {
    expect([400, 404]).toContain(status)
    expect(json.CALLINFO.token).toBe(token)
  }
})

it('logs out when the browser is idle, and reads 403 afterwards', async () => {
  expect((await ok('GET', '/auth/logout')).CALLINFO['logout']).toEqual(expect.any(String))
  const { status, json } = await ask('GET', '/vault')
  expect([status, Object.keys(json.ERRORCODES ?? {})]).toEqual([403, ['1200', '2000']])
})
