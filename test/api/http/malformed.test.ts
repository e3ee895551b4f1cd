import { connect as connectHttp2 } from 'node:http2'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests } from '../../support/for-tests.ts'
import type { Envelope, TestClient } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { exchange, portOf } from '../../support/wire.ts'

const appliance = applianceForTests()
let client: TestClient

beforeAll(async () => {
  client = await appliance.login()
})
afterAll(() => expectUnharmed(appliance))

const head = (line: string, ...fields: string[]) =>
  `${[line, 'Host: localhost', `X-Http-Token: ${client.token}`, ...fields].join('\r\n')}\r\n\r\n`
const making = (vaultname: string): string => {
  const body = JSON.stringify({ vaultname })
  return head('POST /api/1.0/vault HTTP/1.1', `Content-Length: ${body.length}`) + body
}
const codes = ({ ERRORCODES }: Pick<Envelope, 'ERRORCODES'>) => Object.keys(ERRORCODES ?? {})[0]
const madeVaults = async () =>
  ((await client.must('GET', '/vault'))['VAULTS'] as { groupname: string }[]).map(({ groupname }) => groupname)

describe('what stands behind a call on its connection', () => {
  const chunked = () => head('POST /api/1.0/vault HTTP/1.1', 'Transfer-Encoding: chunked')
  const tails: readonly (readonly [string, () => string, number, string])[] = [
    ['garbage', () => 'garbage garbage\r\n\r\n', 400, '1804'],
    ['one byte too many', () => '\0', 400, '1804'],
    ['a method of HTTP/2 alone', () => head('LIST /api/1.0/transparent/1/keys HTTP/1.1'), 400, '1804'],
    [
      'two Content-Lengths',
      () => head('GET /api/1.0/vault HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2'),
      400,
      '1804',
    ],
    [
      'an expectation',
      () => head('POST /api/1.0/vault HTTP/1.1', 'Expect: 100-continue', 'Content-Length: 9'),
      417,
      '1805',
    ],
    ['CONNECT', () => 'CONNECT other.test:443 HTTP/1.1\r\nHost: other.test:443\r\n\r\n', 404, '1801'],
    ['a body with wrong chunks', () => `${chunked()}zz\r\n{}\r\n`, 411, '1806'],
  ]
  it.each(tails)('%s is answered behind the answer to the call', async (what, tail, status, code) => {
    const { answers } = await exchange(appliance, making(what) + making(`${what}, too`) + tail(), { answers: 3 })
    expect(answers.map(({ status, json }) => [status, codes(json)])).toEqual([
      [200, undefined],
      [200, undefined],
      [status, code],
    ])
    expect((await madeVaults()).filter((name) => name.startsWith(what)).toSorted()).toEqual([what, `${what}, too`])
  })
})

describe('what is answered in the envelope', () => {
  it('a body with wrong chunks: 411', async () => {
    for (const body of ['zz\r\n{}\r\n', '-1\r\n', '5\r\n{}']) {
      const request = head('POST /api/1.0/vault HTTP/1.1', 'Transfer-Encoding: chunked') + body
      const { answers } = await exchange(appliance, request)
      expect(answers.map(({ status, json }) => [status, codes(json)])).toEqual([[411, '1806']])
    }
  })

  it('CONNECT: 404', async () => {
    const { answers, closed } = await exchange(appliance, 'CONNECT a.test:1 HTTP/1.1\r\nHost: a.test:1\r\n\r\n', {
      answers: 2,
    })
    expect([answers.map(({ status, json }) => [status, codes(json)]), closed]).toEqual([[[404, '1801']], true])
  })

  it.each([
    ['CONNECT', { ':method': 'CONNECT', ':authority': 'a.test:1' }, 404, '1801'],
    ['headers beyond all measure', { ':path': '/api/1.0/vault', 'x-long': 'x'.repeat(20_000) }, 431, '1809'],
  ])('over HTTP/2, %s', async (_what, fields, status, code) => {
    const session = connectHttp2(`https://localhost:${portOf(appliance)}`, { ca: appliance.ca })
    const stream = session.request({ ...fields, 'x-http-token': client.token })
    const answered = once(stream, 'response')
    let text = ''
    stream.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    const [{ ':status': got }] = (await answered) as [{ ':status': number }]
    await once(stream, 'close')
    expect([got, codes(JSON.parse(text) as Envelope)]).toEqual([status, code])
    session.close()
  })
})
