import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { ServerResponse } from 'node:http'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { Response } from '../../../src/http/server/refusals.ts'
import { issueCertificate } from '../../support/pki.ts'
import { everything, givenListener, parseAnswer, tcp, tls } from './listener.ts'
import type { Listener } from './listener.ts'

/** A listener whose calls end when the test decides. */
async function givenSlowListener(
  drainTimeoutMs: number,
): Promise<{ listener: Listener; called: Promise<Response>; second: Promise<Response> }> {
  const waiting: ((response: Response) => void)[] = []
  const called = new Promise<Response>((resolve) => waiting.push(resolve))
  const second = new Promise<Response>((resolve) => waiting.push(resolve))
  const listener = await givenListener({ drainTimeoutMs }, (_request, response) => waiting.shift()?.(response))
  return { listener, called, second }
}

const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
const answer = '{"CALLINFO":{"status":"SUCCESS"}}'
const finish = (response: Response): void => {
  response.setHeader('Content-Length', answer.length)
  response.end(answer)
}

/** A call whose answer has begun: the client has its first byte. */
async function givenBegunAnswer() {
  const { listener, called, second } = await givenSlowListener(60_000)
  const socket = tls(listener)
  const seen = everything(socket)
  await once(socket, 'secureConnect')
  socket.write(get)
  const response = await called
  if (!(response instanceof ServerResponse)) throw new TypeError('HTTP/1.1 was asked for')
  response.writeHead(200, { 'Content-Length': answer.length })
  response.write(answer.slice(0, 1))
  await once(socket, 'data')
  return { listener, second, socket, seen, response }
}

it('a call under way over HTTP/1.1 is finished, idle connections are closed and new ones refused', async () => {
  const { listener, called } = await givenSlowListener(60_000)
  const [idle, busy, silent] = [tls(listener), tls(listener), tcp(listener)]
  await Promise.all([once(idle, 'secureConnect'), once(busy, 'secureConnect'), once(silent, 'connect')])
  busy.write(get)
  const response = await called
  const closed = listener.server.close()
  await Promise.all([everything(idle), everything(silent)])
  expect(await everything(tcp(listener))).toContain('ECONNREFUSED')
  const seen = everything(busy)
  finish(response)
  expect(parseAnswer(await seen)).toMatchObject({ status: 200, head: expect.stringMatching(/^connection: close$/im) })
  await closed
})

it('a call that comes behind one under way is refused and not done', async () => {
  const { listener, second, socket, seen, response } = await givenBegunAnswer()
  const closed = listener.server.close()
  socket.write(get)
  // Both ends are in this process: after some turns of its event loop the call has arrived.
  await delay(50)
  response.end(answer.slice(1))
  const [, first = '', refusal = ''] = (await seen).split('HTTP/1.1 ')
  expect(first).toMatch(/^200 [^]*SUCCESS/)
  expect(parseAnswer(`HTTP/1.1 ${refusal}`)).toMatchObject({
    status: 503,
    head: expect.stringMatching(/^retry-after: 1$[^]*^connection: close$/im),
    body: { CALLINFO: { status: 'FAIL' }, ERRORCODES: { 1908: expect.anything() } },
  })
  await closed
  const outcome = second.then(() => 'called')
  expect(await Promise.race([outcome, Promise.resolve('not called')])).toBe('not called')
})

it('a call under way over HTTP/2 is finished after GOAWAY', async () => {
  const { listener, called } = await givenSlowListener(60_000)
  const session = connect(`https://localhost:${listener.port}`, { ca: readFileSync(listener.pki.ca) })
  const call = session.request({ ':path': '/' })
  const response = await called
  const closed = listener.server.close()
  await once(session, 'goaway')
  expect(session.closed).toBe(true)
  finish(response)
  expect((await call.toArray()).join('')).toBe(answer)
  await closed
})

it('a server that leaves serves on, and each HTTP/1.1 answer is the last of its connection', async () => {
  const { listener, called, second } = await givenSlowListener(60_000)
  const [before, after] = [tls(listener), tls(listener)]
  await Promise.all([once(before, 'secureConnect'), once(after, 'secureConnect')])
  before.write(get)
  const response = await called
  listener.server.leave()
  const seen = [before, after].map(everything)
  finish(response)
  after.write(get)
  finish(await second)
  for (const text of await Promise.all(seen))
    expect(parseAnswer(text)).toMatchObject({ status: 200, head: expect.stringMatching(/^connection: close$/im) })
  await listener.server.close()
})

it('a server that leaves serves what comes behind an answer that has begun', async () => {
  const { listener, second, socket, seen, response } = await givenBegunAnswer()
  listener.server.leave()
  socket.write(get)
  response.end(answer.slice(1))
  finish(await second)
  expect(
    (await seen)
      .split('HTTP/1.1 ')
      .slice(1)
      .map((one) => one.slice(0, 3)),
  ).toEqual(['200', '200'])
  await listener.server.close()
})

it('a server that leaves tells HTTP/2 clients to go, and serves what they sent before they heard it', async () => {
  const { listener, called, second } = await givenSlowListener(60_000)
  const session = connect(`https://localhost:${listener.port}`, { ca: readFileSync(listener.pki.ca) })
  const call = session.request({ ':path': '/' })
  const response = await called
  const gone = once(session, 'goaway')
  const late = session.request({ ':path': '/' })
  setImmediate(() => listener.server.leave())
  await gone
  finish(response)
  finish(await second)
  expect([(await call.toArray()).join(''), (await late.toArray()).join('')]).toEqual([answer, answer])
  await listener.server.close()
})

it('a call that outlives http.drainTimeoutMs is cut off', async () => {
  const { listener, called, second } = await givenSlowListener(100)
  const session = connect(`https://localhost:${listener.port}`, { ca: readFileSync(listener.pki.ca) })
  const call = session.request({ ':path': '/' })
  for (const ended of [call, session]) ended.on('error', () => {})
  await called
  const socket = tls(listener)
  socket.write(get)
  await second
  await listener.server.close()
  await Promise.all([everything(socket), call.closed || once(call, 'close')])
})

it('a reload presents the new certificate, and a broken one leaves the old', async () => {
  const lines: string[] = []
  const journal = new Writable({ write: (line: Buffer, _encoding, done) => (lines.push(line.toString()), done()) })
  const listener = await givenListener({}, (_request, response) => finish(response), pino(journal))
  const presented = async (): Promise<string> => {
    const socket: TLSSocket = connectTls({
      port: listener.port,
      host: '127.0.0.1',
      servername: 'localhost',
      ca: readFileSync(listener.pki.ca),
    })
    await once(socket, 'secureConnect')
    const name = String(socket.getPeerCertificate().subject.CN)
    socket.destroy()
    return name
  }
  expect(await presented()).toBe('localhost')

  issueCertificate(listener.pki, 'renewed')
  listener.server.reloadCertificate()
  expect(await presented()).toBe('renewed')

  for (const broken of ['not a key', readFileSync(listener.pki.caKey)]) {
    writeFileSync(listener.pki.key, broken)
    listener.server.reloadCertificate()
    expect(lines.at(-1)).toMatch(/"level":50[^]*tls.certificate/)
    expect(await presented()).toBe('renewed')
  }
  await listener.server.close()
})
