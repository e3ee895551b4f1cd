import { connect as connectHttp2 } from 'node:http2'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { TestAppliance, twoWorkers } from '../../support/appliance.ts'
import type { TestClient } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { conversation, curl, exchange, portOf, secureSocket } from '../../support/wire.ts'

let appliance: TestAppliance
let lenient: TestAppliance
let client: TestClient

beforeAll(async () => {
  ;[appliance, lenient] = await Promise.all([
    TestAppliance.own(twoWorkers),
    TestAppliance.own({ http: { workers: 1, acceptChunked: true } }),
  ])
  client = await appliance.login()
})
afterAll(async () => {
  await Promise.all([expectUnharmed(appliance), expectUnharmed(lenient)])
  await Promise.all([appliance.close(), lenient.close()])
})

const codes = (json: { ERRORCODES?: Record<string, string> }) => Object.keys(json.ERRORCODES ?? {})
const head = (line: string, ...fields: string[]) =>
  `${[line, 'Host: localhost', `X-Http-Token: ${client.token}`, ...fields].join('\r\n')}\r\n\r\n`
const filePart = 'Content-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
const large = Buffer.alloc(5_000_000, 'x')
const chunked = (...pieces: string[]) =>
  `${pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')}0\r\n\r\n`

describe('what the interface does not support', () => {
  it('Expect: 100-continue: 417 1805, at once', async () => {
    const { answers } = await exchange(
      appliance,
      head('POST /api/1.0/vault HTTP/1.1', 'Expect: 100-continue', 'Content-Length: 17'),
    )
    expect(answers.map(({ status, json }) => [status, codes(json)])).toEqual([[417, ['1805', '2000']]])
    // It is no call yet: the token is repeated, and not looked at.
    expect(answers[0]?.json.DATA).toEqual({ token: client.token })
    expect(answers[0]?.json.CALLINFO).not.toHaveProperty('token')
  })

  it('417 names no close, so that curl repeats a large body by itself', async () => {
    const path = join(appliance.directory, 'large.json')
    writeFileSync(path, `{${' '.repeat(1_500_000)}}`)
    const token = ['-H', `X-Http-Token: ${client.token}`]
    for (const how of [
      ['--data-binary', `@${path}`],
      ['-X', 'POST', '-T', path],
    ]) {
      const text = await curl(appliance, '/auth/check', '--http1.1', ...token, ...how)
      const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status)
      expect(statuses).toEqual(['417', '200'])
    }
  })

  it.each(['Expect: 100-continue', 'Expect: something else'])(
    'what follows a 417 is not read as another request: %s',
    async (expectation) => {
      const name = `After ${expectation}`
      const body = JSON.stringify({ vaultname: name })
      const next = head('POST /api/1.0/vault HTTP/1.1', `Content-Length: ${body.length}`) + body
      for (const announced of [0, 7]) {
        const first = head('POST /api/1.0/vault HTTP/1.1', expectation, `Content-Length: ${announced}`)
        const { answers, closed } = await exchange(appliance, `${first}${' '.repeat(announced)}${next}`, { answers: 2 })
        expect([answers.map(({ status }) => status), closed]).toEqual([[417], true])
        expect(answers[0]?.head).not.toMatch(/^connection:/im)
      }
      const vaults = (await client.must('GET', '/vault'))['VAULTS'] as { groupname: string }[]
      expect(vaults.map(({ groupname }) => groupname)).not.toContain(name)
    },
  )

  it('chunked: 411 1806, which names the setting', async () => {
    const { answers } = await exchange(
      appliance,
      head('POST /api/1.0/vault HTTP/1.1', 'Transfer-Encoding: chunked') + chunked('{"vaultname":"x"}'),
    )
    expect(answers.map(({ status, json }) => [status, codes(json)])).toEqual([[411, ['1806', '2000']]])
    expect(answers[0]?.json.ERRORCODES?.['1806']).toContain('http.acceptChunked')
  })

  it('plain HTTP on the port of HTTPS: an answer or an end, never a hang', async () => {
    const { answers, closed } = await exchange(appliance, 'GET /api/1.0/vault HTTP/1.1\r\nHost: localhost\r\n\r\n', {
      tls: false,
    })
    expect(closed || answers.length > 0).toBe(true)
    for (const { status, json } of answers) expect([status, codes(json)]).toEqual([400, ['1811', '2000']])
  })

  it.each(['\0'.repeat(64), 'SSH-2.0-x\r\n'])('noise before TLS, %j: an end', async (noise) => {
    expect(await exchange(appliance, noise, { tls: false })).toEqual({ answers: [], closed: true })
  })

  it.each([
    'NOT HTTP AT ALL\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET /api/1.0/vault HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    'GET /api/1.0/vault HTTP/1.1\r\n\r\n',
    'POST /api/1.0/vault HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n',
    'POST /api/1.0/vault HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!',
  ])('a request that is none, %j: 400', async (request) => {
    const { answers } = await exchange(appliance, request)
    expect(answers.map(({ status, json }) => [status, json.CALLINFO.status])).toEqual([[400, 'FAIL']])
  })
})

describe('chunked, where the setting admits it', () => {
  const token = async () => (await lenient.login()).token ?? ''
  const post = (sessionToken: string, body: string) =>
    exchange(
      lenient,
      `POST /api/1.0/vault HTTP/1.1\r\nHost: x\r\nX-Http-Token: ${sessionToken}\r\nTransfer-Encoding: chunked\r\n\r\n${body}`,
    )

  it('serves a body in pieces', async () => {
    const { answers } = await post(await token(), chunked('{"vault', 'name":"In pi', 'eces"}'))
    expect(answers.map(({ status, json }) => [status, json.DATA])).toEqual([
      [200, expect.objectContaining({ vaultname: 'In pieces' })],
    ])
  })

  it('serves a GET with an empty chunked body', async () => {
    const { answers } = await exchange(
      lenient,
      `GET /api/1.0/vault HTTP/1.1\r\nHost: x\r\nX-Http-Token: ${await token()}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    )
    expect(answers.map(({ status }) => status)).toEqual([200])
  })

  it('ends a body without end at the limit: 413 1803', async () => {
    const { answers } = await post(await token(), chunked(...Array.from({ length: 160 }, () => ' '.repeat(65_536))))
    expect(answers.map(({ status, json }) => [status, codes(json)])).toEqual([[413, ['1803', '2000']]])
  })
})

describe('one connection', () => {
  it('serves pipelined requests in their order', async () => {
    const { answers } = await exchange(
      appliance,
      ['/vault', '/nowhere', '/utils/policies', '/vault'].map((path) => head(`GET /api/1.0${path} HTTP/1.1`)).join(''),
      { answers: 4 },
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 200])
    expect(answers.map(({ json }) => json.CALLINFO.handler)).toEqual([
      'GroupHandler',
      'Handler',
      'UtilsHandler',
      'GroupHandler',
    ])
  })

  it('goes on after errors', async () => {
    const bad = '{"vaultname":'
    const requests = [
      head('POST /api/1.0/vault HTTP/1.1', `Content-Length: ${bad.length}`) + bad,
      head('DELETE /api/1.0/vault HTTP/1.1'),
      head('GET /api/1.0/vault/0/members HTTP/1.1'),
      head('GET /api/1.0/vault HTTP/1.1'),
    ]
    const { answers } = await exchange(appliance, requests.join(''), { answers: 4 })
    expect(answers.map(({ status }) => status)).toEqual([400, 405, 404, 200])
  })

  it('takes a body byte by byte', async () => {
    const body = '{"vaultname":"Slow"}'
    const socket = secureSocket(appliance)
    await once(socket, 'secureConnect')
    const answer = conversation(socket, 1)
    for (const byte of head('POST /api/1.0/vault HTTP/1.1', `Content-Length: ${body.length}`) + body) socket.write(byte)
    expect((await answer).answers.map(({ status }) => status)).toEqual([200])
  })

  it('ends when a body stays away: 408 1807', async () => {
    // Of its own: others may stand still for as long on a busy machine.
    const impatient = await TestAppliance.own({ http: { requestTimeoutMs: 2_000 } })
    onTestFinished(() => impatient.close())
    const { token } = await impatient.login()
    const { answers } = await exchange(
      impatient,
      `POST /api/1.0/vault HTTP/1.1\r\nHost: localhost\r\nX-Http-Token: ${token}\r\nContent-Length: 100\r\n\r\n{"vault`,
    )
    expect(answers.map(({ status, json }) => [status, codes(json)])).toEqual([[408, ['1807', '2000']]])
  })

  it('that breaks off in a body leaves nothing behind', async () => {
    for (let round = 0; round < 20; round++) {
      const socket = secureSocket(appliance)
      await once(socket, 'secureConnect')
      socket.write(`${head('POST /api/1.0/vault HTTP/1.1', 'Content-Length: 100')}{"vaultname":"Torn"`)
      await sleep(5)
      socket.destroy()
    }
    const names = ((await client.must('GET', '/vault'))['VAULTS'] as { groupname: string }[]).map(
      ({ groupname }) => groupname,
    )
    expect(names).not.toContain('Torn')
  })

  it('that is reset amid a file leaves no stack in the journal', async () => {
    for (let round = 0; round < 10; round++) {
      const socket = secureSocket(appliance)
      await once(socket, 'secureConnect')
      const fields = ['Content-Type: multipart/form-data; boundary=b', 'Content-Length: 50000000']
      socket.write(`${head('POST /api/1.0/filecollect HTTP/1.1', ...fields)}--b\r\n${filePart}`)
      socket.write(large)
      await sleep(5)
      socket.destroy()
    }
    await client.must('POST', '/auth/check')
    expect(appliance.journal).not.toMatch(/^ +at /m)
  })
})

describe('HTTP/2', () => {
  it('takes the rest of a file that is refused, and cancels nothing', async () => {
    const session = connectHttp2(`https://localhost:${portOf(appliance)}`, { ca: appliance.ca })
    for (const [boundary, expected] of [
      ['; boundary=b', 403],
      ['', 400],
    ] as const) {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/api/1.0/filecollect',
        'content-type': `multipart/form-data${boundary}`,
      })
      const [answered, closed] = [once(stream, 'response'), once(stream, 'close')]
      stream.write(`--b\r\n${filePart}`)
      // More than the window of a stream, and little enough to arrive within a second on a busy machine.
      stream.end(large.subarray(0, 200_000))
      stream.resume()
      const [fields] = (await answered) as [{ ':status': number }]
      expect(fields[':status']).toBe(expected)
      await closed
      expect(stream.rstCode).toBe(0)
    }
    session.close()
  })

  it('grants a caller with a session more of a body at once while it comes, and nobody else', async () => {
    const session = connectHttp2(`https://localhost:${portOf(appliance)}`, { ca: appliance.ca })
    const granted: (number | undefined)[] = []
    session.on('remoteSettings', ({ initialWindowSize }) => granted.push(initialWindowSize))
    const call = async (fields: Record<string, string>, bytes: number) => {
      const head = { ':method': 'POST', ':path': '/api/1.0/vault', 'content-length': String(bytes) }
      const stream = session.request({ ...head, ...fields })
      const answered = once(stream, 'response')
      stream.end(`{"vaultname":"Wide"}${' '.repeat(bytes - 20)}`)
      const [{ ':status': status }] = (await answered) as [{ ':status': number }]
      await once(stream.resume(), 'close')
      return status
    }
    const mine = { 'x-http-token': client.token ?? '' }
    expect(await call({}, 100_000)).toBe(413)
    expect(await call({ 'x-http-token': 'x'.repeat(42) }, 100_000)).toBe(403)
    expect(await call(mine, 60_000)).toBe(200)
    expect(granted).toEqual([65_535])
    expect(await Promise.all([call(mine, 100_000), call(mine, 100_000)])).toEqual([200, 200])
    await expect.poll(() => granted.at(-1)).toBe(65_535)
    expect(granted).toContain(1024 * 1024)
    session.close()
  })

  it('serves the main calls to curl', async () => {
    const call = async (path: string, body?: unknown) => {
      const data = body === undefined ? [] : ['--data', JSON.stringify(body)]
      const [answered = '', json = ''] = (
        await curl(appliance, path, '--http2', '-H', `X-Http-Token: ${client.token}`, ...data)
      ).split('\r\n\r\n')
      expect(answered).toMatch(/^HTTP\/2 20[01]/)
      return JSON.parse(json) as { CALLINFO: Record<string, string>; VAULT: { id: string }[] }
    }
    const id = (await call('/vault', { vaultname: 'Two' })).VAULT[0]?.id
    const { ciphertext } = (await call(`/transparent/${id}/encrypt/k`, { plaintext: 'AAAA' })).CALLINFO
    expect((await call(`/transparent/${id}/decrypt/k`, { ciphertext })).CALLINFO).toMatchObject({ plaintext: 'AAAA' })
    await call(`/transparent/${id}/keys/k`)
    await call('/auth/check')
  })

  it('serves many streams of one connection, and refuses a body that is too large', async () => {
    const session = connectHttp2(`https://localhost:${portOf(appliance)}`, { ca: appliance.ca })
    const status = async (path: string, body?: Buffer | string) => {
      const stream = session.request({
        ':method': body === undefined ? 'GET' : 'POST',
        ':path': `/api/1.0${path}`,
        'x-http-token': client.token,
      })
      stream.on('error', () => undefined)
      const answered = once(stream, 'response')
      stream.end(body)
      const [fields] = (await answered) as [{ ':status': number }]
      stream.resume()
      return fields[':status']
    }
    const statuses = await Promise.all(
      Array.from({ length: 100 }, (_, index) => status(index % 2 === 0 ? '/vault' : '/nowhere')),
    )
    expect(statuses).toEqual(Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? 200 : 404)))
    expect(await status('/vault', Buffer.alloc(10 * 1024 * 1024, 0x20))).toBe(413)
    expect(await status('/vault', '{"vaultname":"x","vaultname":"y"}')).toBe(400)
    expect(await status('/vault', '{"vaultname":"Stream"}')).toBe(200)
    session.close()
  })
})
