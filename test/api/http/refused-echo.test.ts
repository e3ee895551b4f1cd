import { beforeAll, describe, expect, it } from 'vitest'
import type { TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { eventsOf } from '../../support/trail.ts'

const secret = 'never to be repeated'

const appliance = applianceForTests()
let client: TestClient
let user: TestUser

beforeAll(async () => {
  user = await appliance.addUser()
  client = await appliance.login(user)
})

/** No X-Http-Token header is sent: some of the paths have the session token in the query. */
const call = (method: string, path: string, raw?: string) =>
  client.call(method, path, { token: null, ...(raw !== undefined && { raw }) })

describe.each([
  ['that matches no path', 'GET', '/nosuch', undefined, 404, 1801],
  ['of a wrong method', 'DELETE', '/vault', undefined, 405, 1802],
  ['whose body is no JSON', 'POST', '/vault', '{"vaultname"', 400, 1800],
  ['whose body is too large', 'POST', '/auth/check', 'x'.repeat(3_000_000), 413, 1803],
] as const)('a call %s', (_what, method, path, raw, status, code) => {
  it('has the members of its query in DATA, and the token of the query in CALLINFO', async () => {
    const answer = await call(method, `${path}?token=${client.token}&a=1&b=%C3%A9`, raw)
    expectFault(answer, status, code)
    expect(answer.json.DATA).toEqual({ a: '1', b: 'é', token: client.token })
    expect(answer.json.CALLINFO.token).toBe(client.token)
    const event = eventsOf(appliance).find(({ requestId }) => requestId === answer.headers['x-request-id'])
    expect(event).toMatchObject({ outcome: expect.any(String), userId: user.id, username: user.username })
  })

  it('has no token in CALLINFO where that of the query is none', async () => {
    const { json } = await call(method, `${path}?token=${'x'.repeat(42)}&a=1`, raw)
    expect(json.DATA).toEqual({ a: '1', token: 'x'.repeat(42) })
    expect(json.CALLINFO).not.toHaveProperty('token')
  })
})

describe('a call that matches nothing', () => {
  it('has no member in DATA that is a secret in any call', async () => {
    const members = ['password', 'passphrase', 'newpassphrase', 'plaintext', 'cvc', 'otp', 'secret', 'ciphertext']
    const query = members.map((name) => `${name}=${encodeURIComponent(secret)}`).join('&')
    for (const [method, path] of [
      ['POST', '/objects'],
      ['DELETE', '/object'],
      ['GET', '/nosuch'],
    ] as const) {
      const { json } = await call(method, `${path}?${query}&colour=red`)
      expect([method, path, json.DATA]).toEqual([method, path, { colour: 'red' }])
    }
  })

  it('has an empty DATA at the paths whose calls echo nothing', async () => {
    for (const [method, path] of [
      ['POST', '/authinfo/logintypes'],
      ['GET', '/link/open'],
    ] as const) {
      const answer = await call(method, `${path}?token=${client.token}&a=1`)
      expectFault(answer, 405, 1802)
      expect(answer.json.DATA).toEqual([])
      expect(answer.json.CALLINFO).not.toHaveProperty('token')
    }
  })

  it('has an empty DATA where its query cannot be read, and keeps its status', async () => {
    for (const query of ['a=1&a=2', 'a=%ff', `${'a&'.repeat(300)}b=1`]) {
      const answer = await call('GET', `/nosuch?${query}`)
      expectFault(answer, 404, 1801)
      expect(answer.json.DATA).toEqual([])
    }
  })

  it('has nothing of its body in DATA: of no such call is a body read', async () => {
    const answer = await call('POST', '/nosuch?a=1', JSON.stringify({ token: client.token, b: 2 }))
    expectFault(answer, 404, 1801)
    expect(answer.json.DATA).toEqual({ a: '1' })
    expect(answer.json.CALLINFO).not.toHaveProperty('token')
  })
})
