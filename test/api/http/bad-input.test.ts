import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, TestClient } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { eventsOf } from '../../support/trail.ts'
import { curl, exchange } from '../../support/wire.ts'

const appliance = applianceForTests()
let client: TestClient
let user: TestUser
let vaultId: string

beforeAll(async () => {
  user = await appliance.addUser()
  client = await appliance.login(user)
  const [{ id }] = (await client.must('POST', '/vault', { vaultname: 'Bad input' }))['VAULT'] as [{ id: string }]
  vaultId = id
  await client.must('POST', `/transparent/${vaultId}/keys/known`)
})
afterAll(() => expectUnharmed(appliance))

const createVault = (raw: string | Buffer, headers: Record<string, string> = {}) =>
  client.call('POST', '/vault', { raw, headers })

describe('a body that cannot be used', () => {
  const bodies: readonly (readonly [string, string | Buffer])[] = [
    ['text', 'hello'],
    ['half an object', '{"vaultname":"x"'],
    ['two objects', '{"vaultname":"x"}{"vaultname":"y"}'],
    ['a trailing comma', '{"vaultname":"x",}'],
    ['single quotes', "{'vaultname':'x'}"],
    ['a comment', '{/* */"vaultname":"x"}'],
    ['NaN', '{"vaultname":"x","policy":NaN}'],
    ['an array', '[{"vaultname":"x"}]'],
    ['a string', '"vaultname"'],
    ['null', 'null'],
    ['a number', '7'],
    ['a member twice', '{"vaultname":"x","vaultname":"y"}'],
    ['a member twice, once escaped', '{"vaultname":"x","v\\u0061ultname":"y"}'],
    ['a member twice further in', '{"vaultname":"x","more":{"a":1,"a":2}}'],
    ['a member __proto__', '{"vaultname":"x","__proto__":{"policy":"7"}}'],
    ['an escaped member __proto__', '{"vaultname":"x","__pr\\u006fto__":{}}'],
    ['nesting without end', `{"vaultname":"x","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['nesting of 33 levels', `{"a":${'{"a":'.repeat(32)}1${'}'.repeat(32)}}`],
    ['bytes that are not UTF-8', Buffer.from('{"vaultname":"\xff\xfe"}', 'latin1')],
    [
      'a cut UTF-8 character',
      Buffer.concat([Buffer.from('{"vaultname":"'), Buffer.from('€').subarray(0, 2), Buffer.from('"}')]),
    ],
    [
      'an over-long UTF-8 form',
      Buffer.concat([Buffer.from('{"vaultname":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
    ],
    ['UTF-16', Buffer.from('\ufeff{"vaultname":"x"}', 'utf16le')],
    ['a NUL', '{"vaultname":"a\0b"}'],
    ['an escaped NUL', '{"vaultname":"x","description":"a\\u0000b"}'],
    ['a raw line break in a string', '{"vaultname":"a\nb"}'],
    ['half a surrogate pair', '{"vaultname":"\\ud83d"}'],
    ['half a surrogate pair as a name', '{"\\ude00":1,"vaultname":"x"}'],
    ['nothing but zero bytes', Buffer.alloc(100)],
    ['two byte order marks', '\ufeff\ufeff{"vaultname":"x"}'],
    ['white space that is none of JSON', '\u00a0{"vaultname":"x"}\f'],
    ['nothing but white space that is none of JSON', '\v\u2028'],
  ]
  it.each(bodies)('%s: 400 1800', async (_what, raw) => {
    expectFault(await createVault(raw), 400, 1800)
  })

  const members: readonly (readonly [string, string])[] = [
    ['no body', ''],
    ['blanks', ' \r\n\t '],
    ['an empty object', '{}'],
    ['an object for a text', '{"vaultname":{"$ne":""}}'],
    ['an array for a text', '{"vaultname":["x"]}'],
    ['a number for a text', '{"vaultname":7}'],
    ['null for a text', '{"vaultname":null}'],
    ['an empty name', '{"vaultname":""}'],
    ['a name of blanks', '{"vaultname":"   "}'],
    ['a name of 129 characters', `{"vaultname":"${'x'.repeat(129)}"}`],
    ['a control character in a name', '{"vaultname":"a\\u0007b"}'],
    ['a line break in a name', '{"vaultname":"a\\nb"}'],
    ['DEL in a name', '{"vaultname":"a\\u007fb"}'],
    ['a description of 4097 characters', `{"vaultname":"x","description":"${'x'.repeat(4097)}"}`],
    ['constructor in place of a name', '{"constructor":{"prototype":{"vaultname":"x"}}}'],
    ['hasOwnProperty in place of a name', '{"hasOwnProperty":1,"toString":2,"valueOf":3}'],
  ]
  it.each(members)('%s: 400 1804', async (_what, raw) => {
    expectFault(await createVault(raw), 400, 1804)
  })

  it.each([
    ['of the wrong form', '/vault', '{"vaultname"'],
    ['to nowhere', '/nowhere', '{}'],
  ])('%s is answered with the token of its sender, who is named in the trail', async (_what, path, raw) => {
    const { json, headers } = await client.call('POST', path, { raw })
    expect(json.CALLINFO.token).toBe(client.token)
    const event = eventsOf(appliance).find(({ requestId }) => requestId === headers['x-request-id'])
    expect(event).toMatchObject({ userId: user.id, username: user.username })
    const unknown = await client.call('POST', path, { raw, token: 'x'.repeat(42) })
    expect(unknown.json.CALLINFO).not.toHaveProperty('token')
    expect([unknown.status, Object.keys(unknown.json.ERRORCODES ?? {})[0]]).not.toEqual([403, '1200'])
  })

  it('made no vault', async () => {
    expect((await client.must('GET', '/vault'))['VAULTS']).toHaveLength(1)
  })
})

describe('a body of whatever type', () => {
  const types = [
    '',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'application/xml',
    'image/png',
    'multipart/form-data; boundary=x',
    '\u00e9/;;;',
  ]
  it.each(types)('is read as JSON: %j', async (type) => {
    const { status, json } = await createVault('{"vaultname":"Typed","policy":"7"}', { 'Content-Type': type })
    expect([status, json.DATA]).toEqual([200, { vaultname: 'Typed', policy: '7', token: client.token }])
  })

  it('may hold members that mean something to JavaScript', async () => {
    const sent = {
      vaultname: 'Typed',
      constructor: { prototype: { admin: true } },
      prototype: 1,
      toString: 'x',
      hasOwnProperty: [1],
    }
    const { status, json } = await createVault(JSON.stringify(sent))
    expect([status, json.DATA]).toEqual([200, { ...sent, token: client.token }])
    expect((await appliance.client().get('/vault')).status).toBe(403)
  })

  it('may be nested 32 levels deep, begin with a byte order mark, and have blanks around', async () => {
    const deep = `\ufeff  {"vaultname":"Typed","a":${'['.repeat(31)}${']'.repeat(31)}}\n`
    expect((await createVault(deep)).status).toBe(200)
  })
})

describe('a body that is too large', () => {
  const large = JSON.stringify({ vaultname: 'x'.repeat(10 * 1024 * 1024) })

  it('by its Content-Length: 413 every time, and the client hears it', async () => {
    for (let round = 0; round < 3; round++) expectFault(await createVault(large), 413, 1803)
  })

  it('by one byte', async () => {
    const limit = appliance.config.http.maxBodyBytes
    const of = (bytes: number) => `{"vaultname":"Typed"}${' '.repeat(bytes - 21)}`
    expect((await createVault(of(limit))).status).toBe(200)
    expectFault(await createVault(of(limit + 1)), 413, 1803)
  })

  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20), { level: 9 })
  const cut = gzipSync(Buffer.alloc(1024 * 1024, 0x20)).fill(0xff, 600)
  it.each([
    ['gzip', bomb],
    ['gzip', cut],
    ['gzip', gzipSync('{"vaultname":"x"}')],
    ['deflate', bomb],
    ['br', bomb],
    ['zstd', Buffer.from('{}')],
    ['gzip, gzip', bomb],
    ['x-unknown', Buffer.from('{"vaultname":"x"}')],
  ])('is never inflated: Content-Encoding %s gets 415 1808', async (encoding, raw) => {
    expectFault(await createVault(raw, { 'Content-Encoding': encoding }), 415, 1808)
  })

  it.each(['identity', 'Identity', ''])('identity is the encoding that is taken, written %j', async (encoding) => {
    expect((await createVault('{"vaultname":"Typed"}', { 'Content-Encoding': encoding })).status).toBe(200)
  })
})

const raw = (head: string, body = '') =>
  exchange(
    appliance,
    `${head}\r\nHost: localhost\r\nX-Http-Token: ${client.token}\r\n${body === '' ? '' : `Content-Length: ${body.length}\r\n`}\r\n${body}`,
  )

describe('a form of several parts that cannot be used', () => {
  const disposition = 'Content-Disposition: form-data'
  const notWellFormed =
    'The form ended too early, or is not made as RFC 7578 says: check its boundary, its line ends and the heads of its parts, and send it again.'
  const parts: readonly (readonly [string, string, string])[] = [
    ['a field without a name', disposition, 'A field of the form has no name.'],
    ['a field with an empty name', `${disposition}; name=""`, 'A field of the form has no name.'],
    [
      'a field in an unknown character set',
      `${disposition}; name="a"\r\nContent-Type: text/plain; charset=x-unknown`,
      'The character set of the field a is unknown: send UTF-8.',
    ],
    [
      'a field that is no UTF-8',
      `${disposition}; name="a"\r\n\r\n\xff`,
      'The field a holds NUL, or bytes that are not UTF-8.',
    ],
    ['a field with NUL', `${disposition}; name="a"\r\n\r\n\0`, 'The field a holds NUL, or bytes that are not UTF-8.'],
    [
      'a field with a name of 129 characters',
      `${disposition}; name="${'n'.repeat(129)}"`,
      'The name of a field must have 128 characters at most.',
    ],
    ['a part whose head is none', 'Content-Disposition form-data', notWellFormed],
    ['a file whose name holds NUL', `${disposition}; name="a"; filename="a\0"`, notWellFormed],
    ['a part with a line end of its own', `${disposition}; name="a"\n`, notWellFormed],
  ]
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b' }
  const formOf = (part: string) => Buffer.from(`--b\r\n${part}\r\n\r\nx\r\n--b--\r\n`, 'latin1')

  it.each(parts)('%s: 400, with a token or without', async (_what, part, sentence) => {
    for (const [path, token] of [
      ['/object', client.token],
      ['/filecollect', null],
      ['/usercert/1', null],
    ] as const) {
      const { status, json } = await client.call('POST', path, { raw: formOf(part), headers, token: token ?? null })
      expect([status, json.ERRORS]).toEqual([400, [sentence]])
    }
  })

  it('compressed: 415 1808', async () => {
    const packed = { ...headers, 'Content-Encoding': 'gzip' }
    const raw = gzipSync(formOf(`${disposition}; name="a"`))
    expectFault(await client.call('POST', '/object', { raw, headers: packed }), 415, 1808)
  })
})

describe('an address', () => {
  const unknown = [
    '/',
    '/vaults',
    '/vault/1/2/3',
    '/transparent',
    '/transparent/1/nothing',
    '/transparent/1/encrypt',
    '/transparent/1/keys/a/b/c',
    '/transparent/1/keys//rotate/x',
    '/auth/nothing',
    '/../../etc/passwd',
    '/vault%2F1',
    '/%',
    '/%zz',
    '/%00',
    '/constructor',
    '/__proto__',
    '/vault;x=1',
  ]
  it.each(unknown)('that is unknown, GET %s: 404 1801', async (path) => {
    const { answers } = await raw(`GET /api/1.0${path} HTTP/1.1`)
    expect(answers.map(({ status, json }) => [status, Object.keys(json.ERRORCODES ?? {})])).toEqual([
      [404, ['1801', '2000']],
    ])
  })

  it.each(['/api/1.1/vault', '/api/2.0/vault', '/api/1/vault', '/api/vault', '/api/1.0', '/api', '/', '/vault'])(
    'of another version, %s: 404 1801',
    async (path) => {
      const stray = new TestClient(new URL(appliance.url).origin, appliance.ca)
      const answer = await stray.get(path)
      expectFault(answer, 404, 1801)
      expect(answer.json.ERRORS?.join()).toContain('/api/1.0/docs')
      stray.close()
    },
  )

  const methods: readonly (readonly [string, string, readonly string[]])[] = [
    ['GET', '/auth', ['OPTIONS', 'POST']],
    ['DELETE', '/vault', ['GET', 'HEAD', 'OPTIONS', 'POST']],
    ['PATCH', '/vault', ['GET', 'HEAD', 'OPTIONS', 'POST']],
    ['PUT', '/auth/check', ['GET', 'HEAD', 'OPTIONS', 'POST']],
    ['POST', '/utils/policies', ['GET', 'HEAD', 'OPTIONS']],
    ['GET', '/transparent/1/encrypt/k', ['OPTIONS', 'POST']],
    ['TRACE', '/vault', ['GET', 'HEAD', 'OPTIONS', 'POST']],
  ]
  it.each(methods)('with a wrong method, %s %s: 405 1802 and Allow', async (method, path, allowed) => {
    const answer = await client.call(method, path)
    expectFault(answer, 405, 1802)
    expect(String(answer.headers['allow']).split(', ').toSorted()).toEqual(allowed)
  })

  it('tells OPTIONS its methods, and HEAD everything but the body', async () => {
    const options = await curl(appliance, '/vault', '-X', 'OPTIONS')
    expect(options).toMatch(/^HTTP\/\S+ 204/)
    expect(options).toMatch(/^allow: HEAD, GET, POST, OPTIONS\r$|^allow: (?=.*GET)(?=.*POST)(?=.*OPTIONS).*\r$/im)
    // RFC 9110, 9.3.7: the server as a whole.
    const whole = await curl(appliance, '/vault', '-X', 'OPTIONS', '--request-target', '*')
    expect(whole).toMatch(/^HTTP\/\S+ 204/)
    expect(whole).toMatch(/^allow: GET, HEAD, POST, PUT, DELETE, OPTIONS\r$/im)
    const head = await curl(appliance, '/authinfo/logintypes', '--head')
    expect(head).toMatch(/^HTTP\/\S+ 200/)
    expect(head.split('\r\n\r\n')[1]).toBe('')
  })

  it('ends no session by HEAD, which is safe', async () => {
    const { token = '' } = await appliance.login(user)
    const head = await curl(appliance, '/auth/logout', '--head', '--header', `X-Http-Token: ${token}`)
    expect(head).toMatch(/^HTTP\/\S+ 405/)
    expect(head).toMatch(/^allow: GET, OPTIONS\r$/im)
    expect((await appliance.client(token).get('/vault')).status).toBe(200)
  })

  it.each(['/vault/', '/vault?', '/vault/?', '/vault?unknown=1', '/vault?a+b=%20c&%C3%A9=%F0%9F%94%91'])(
    'may be written %s',
    async (path) => {
      expect((await client.get(path)).status).toBe(200)
    },
  )

  it('with a parameter twice: 400 1804', async () => {
    expectFault(await client.get('/vault?a=1&a=2'), 400, 1804)
    expectFault(await client.get('/vault?a=1&%61=2'), 400, 1804)
    expectFault(await client.get('/vault?a=%00'), 400, 1804)
    expectFault(await client.get(`/vault?token=${client.token}&token=${client.token}`, { token: null }), 400, 1804)
  })

  it.each(['%ff', 'a%C3', '%ED%A0%80'])('with bytes that are not UTF-8, %s: 400 1804', async (bytes) => {
    expectFault(await client.get(`/find?needle=${bytes}`), 400, 1804)
    expectFault(await client.get(`/find/${bytes}`), 400, 1804)
    expectFault(await client.get(`/user/${bytes}`), 400, 1804)
    expect((await client.get(`/find/${encodeURIComponent(bytes)}`)).status).toBe(200)
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    expectFault(await createVault(`vaultname=${bytes}`, headers), 400, 1804)
  })

  it.each(['http://[', 'http://[/api/1.0/vault', 'http://a:99999999/', 'http://exa%mple/'])(
    'of a host that is none, %s: 404 1801',
    async (address) => {
      const { answers } = await exchange(appliance, `GET ${address} HTTP/1.1\r\nHost: x\r\n\r\n`)
      expect(answers.map(({ status, json }) => [status, Object.keys(json.ERRORCODES ?? {})])).toEqual([
        [404, ['1801', '2000']],
      ])
    },
  )

  it('that names the appliance, as a proxy is asked, is served', async () => {
    const { answers } = await raw(`GET https://localhost/api/1.0/vault HTTP/1.1`)
    expect(answers.map(({ status }) => status)).toEqual([200])
  })

  it('that is too long: 414 1810, matched or not', async () => {
    expectFault(await client.get(`/vault?a=${'x'.repeat(9_000)}`), 414, 1810)
    expectFault(await client.get(`/transparent/${vaultId}/keys/${'x'.repeat(9_000)}`), 414, 1810)
    expectFault(await client.get(`/${'x/'.repeat(4_500)}`), 414, 1810)
  })

  it('or headers beyond all measure: 431 1809', async () => {
    expectFault(await client.get('/vault', { token: null, headers: { 'X-Long': 'x'.repeat(20_000) } }), 431, 1809)
  })
})

describe('a body where none is asked for', () => {
  it('of a GET is read and echoed, and is not taken for its parameters', async () => {
    const { status, json } = await client.call('GET', '/vault', { raw: '{"x":1}' })
    expect([status, json.DATA]).toEqual([200, { x: 1, token: client.token }])
  })

  it('of a DELETE to nowhere is not taken for the next call', async () => {
    const { answers, closed } = await raw(
      'DELETE /api/1.0/nowhere HTTP/1.1',
      'GET /api/1.0/vault HTTP/1.1\r\nHost: x\r\n\r\n',
    )
    expect(answers.map(({ status }) => status)).toEqual([404])
    expect(answers[0]?.head).toMatch(/^connection: close\r?$/im)
    expect(closed || answers.length === 1).toBe(true)
  })
})

describe('a key name', () => {
  const names: readonly (readonly [string, string])[] = [
    ['129 characters', 'x'.repeat(129)],
    ['a slash', 'a%2Fb'],
    ['NUL', 'a%00b'],
    ['dots alone', '%2E%2E'],
    ['a dot first', '.hidden'],
    ['a hyphen first', '-rf'],
    ['a blank', 'a%20b'],
    ['a plus', 'a+b'],
    ['letters beyond ASCII', '%C3%A9'],
    ['a key symbol', '%F0%9F%94%91'],
    ['a line break', 'a%0Ab'],
    ['a trailing line break', 'a%0A'],
    ['a quote', "a'--"],
    ['a broken escape', 'a%ff'],
    ['half an escape', 'a%'],
  ]
  const calls = [
    ['POST', 'keys/', '', '{}'],
    ['GET', 'keys/', '', ''],
    ['POST', 'keys/', '/rotate', '{}'],
    ['POST', 'encrypt/', '', '{"plaintext":"AAAA"}'],
    ['POST', 'decrypt/', '', '{"ciphertext":"service:v1:AAAA"}'],
  ] as const
  it.each(names)('with %s: 400 1804 in every call', async (_what, name) => {
    for (const [method, before, after, body] of calls) {
      const { answers } = await raw(`${method} /api/1.0/transparent/${vaultId}/${before}${name}${after} HTTP/1.1`, body)
      expect([method, before, answers[0]?.status, Object.keys(answers[0]?.json.ERRORCODES ?? {})]).toEqual([
        method,
        before,
        400,
        ['1804', '2000'],
      ])
    }
  })

  it('that is empty makes another address: 404 1801', async () => {
    expectFault(await client.post(`/transparent/${vaultId}/encrypt/`, { plaintext: 'AAAA' }), 404, 1801)
    expectFault(await client.post(`/transparent/${vaultId}/keys//rotate`, {}), 404, 1801)
  })

  it('may have 128 letters, digits and _ . -', async () => {
    for (const name of ['a', '0', '_', 'A-b_c.d', 'x'.repeat(128), 'constructor', '__proto__']) {
      expect((await client.post(`/transparent/${vaultId}/encrypt/${name}`, { plaintext: 'AAAA' })).status).toBe(201)
    }
  })
})

describe('a vault id', () => {
  const ids = [
    '-1',
    '0',
    '00',
    '01',
    '0x1',
    '1e3',
    '1.0',
    '+1',
    '%201',
    '1%00',
    '9007199254740992',
    '9007199254740993',
    '9'.repeat(200),
    'abc',
    'null',
    'NaN',
    'Infinity',
    '%D9%A1',
    "1'",
    '1%20OR%201=1',
    '99999',
  ]
  it.each(ids)('%s is a vault that does not exist: 404 1400', async (id) => {
    const answers = [
      await client.get(`/vault/${id}/members`),
      await client.get(`/transparent/${id}/keys/known`),
      await client.post(`/transparent/${id}/encrypt/known`, { plaintext: 'AAAA' }),
    ]
    for (const answer of answers) expectFault(answer, 404, 1400)
  })

  it("of another user's vault looks the same, word for word", async () => {
    const stranger = await appliance.login()
    const [theirs, none] = [await stranger.get(`/vault/${vaultId}/members`), await stranger.get('/vault/99999/members')]
    expectFault(theirs, 404, 1400)
    expect(theirs.json.ERRORS).toEqual(none.json.ERRORS)
    expectFault(await stranger.post(`/transparent/${vaultId}/keys/known`, {}), 404, 1400)
  })
})

describe('text beyond ASCII', () => {
  it('comes back as it was sent, written in \\u escapes', async () => {
    const vaultname = 'Nycklar 🔑 \u00e9\u2028\u2029 \u202e \uffff'
    const description = 'tab\t bell\u0007 del\u007f 𝔘𝔫𝔦 "quoted" \\ </script>\r\n'
    const { VAULT, DATA } = await client.must('POST', '/vault', { vaultname, description })
    const [made] = VAULT as [Record<string, string>]
    expect([made['groupname'], made['description'], DATA]).toEqual([
      vaultname,
      description,
      { vaultname, description, token: client.token },
    ])
    const listed = ((await client.must('GET', '/vault'))['VAULTS'] as Record<string, string>[]).find(
      ({ id }) => id === made['id'],
    )
    expect([listed?.['groupname'], listed?.['description']]).toEqual([vaultname, description])
    expect(await curl(appliance, '/vault', '-H', `X-Http-Token: ${client.token}`)).toContain(
      'Nycklar \\ud83d\\udd11 \\u00e9\\u2028\\u2029 \\u202e \\uffff',
    )
  })
})
