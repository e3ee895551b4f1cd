import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:http2'
import { join, dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Request, Response } from '../../../src/http/server/refusals.ts'
import { curl, everything, givenListener, parseAnswer, run, tcp, tls } from './listener.ts'
import type { Listener } from './listener.ts'

let begun = 0
/** Answers with the length of the body, like an interface that reads it completely. */
function measure(request: Request, response: Response): void {
  begun += 1
  let bytes = 0
  request.on('data', (piece: Buffer) => (bytes += piece.length))
  request.on('end', () => response.end(JSON.stringify({ method: request.method, version: request.httpVersion, bytes })))
}

let strict: Listener
/** The one that soon gives up who stands still, which others do on a busy machine too. */
let impatient: Listener
let lenient: Listener
let bigFile: string

beforeAll(async () => {
  strict = await givenListener({}, measure)
  impatient = await givenListener({ requestTimeoutMs: 1_500 }, measure)
  lenient = await givenListener({ acceptChunked: true, maxConnections: 3 }, measure)
  bigFile = join(dirname(strict.pki.ca), 'big')
  writeFileSync(bigFile, Buffer.alloc(4 << 20, 'a'))
})
afterAll(async () => {
  await Promise.all([strict, impatient, lenient].map(({ server }) => server.close()))
})

const json = (answer: string): { CALLINFO: { status: string; errors: number }; ERRORS: string[] } =>
  JSON.parse(answer.split('\r\n\r\n').at(-1) ?? '')

describe('protocols', () => {
  it('offers h2 and http/1.1 by ALPN, and http/1.1 to clients without ALPN', async () => {
    expect(await curl(strict, '/', '--http2')).toMatch(/^HTTP\/2 200[^]*"version":"2.0"/)
    expect(await curl(strict, '/', '--http1.1')).toMatch(/^HTTP\/1.1 200[^]*"version":"1.1"/)
    expect(await curl(strict, '/', '--no-alpn')).toMatch(/^HTTP\/1.1 200/)
  })

  it('serves the method LIST over HTTP/2, and over HTTP/1.1 says where it is served', async () => {
    expect(await curl(strict, '/', '--http2', '-X', 'LIST')).toContain('"method":"LIST"')
    const refused = await curl(strict, '/', '--http1.1', '-X', 'LIST')
    expect(refused).toMatch(/^HTTP\/1.1 400/)
    expect(json(refused).ERRORS).toEqual([expect.stringContaining('LIST needs HTTP/2')])
  })

  it.each([
    ['-tls1_1', /alert protocol version|no protocols available|unsupported protocol/],
    ['-tls1_2', /Protocol *: TLSv1\.2[^]*Verify return code: 0|New, TLSv1\.2/],
    ['-tls1_3', /New, TLSv1\.3/],
  ])('openssl s_client %s', async (version, expected) => {
    const cipher = version === '-tls1_1' ? ['-cipher', 'ALL:@SECLEVEL=0'] : []
    const seen = await run('openssl', [
      's_client',
      '-connect',
      `127.0.0.1:${strict.port}`,
      '-CAfile',
      strict.pki.ca,
      version,
      ...cipher,
    ])
    expect(seen).toMatch(expected)
  })

  it.each(['AES128-SHA', 'ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384'])(
    'refuses the cipher %s',
    async (cipher) => {
      const seen = await run('openssl', [
        's_client',
        '-connect',
        `127.0.0.1:${strict.port}`,
        '-tls1_2',
        '-cipher',
        cipher,
      ])
      expect(seen).toMatch(/handshake failure/)
    },
  )
})

describe('what the interface forbids, answered in its envelope', () => {
  it('Expect: 100-continue → 417, and never 100; curl repeats the request by itself', async () => {
    // The header is not given as an option, because curl would repeat it as well.
    const answer = await curl(strict, '/', '--http1.1', '--data-binary', `@${bigFile}`)
    expect([...answer.matchAll(/^HTTP\/1.1 (\d+)/gm)].map(([, status]) => status)).toEqual(['417', '200'])
    expect(answer).toContain(`"bytes":${4 << 20}`)
    const socket = tls(strict)
    const refused = everything(socket)
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 7\r\n\r\n')
    expect(parseAnswer(await refused)).toMatchObject({ status: 417, body: { CALLINFO: { status: 'FAIL', errors: 1 } } })
  })

  it('Expect: 100-continue over HTTP/2 → 417, and never 100', async () => {
    // Not by curl, which repeats such a call endlessly over HTTP/2.
    const session = connect(`https://localhost:${strict.port}`, { ca: readFileSync(strict.pki.ca) })
    const call = session.request({ ':method': 'POST', ':path': '/', expect: '100-continue' })
    call.on('continue', () => call.emit('error', new Error('100 Continue')))
    const [headers] = await once(call, 'response')
    expect(headers[':status']).toBe(417)
    expect(JSON.parse((await call.toArray()).join('')).CALLINFO.status).toBe('FAIL')
    session.destroy()
  })

  it.each(['--http1.1', '--http2'])('any other Expect → 417 (%s)', async (version) => {
    expect(await curl(strict, '/', version, '-H', 'Expect: a miracle')).toMatch(/^HTTP\/\S+ 417[^]*"FAIL"/)
  })

  it('chunked → 411, whose text names the setting, even with four megabytes on the way', async () => {
    const answer = await curl(
      strict,
      '/',
      '--http1.1',
      '-H',
      'Transfer-Encoding: chunked',
      '-H',
      'Expect:',
      '--data-binary',
      `@${bigFile}`,
    )
    expect(answer).toMatch(/^HTTP\/1.1 411/)
    expect(answer).toMatch(/^connection: close\r$/im)
    expect(json(answer).ERRORS).toEqual([expect.stringContaining('http.acceptChunked')])
  })

  it('chunked is read where http.acceptChunked is on, and over HTTP/2 there is no such thing', async () => {
    const chunked = ['-H', 'Transfer-Encoding: chunked', '-H', 'Expect:', '--data-binary', `@${bigFile}`]
    expect(await curl(lenient, '/', '--http1.1', ...chunked)).toContain(`"bytes":${4 << 20}`)
    expect(await curl(strict, '/', '--http2', '-H', 'Expect:', '--data-binary', `@${bigFile}`)).toContain(
      `"bytes":${4 << 20}`,
    )
  })

  it('a closed connection follows a refused request, so that its body is never taken for the next one', async () => {
    const socket = tls(strict)
    socket.write(
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n29\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n\r\n0\r\n\r\n',
    )
    const answer = await everything(socket)
    expect(answer.match(/HTTP\/1.1 /g)).toHaveLength(1)
    expect(parseAnswer(answer).status).toBe(411)
  })
})

describe('what is not a request', () => {
  it('plain HTTP on the TLS port → 400, saying that HTTPS is required', async () => {
    const answer = await run('curl', [
      '-s',
      '-S',
      '-i',
      '--max-time',
      '60',
      `http://localhost:${strict.port}/api/1.0/auth`,
    ])
    expect(answer).toMatch(/^HTTP\/1.1 400/)
    expect(parseAnswer(answer).body.ERRORS[0]).toMatch(/HTTPS/)
  })

  it('plain HTTP with a large body still reads its answer', async () => {
    const answer = await run('curl', [
      '-s',
      '-S',
      '-i',
      '--max-time',
      '60',
      '-H',
      'Expect:',
      // The rate limit makes curl look for an answer between pieces. The connection is closed at once, and a client
      // that only sends would report nothing but that.
      '--limit-rate',
      '1M',
      '--data-binary',
      `@${bigFile}`,
      `http://localhost:${strict.port}/`,
    ])
    expect(answer).toMatch(/^HTTP\/1.1 400[^]*HTTPS/)
  })

  it('garbage instead of a handshake is closed, and the listener lives', async () => {
    const socket = tcp(strict)
    socket.write(Buffer.alloc(512, 0xa5))
    await everything(socket)
    expect(await curl(strict, '/')).toMatch(/ 200/)
  })

  it.each([
    ['garbage', 'one two three\r\n\r\n', 400],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    [
      'length and chunked',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
    ['a header of 20 KiB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['an address of 20 KiB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ])('%s', async (_name, request, status) => {
    const socket = tls(strict)
    socket.write(request)
    const answer = parseAnswer(await everything(socket))
    expect(answer.status).toBe(status)
    expect(answer.head).toMatch(/^connection: close$/im)
    expect(answer.body.CALLINFO.status).toBe('FAIL')
  })

  it.each([
    ['half a header', 'POST / HTTP/1.1\r\nHost: x\r\n'],
    ['half a body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf'],
  ])('%s, then silence → 408', async (_name, request) => {
    const socket = tls(impatient)
    socket.write(request)
    expect(parseAnswer(await everything(socket)).status).toBe(408)
  })

  it('half a body over HTTP/2, then silence → 408', async () => {
    const session = connect(`https://localhost:${impatient.port}`, { ca: readFileSync(impatient.pki.ca) })
    const call = session.request({ ':method': 'POST', ':path': '/' })
    call.on('error', () => {})
    call.write('half')
    const [headers] = await once(call, 'response')
    expect(headers[':status']).toBe(408)
    // The stream ends with its answer, although its client has not sent everything.
    call.resume()
    await once(call, 'end')
    await expect.poll(() => call.closed).toBe(true)
    session.destroy()
  })
})

it('closes connections beyond http.maxConnections, and takes new ones when others have gone', async () => {
  const earlier = begun
  const held = [tls(lenient), tls(lenient), tls(lenient)]
  await Promise.all(held.map((socket) => once(socket, 'secureConnect')))
  // Each with a call under way, because an idle one would be closed to make room.
  for (const socket of held) socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n1')
  await expect.poll(() => begun).toBe(earlier + held.length)
  expect(await curl(lenient, '/')).toMatch(/curl: \(\d+\)/)
  const gone = once(held[0] ?? tls(lenient), 'close')
  held[0]?.destroy()
  await gone
  await expect.poll(() => curl(lenient, '/')).toMatch(/ 200/)
  for (const socket of held) socket.destroy()
})
