import { beforeAll, expect, it } from 'vitest'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { eventsOf } from '../../support/trail.ts'
import { curl } from '../../support/wire.ts'

const appliance = applianceForTests()
let session: TestClient
let other: TestClient

beforeAll(async () => {
  session = await appliance.login()
  other = await appliance.login()
})

const check = (headers: Record<string, string>, token: string | null = null) =>
  appliance.client().post('/auth/check', {}, { token, headers })

it.each(['Bearer TOKEN', 'bearer TOKEN', 'BEARER   TOKEN', 'Bearer TOKEN '])(
  'a session token is taken as Authorization: %s',
  async (form) => {
    const authorization = form.replace('TOKEN', session.token ?? '')
    const { status, json } = await check({ Authorization: authorization })
    expect(status).toBe(200)
    // In DATA as with the other header, for clients that read it there. The header itself is not repeated.
    expect(json.DATA).toMatchObject({ token: session.token })
    expect(json.HEADERS).not.toHaveProperty('Authorization')
    session.token = json.CALLINFO.token
  },
)

it('over HTTP/1.1 and HTTP/2 alike', async () => {
  for (const version of ['--http1.1', '--http2']) {
    const answer = await curl(appliance, '/auth/check', version, '-H', `Authorization: Bearer ${session.token}`)
    expect(answer.split('\r\n')[0], version).toContain(' 200')
  }
})

it('carries the body of a call that needs a session', async () => {
  const headers = { Authorization: `Bearer ${session.token}` }
  const input = Buffer.alloc(100_000).toString('base64')
  const { status } = await appliance.client().post('/transparent/hash', { input }, { token: null, headers })
  expect(status).toBe(200)
})

it('the same token in both headers is one; two different ones are refused, and neither is recorded as the caller', async () => {
  expect((await check({ Authorization: `Bearer ${session.token}` }, session.token)).status).toBe(200)
  for (const [one, two] of [
    [session.token, `Authorization: Bearer ${other.token}`],
    [other.token, `Authorization: Bearer ${session.token}`],
    [session.token, `Authorization: Bearer ${'A'.repeat(42)}`],
    [session.token, `X-Http-Token: ${other.token}`],
  ] as const) {
    const outcome = await curl(appliance, '/auth/check', '-H', `X-Http-Token: ${one}`, '-H', two)
    expect(outcome.split('\r\n')[0]).toContain(' 400')
    expect(outcome).toContain('The headers have two session tokens: send one of them.')
    expect(outcome).not.toContain('"token"')
  }
  const record = eventsOf(appliance).findLast(({ operation }) => operation === 'auth.check')
  expect(record).toMatchObject({ outcome: 'request.invalid' })
  expect(record).not.toHaveProperty('userId')
})

it('a header X-Http-Token that is there twice counts once', async () => {
  const header = ['-H', `X-Http-Token: ${session.token}`]
  for (const version of ['--http1.1', '--http2']) {
    const answer = await curl(appliance, '/auth/check', version, ...header, ...header)
    expect(answer.split('\r\n')[0], version).toContain(' 200')
    expect(answer).toContain(`"DATA":{"token":"${session.token}"}`)
  }
})

it('a header X-Http-Token that a proxy has joined to one counts once, with or without a blank', async () => {
  const statusOf = async (joined: string) =>
    (await curl(appliance, '/auth/check', '-H', `X-Http-Token: ${joined}`)).split('\r\n')[0]
  const token = session.token ?? ''
  expect(await statusOf(`${token},${token}`)).toContain(' 200')
  expect(await statusOf(`${token} , ${token}`)).toContain(' 200')
  expect(await statusOf(`${token},${other.token}`)).toContain(' 400')
})

it('credentials of a gateway in front are none of ours', async () => {
  const gateway = 'Bearer eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJnYXRld2F5In0.c2lnbmF0dXJl'
  for (const authorization of [gateway, 'Basic dTpw', 'Bearer', 'Bearer ', `Bearer a b`, `Token ${session.token}`]) {
    expect((await check({ Authorization: authorization }, session.token)).status, authorization).toBe(200)
    expectFault(await check({ Authorization: authorization }), 403, 1200)
  }
})
