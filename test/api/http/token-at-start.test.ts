import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import type { Envelope } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { exchange, portOf, secureSocket } from '../../support/wire.ts'

const appliance = applianceForTests(() => TestAppliance.own({ http: { workers: 1, acceptChunked: true } }))
let token: string

beforeAll(async () => {
  token = (await appliance.login()).token ?? ''
})
afterAll(() => expectUnharmed(appliance))

const bodyOf = (bytes: number, given = token): string => {
  const start = `{"token":"${given}","more":"`
  return `${start}${'x'.repeat(bytes - start.length - 2)}"}`
}

interface Heard {
  readonly status: number | undefined
  readonly json: Envelope | undefined
}

async function overHttp1(...parts: readonly string[]): Promise<Heard> {
  const { answers } = await exchange(appliance, ['POST /api/1.0/auth/check HTTP/1.1\r\nHost: x\r\n', ...parts].join(''))
  return { status: answers[0]?.status, json: answers[0]?.json }
}

const withLength = (body: string): Promise<Heard> => overHttp1(`Content-Length: ${body.length}\r\n\r\n`, body)

function inChunks(body: string, pieceBytes: number): Promise<Heard> {
  const pieces = body.match(new RegExp(`[^]{1,${pieceBytes}}`, 'g')) ?? []
  const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`)
  return overHttp1('Transfer-Encoding: chunked\r\n\r\n', ...chunks, '0\r\n\r\n')
}

async function overHttp2(body: string, hasLength: boolean): Promise<Heard> {
  const session = connectHttp2(`https://localhost:${portOf(appliance)}`, { ca: appliance.ca })
  const length = hasLength ? { 'content-length': String(body.length) } : {}
  const stream = session.request({ ':method': 'POST', ':path': '/api/1.0/auth/check', ...length })
  const answered = once(stream, 'response') as Promise<[NodeJS.Dict<string>]>
  stream.on('error', () => undefined).end(body)
  const [{ ':status': status }] = await answered
  let text = ''
  for await (const piece of stream.setEncoding('latin1')) text += String(piece)
  session.close()
  return { status: Number(status), json: JSON.parse(text) as Envelope }
}

const ways: readonly (readonly [string, (body: string) => Promise<Heard>])[] = [
  ['with its length', withLength],
  ['in large chunks', (body) => inChunks(body, 65_536)],
  ['in small chunks', (body) => inChunks(body, 50)],
  ['over HTTP/2', (body) => overHttp2(body, true)],
  ['over HTTP/2, without its length', (body) => overHttp2(body, false)],
]

it.each(ways)(
  'a body %s is read whole where its token stands at its beginning, whatever its size',
  async (_way, send) => {
    for (const bytes of [100, 4_095, 4_096, 4_097, 9_000, 65_536, 65_537, 300_000, 2 * 1024 * 1024]) {
      const body = bodyOf(bytes)
      const { status, json } = await send(body)
      expect([bytes, status, json?.CALLINFO.token]).toEqual([bytes, 200, token])
      expect(json?.DATA).toEqual(JSON.parse(body))
    }
  },
)

it.each(ways)(
  'a body %s is refused where the token is none, stands elsewhere, or the body is too large',
  async (_way, send) => {
    expect((await send(bodyOf(300_000, 'x'.repeat(42)))).status).toBe(403)
    expect((await send(`{"more":"${'x'.repeat(300_000)}","token":"${token}"}`)).status).toBe(413)
    expect((await send(bodyOf(2 * 1024 * 1024 + 1))).status).toBe(413)
    expect((await send(`${bodyOf(300_000).slice(0, -1)},}`)).status).toBe(400)
  },
)

it('a body that breaks off while its caller is looked up leaves no error behind', async () => {
  for (let n = 0; n < 20; n++) {
    const socket = secureSocket(appliance)
    await once(socket, 'secureConnect')
    socket.write(`POST /api/1.0/auth/check HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n${bodyOf(5_000)}`)
    if (n % 2 === 0) await new Promise((resolve) => setTimeout(resolve, n))
    socket.destroy()
  }
  expect((await withLength(bodyOf(300_000))).status).toBe(200)
  expect(appliance.journal.split('\n').filter((line) => line.includes('"level":"error"'))).toEqual([])
})
