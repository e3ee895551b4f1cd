import { describe, expect, it } from 'vitest'
import { TestAppliance, type Overrides } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import {
  cookieOf,
  logInByCookie,
  ownPage,
  setCookieOf,
  tokenIn,
  type BrowserSession,
} from '../../support/browser-session.ts'
import { expectFault, type Answer, type CallOptions } from '../../support/client.ts'
import { createStranger } from '../../support/stranger.ts'
import { eventsOf } from '../../support/trail.ts'
import { curl } from '../../support/wire.ts'

const appliance = applianceForTests()

/** Makes a call like the appliance's own page. */
const byCookie = (
  { cookie }: Pick<BrowserSession, 'cookie'>,
  method: string,
  path: string,
  { headers, ...options }: CallOptions = {},
  at = appliance,
): Promise<Answer> =>
  at.client().call(method, path, { ...options, headers: { ...ownPage, Cookie: cookie, ...headers }, token: null })

const recordOf = ({ headers }: Answer) => ({
  userId: undefined,
  ...eventsOf(appliance).find(({ requestId }) => requestId === headers['x-request-id']),
})

const headOf = (answer: string): string => answer.slice(0, answer.indexOf('\r\n\r\n'))

const dropped = '__Host-strongroom=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0'

describe('a login', () => {
  it('with session cookie puts the token into the cookie, and nowhere else', async () => {
    const user = await appliance.addUser()
    const { answer, token } = await logInByCookie(appliance, user)
    expect(setCookieOf(answer)).toEqual([
      `__Host-strongroom=cookie.${token}; Path=/; Secure; HttpOnly; SameSite=Strict`,
    ])
    expect(token).toMatch(/^[A-Za-z0-9]{42}$/)
    expect(JSON.stringify(answer.json)).not.toContain(token)
    expect(answer.json.CALLINFO).not.toHaveProperty('token')
    const { CALLINFO } = await appliance.client().must('POST', '/auth', appliance.credentials(user))
    const { token: _token, ...others } = CALLINFO
    expect(answer.json.CALLINFO).toEqual(others)
  })

  it.each([{}, { session: 'token' }])('with %j is as it was: the token in CALLINFO, no cookie', async (session) => {
    const members = { ...appliance.credentials(await appliance.addUser()), ...session }
    const answer = await appliance.client().post('/auth', members, { headers: ownPage })
    expect(answer.json.CALLINFO.token).toMatch(/^[A-Za-z0-9]{42}$/)
    expect(setCookieOf(answer)).toEqual([])
  })

  it('in a form, too', async () => {
    const form = new URLSearchParams({ ...appliance.credentials(await appliance.addUser()), session: 'cookie' })
    const headers = { ...ownPage, 'Content-Type': 'application/x-www-form-urlencoded' }
    const answer = await appliance.client().post('/auth', undefined, { raw: String(form), headers })
    expect(setCookieOf(answer)).toHaveLength(1)
    expect(answer.json.CALLINFO).not.toHaveProperty('token')
  })
})

describe('a call by cookie', () => {
  it('is the call of its user, and no answer holds the token', async () => {
    const user = await appliance.addUser()
    const session = await logInByCookie(appliance, user)
    const { boundary, form } = formOf('a small file')
    const answers = [
      await byCookie(session, 'GET', '/vault'),
      await byCookie(session, 'POST', '/auth/check', { body: {} }),
      await byCookie(session, 'POST', '/auth/check', { body: { token: '' } }),
      await byCookie(session, 'POST', '/transparent/hash', { body: { input: 'AAAA' } }),
      // So large that the caller is identified before the body is read.
      await byCookie(session, 'POST', '/transparent/hash', {
        body: { input: Buffer.alloc(100_000).toString('base64') },
      }),
      await byCookie(session, 'POST', '/filecollect', { raw: form, headers: { 'Content-Type': boundary } }),
      await byCookie(session, 'GET', '/audit'),
      await byCookie(session, 'GET', '/vault/987654321'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 403, 404])
    for (const { json, headers } of answers) {
      expect(JSON.stringify([json, headers])).not.toContain(session.token)
      expect(json.CALLINFO).not.toHaveProperty('token')
      expect(headers).not.toHaveProperty('set-cookie')
    }
    expect(answers[1]?.json.DATA).toEqual([])
    for (const answer of answers) expect(recordOf(answer)).toMatchObject({ username: user.username })
    expect(appliance.trail.join('') + appliance.journal).not.toContain(session.token)
  })

  it('over HTTP/1.1 and HTTP/2, where a cookie may come in pieces', async () => {
    const { cookie, token } = await logInByCookie(appliance)
    const headers = Object.entries({ ...ownPage, Cookie: `other=1; ${cookie}; last="x"` })
    const args = headers.flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    for (const version of ['--http1.1', '--http2']) {
      const answer = await curl(appliance, '/auth/check', version, ...args)
      expect(answer.split('\r\n')[0], version).toContain(' 200')
      expect(answer, version).not.toContain(token)
    }
  })

  it('is served where too many strangers come from the same address', async () => {
    await using alone = await started({ http: { unidentifiedCallsPerMinute: 5 } })
    const session = await logInByCookie(alone.appliance)
    const { call, close } = createStranger(alone.appliance)
    const refused = []
    for (let n = 0; n < 10; n++) refused.push((await call('GET', '/vault')).status)
    expect(refused).toContain(429)
    const answer = await byCookie(session, 'GET', '/vault', {}, alone.appliance)
    expect(answer.status).toBe(200)
    const foreign = await call('GET', '/vault', undefined, { Cookie: session.cookie, 'Sec-Fetch-Site': 'same-site' })
    expect(foreign.status).toBe(429)
    close()
  })

  it('has no CORS header, nor does any answer: no other origin reads one', async () => {
    const session = await logInByCookie(appliance)
    const asking = {
      Origin: 'https://evil.test',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'x-strongroom-console',
    }
    const sound = /^HTTP\/2 (?!.*^access-control-)/ims
    const args = Object.entries(asking).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
    for (const path of ['/vault', '/auth', '/openapi.json', '/nowhere'])
      for (const method of ['GET', 'POST', 'OPTIONS'])
        expect(headOf(await curl(appliance, path, '-X', method, ...args)), `${method} ${path}`).toMatch(sound)
    const answer = await byCookie(session, 'GET', '/vault', { headers: asking })
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.headers).join()).not.toMatch(/access-control-/i)
  })
})

describe('the token for the next call', () => {
  it.each(['compatible', 'strict'] as const)(
    '%s: comes in the cookie of the answer that replaces it',
    async (rotation) => {
      await using rotating = await started({ session: { rotation, rotateAfterMs: 1 } })
      const first = await logInByCookie(rotating.appliance)
      const answer = await byCookie(first, 'GET', '/vault', {}, rotating.appliance)
      const next = cookieOf(answer)
      expect(tokenIn(next)).toMatch(/^[A-Za-z0-9]{42}$/)
      expect(next).not.toBe(first.cookie)
      expect(JSON.stringify(answer.json)).not.toContain(tokenIn(next))
      for (const cookie of [next, first.cookie])
        expect((await byCookie({ cookie }, 'GET', '/vault', {}, rotating.appliance)).status).toBe(200)
    },
  )
})

describe('with a token that comes another way', () => {
  it('that token counts, good or bad, and the cookie is not looked at', async () => {
    const [mine, user] = [await logInByCookie(appliance), await appliance.addUser()]
    const { token = '' } = await appliance.login(user)
    const large = { input: Buffer.alloc(20_000).toString('base64') }
    const ways = (one: string): (() => Promise<Answer>)[] => [
      () => byCookie(mine, 'POST', '/transparent/hash', { body: { input: 'AAAA' }, headers: { 'X-Http-Token': one } }),
      () => byCookie(mine, 'POST', '/transparent/hash', { body: large, headers: { Authorization: `Bearer ${one}` } }),
      () => byCookie(mine, 'POST', `/transparent/hash?token=${one}`, { body: large }),
      () => byCookie(mine, 'POST', '/transparent/hash', { body: { input: 'AAAA', token: one } }),
      // The cookie admits the call. The caller is the user of the token.
      () => byCookie(mine, 'POST', '/transparent/hash', { body: { ...large, token: one } }),
    ]
    for (const [at, call] of ways(token).entries()) {
      const answer = await call()
      expect([answer.status, answer.json.CALLINFO.token, setCookieOf(answer)], String(at)).toEqual([200, token, []])
      expect(recordOf(answer), String(at)).toMatchObject({ outcome: 'allowed', username: user.username })
    }
    for (const [at, call] of ways('A'.repeat(42)).entries()) {
      const answer = await call()
      expectFault(answer, 403, 1200)
      expect([answer.json.CALLINFO.token, setCookieOf(answer)], String(at)).toEqual([undefined, []])
      expect(recordOf(answer), String(at)).toMatchObject({ outcome: 'session.invalid', userId: undefined })
    }
    expect((await byCookie(mine, 'GET', '/vault')).status).toBe(200)
  })

  it('from a foreign page the cookie hinders none: what came without it comes with it', async () => {
    const { cookie } = await logInByCookie(appliance)
    const client = await appliance.login()
    const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'cross-site' }
    expect((await client.get('/vault', { headers })).status).toBe(200)
    const inBody = await appliance.client().post('/auth/check', { token: client.token }, { headers })
    expect(inBody.status).toBe(200)
  })
})

it('neither form of a token serves as the other: no cookie of a token, no header of a cookie', async () => {
  const { token, cookie } = await logInByCookie(appliance)
  const client = await appliance.login()
  const asCookie = await byCookie({ cookie: `__Host-strongroom=${client.token}` }, 'GET', '/vault')
  expectFault(asCookie, 403, 1200)
  const value = cookie.slice(cookie.indexOf('=') + 1)
  expect(value).toBe(`cookie.${token}`)
  expectFault(await appliance.client().get('/vault', { token: value }), 403, 1200)
  expectFault(await appliance.client().get('/vault', { headers: { Authorization: `Bearer ${value}` } }), 403, 1200)
})

describe('the end', () => {
  it('a logout empties the cookie, and has the browser forget what it kept', async () => {
    const session = await logInByCookie(appliance)
    const answer = await byCookie(session, 'GET', '/auth/logout')
    expect(answer.status).toBe(200)
    expect(answer.headers['clear-site-data']).toBe('"storage"')
    expect(setCookieOf(answer)).toEqual([dropped])
    expectFault(await byCookie(session, 'GET', '/vault'), 403, 1200)
  })

  it('a logout by token sends the browser no instruction to delete data', async () => {
    const client = await appliance.login()
    const { headers } = await client.get('/auth/logout', { headers: ownPage })
    expect(headers).not.toHaveProperty('set-cookie')
    expect(headers).not.toHaveProperty('clear-site-data')
  })

  it('the cookie of a session that has ended is refused and emptied, with a large body too', async () => {
    const user = await appliance.addUser()
    const session = await logInByCookie(appliance, user)
    const other = await appliance.login(user)
    await other.must('DELETE', `/user/${user.id}/sessions`)
    const large = { input: Buffer.alloc(20_000).toString('base64') }
    for (const answer of [
      await byCookie(session, 'GET', '/vault'),
      await byCookie(session, 'POST', '/transparent/hash', { body: large }),
      await byCookie(session, 'GET', '/auth/logout'),
    ]) {
      expectFault(answer, 403, 1200)
      expect(setCookieOf(answer)).toEqual([dropped])
      expect(answer.headers).not.toHaveProperty('clear-site-data')
    }
  })

  it('another refusal keeps the cookie', async () => {
    const session = await logInByCookie(appliance)
    for (const path of ['/audit', '/vault/987654321', '/object/987654321'])
      expect(setCookieOf(await byCookie(session, 'GET', path)), path).toEqual([])
    expect((await byCookie(session, 'GET', '/vault')).status).toBe(200)
  })
})

it('calls that need no session, and addresses that are none, do not look at it', async () => {
  const { cookie } = await logInByCookie(appliance)
  const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'none' }
  expect((await appliance.client().get('/authinfo/logintypes', { headers })).status).toBe(200)
  expectFault(await appliance.client().get('/nowhere', { headers }), 404, 1801)
  const visit = ['-H', `Cookie: ${cookie}`, '-H', 'Sec-Fetch-Site: none', '-H', 'Accept: text/html']
  for (const path of ['/docs', '/openapi.json'])
    expect(await curl(appliance, path, ...visit), path).toMatch(/^HTTP\/[\d.]+ 200/)
})

function formOf(content: string): { boundary: string; form: string } {
  const part = `Content-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain`
  return {
    boundary: 'multipart/form-data; boundary=edge',
    form: `--edge\r\n${part}\r\n\r\n${content}\r\n--edge--\r\n`,
  }
}

async function started(overrides: Overrides) {
  const own = await TestAppliance.own(overrides)
  return { appliance: own, [Symbol.asyncDispose]: () => own.close() }
}
