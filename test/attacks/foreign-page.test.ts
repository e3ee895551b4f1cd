import { randomBytes } from 'node:crypto'
import { connect } from 'node:http2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { logInByCookie, ownPage, setCookieOf, type BrowserSession } from '../support/browser-session.ts'
import { expectFault, type Answer } from '../support/client.ts'
import { expectUnharmed } from '../support/health.ts'
import { createStranger } from '../support/stranger.ts'
import { eventsOf } from '../support/trail.ts'

/**
 * The attacker has a page of another origin. It makes the browser of a user with a session cookie call the appliance.
 */

const appliance = applianceForTests()
let victim: TestUser
let session: BrowserSession

beforeAll(async () => {
  victim = await appliance.addUser()
  session = await logInByCookie(appliance, victim)
})
afterAll(() => expectUnharmed(appliance))

type Headers = Readonly<Record<string, string>>

const call = (method: string, path: string, headers: Headers, raw?: string): Promise<Answer> =>
  appliance.client().call(method, path, { headers, token: null, ...(raw === undefined ? {} : { raw }) })

/** Headers that the browser sends for a page outside of the appliance, or that such a page can choose. */
const foreign: readonly (readonly [string, Headers])[] = [
  ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.test' }],
  ['another site, with the header of our own', { 'Sec-Fetch-Site': 'cross-site', 'X-Strongroom-Console': '1' }],
  ['a sub-domain, or another port', { 'Sec-Fetch-Site': 'same-site', 'X-Strongroom-Console': '1' }],
  ['the address bar', { 'Sec-Fetch-Site': 'none', 'X-Strongroom-Console': '1' }],
  ['our own page, without the header', { 'Sec-Fetch-Site': 'same-origin' }],
  ['our own page, with an empty header', { 'Sec-Fetch-Site': 'same-origin', 'X-Strongroom-Console': '' }],
  ['our own page, with another header', { 'Sec-Fetch-Site': 'same-origin', 'X-Strongroom-Console': '1, 1' }],
  ['two pages at once', { 'Sec-Fetch-Site': 'same-origin, cross-site', 'X-Strongroom-Console': '1' }],
  ['a browser that does not say', { 'X-Strongroom-Console': '1' }],
  ['other capitals', { 'Sec-Fetch-Site': 'Same-Origin', 'X-Strongroom-Console': '1' }],
  ['nothing but the cookie', {}],
]

describe.each(foreign)('%s', (_who, sent) => {
  const forms = (name: string): readonly (readonly [string, string])[] => [
    ['application/json', JSON.stringify({ groupname: name })],
    ['text/plain', `{"groupname":"${name}","x":"="}`],
    ['application/x-www-form-urlencoded', `groupname=${name}`],
    [
      'multipart/form-data; boundary=edge',
      `--edge\r\nContent-Disposition: form-data; name="groupname"\r\n\r\n${name}\r\n--edge--\r\n`,
    ],
  ]

  it('changes nothing, reads nothing, and ends no session', async () => {
    const name = `forged-${randomBytes(6).toString('hex')}`
    const headers = { ...sent, Cookie: session.cookie }
    const answers = [
      await call('GET', '/vault', headers),
      await call('GET', '/auth/logout', { ...headers, Accept: 'image/*' }),
      await call('DELETE', `/user/${victim.id}/sessions`, headers),
    ]
    for (const [type, body] of forms(name))
      answers.push(await call('POST', '/vault', { ...headers, 'Content-Type': type }, body))
    for (const answer of answers) {
      expectFault(answer, 403, 1206)
      expect(setCookieOf(answer)).toEqual([])
      expect(answer.headers).not.toHaveProperty('clear-site-data')
      const record = eventsOf(appliance).find(({ requestId }) => requestId === answer.headers['x-request-id'])
      expect(record === undefined || record['userId'] === undefined).toBe(true)
    }
    expect((await call('GET', '/vault', { ...ownPage, Cookie: session.cookie })).json['VAULTS'] ?? []).toEqual([])
    // They are refused for their origin: the same call succeeds for a page of the appliance.
    const [[type, body] = ['', '']] = forms(name)
    const own = await call('POST', '/vault', { ...ownPage, Cookie: session.cookie, 'Content-Type': type }, body)
    expect(own.status).toBe(200)
    const { id } = (own.json['VAULT'] as { id: string }[])[0] ?? { id: '' }
    expect((await call('DELETE', `/vault/${id}`, { ...ownPage, Cookie: session.cookie })).status).toBe(200)
  })

  it('puts no session of its own into the browser, and uses up no one-time password', async () => {
    const attacker = await appliance.addUser()
    const members = appliance.credentials(attacker)
    const form = String(new URLSearchParams({ ...members, session: 'cookie' }))
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const answer = await call('POST', '/auth', { ...sent, ...type }, form)
    expectFault(answer, 403, 1206)
    expect(setCookieOf(answer)).toEqual([])
    expect(answer.json.CALLINFO).not.toHaveProperty('token')
    expect((await appliance.client().post('/auth', members)).status).toBe(200)
  })
})

describe('a cookie that is none of the appliance', () => {
  const token = 'A'.repeat(42)
  it.each([
    ['an unknown token', `cookie.${token}`],
    ['empty', ''],
    ['the mark alone', 'cookie.'],
    ['quoted', `"cookie.${token}"`],
    ['encoded', `cookie%2E${token}`],
    ['too long', `cookie.${token}A`],
    ['SQL', `cookie.' OR 1=1 --`],
    ['bytes that are no ASCII', 'cookie.\u00e4\u00ff'],
    ['12 KiB', 'A'.repeat(12 * 1024)],
    ['marks within marks', `cookie.cookie.${token}`],
  ])('%s: is refused as a session that has ended, and emptied', async (_what, value) => {
    const answer = await call('GET', '/vault', { ...ownPage, Cookie: `__Host-strongroom=${value}` })
    expectFault(answer, 403, 1200)
    expect(setCookieOf(answer)[0]).toContain('__Host-strongroom=; ')
  })

  it.each(['__host-strongroom', '__Host-strongroom2', 'x__Host-strongroom', '__Secure-strongroom', ' '])(
    'of the name %j: is not looked at',
    async (name) => {
      const cookie = `${name}=${session.cookie.split('=')[1]}`
      const answer = await call('GET', '/vault', { ...ownPage, Cookie: cookie })
      expectFault(answer, 403, 1200)
      expect(setCookieOf(answer)).toEqual([])
      expect((await call('GET', '/vault', { ...ownPage, Cookie: `${cookie}; ${session.cookie}` })).status).toBe(200)
    },
  )

  it('a second one of the same name: neither is chosen', async () => {
    const other = await logInByCookie(appliance)
    for (const cookie of [
      `${other.cookie}; ${session.cookie}`,
      `${session.cookie}; ${other.cookie}`,
      `${session.cookie};${session.cookie}`,
      `${session.cookie}; __Host-strongroom=`,
    ]) {
      const answer = await call('GET', '/vault', { ...ownPage, Cookie: cookie })
      expectFault(answer, 400, 1804)
      expect(answer.json.ERRORS?.[0]).toBe('The cookie __Host-strongroom is there twice: send one.')
      expect(setCookieOf(answer)).toEqual([])
    }
  })

  it('64 KiB: the headers are refused over HTTP/1.1 and HTTP/2', async () => {
    const cookie = `${session.cookie}; ${'a'.repeat(64 * 1024)}`
    const stranger = createStranger(appliance)
    expect((await stranger.call('GET', '/vault', undefined, { ...ownPage, Cookie: cookie })).status).toBe(431)
    stranger.close()
    expect(await statusOverHttp2(cookie)).not.toBe(200)
    expect(await statusOverHttp2(session.cookie)).toBe(200)
  })

  it('ten thousand small ones cost no more than their bytes', async () => {
    const cookie = `${'a=;'.repeat(5_000)}${session.cookie}`
    expect((await call('GET', '/vault', { ...ownPage, Cookie: cookie })).status).toBe(200)
  })
})

/** The status; undefined where the stream or the connection was ended. */
function statusOverHttp2(cookie: string): Promise<number | undefined> {
  const client = connect(new URL(appliance.url).origin, { ca: appliance.ca })
  return new Promise<number | undefined>((resolve) => {
    client.once('error', () => resolve(undefined))
    const stream = client.request({ ':path': '/api/1.0/vault', ...ownPage, cookie })
    stream.once('response', (headers) => resolve(headers[':status']))
    stream.once('error', () => resolve(undefined))
    stream.once('close', () => resolve(undefined))
    stream.end()
  }).finally(() => client.destroy())
}
