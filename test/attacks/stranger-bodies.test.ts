import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { createStranger, http2Session, http2Stream, memoryMiB, tlsSocket } from '../support/stranger.ts'

/** Small, so that a few hundred bodies exceed it by far. */
const budgetMiB = 1

let appliance: TestAppliance
const endings: (() => void)[] = []

/** With one token host, because only the workers are attacked. */
async function start(): Promise<void> {
  const http = { workers: 2, maxUnidentifiedBytes: budgetMiB * 1024 * 1024 }
  appliance = await TestAppliance.own({ http }, { hosts: 1 })
}
afterEach(() => {
  for (const end of endings.splice(0)) end()
})

interface Attack {
  readonly path: string
  /** Announced length of the body. One byte less is sent. */
  readonly bytes: number
  readonly headers?: Record<string, string>
  readonly start?: string
}

const bodyOf = (bytes: number, start = ''): Buffer =>
  Buffer.concat([Buffer.from(start), Buffer.alloc(bytes - start.length, ' ')])

/** Opens connections, each of which sends a body without its last byte. */
async function overHttp1(connections: number, { path, bytes, headers = {}, start }: Attack): Promise<void> {
  const fields = Object.entries({ Host: 'localhost', 'Content-Length': String(bytes), ...headers })
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const body = bodyOf(bytes - 1, start)
  const one = async (): Promise<void> => {
    const socket = await tlsSocket(appliance, '127.0.0.66')
    socket?.on('error', () => undefined).resume()
    endings.push(() => socket?.destroy())
    socket?.write(`POST /api/1.0${path} HTTP/1.1\r\n${head}\r\n`)
    socket?.write(body)
  }
  for (let n = 0; n < connections; n += 20) await Promise.all(Array.from({ length: 20 }, one))
}

async function overHttp2(connections: number, streams: number, { path, bytes, headers, start }: Attack): Promise<void> {
  const body = bodyOf(bytes - 1, start)
  for (let n = 0; n < connections; n++) {
    const session = await http2Session(appliance)
    endings.push(() => session.destroy())
    for (let m = 0; m < streams; m++) http2Stream(session, 'POST', path, headers).resume().write(body)
  }
}

/** The additional memory of the workers after they have received all that they accept: it grows no more. */
async function grownBy(attack: Promise<void>): Promise<number> {
  const before = memoryMiB(appliance)
  await attack
  for (let seen = memoryMiB(appliance); ;) {
    await sleep(500)
    const now = memoryMiB(appliance)
    if (now - seen < 1) return now - before
    seen = now
  }
}

const token = { 'X-Http-Token': 'x'.repeat(42) }
/** For connections and streams themselves, before garbage collection. Each attack sends bodies of 500 MiB at least. */
const mostMiB = 300

const large = 2 * 1024 * 1024
const login: Attack = { path: '/auth', bytes: large }
const withToken: Attack = { path: '/object', bytes: large, headers: token }
/** Larger than a caller without a session may send, so that its beginning is searched for a token. */
const tokenAtStart: Attack = { path: '/transparent/restore/1/key', bytes: large }
const badToken: Attack = { ...tokenAtStart, start: `{"token":"${'x'.repeat(42)}","backup":"` }

describe('bodies that never end fill no memory', () => {
  // Workers that have held nothing yet: memory that an earlier attack left would hide what the next one takes.
  beforeEach(start)
  afterEach(() => appliance.close())

  it.each([
    ['a login', login],
    ['a call that may have its token at the start of a large body', tokenAtStart],
    ['a call with a token at the start of a large body', badToken],
  ])('of %s, each one byte short, over 250 connections', async (_what, attack) => {
    expect(await grownBy(overHttp1(250, attack))).toBeLessThan(mostMiB)
  })

  it.each([
    ['a login', login],
    ['a call with a token in its header', withToken],
    ['a call that may have its token at the start of a large body', tokenAtStart],
    ['a call with a token at the start of a large body', badToken],
  ])('of %s, over 4 connections of HTTP/2 with 120 streams each', async (_what, attack) => {
    expect(await grownBy(overHttp2(4, 120, attack))).toBeLessThan(mostMiB)
  })
})

/** As many as a stream may have (`maxHeaderListSize`). */
const longHeaders = Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`x-long-${n}`, 'x'.repeat(2_000)]))

describe('what is sent beyond the budget', () => {
  beforeAll(start)
  afterAll(() => appliance.close())

  it('who sends many bodies and ends none is told to come again, and others are served meanwhile', async () => {
    const { token: session = '' } = await appliance.login()
    const honest = createStranger(appliance)
    const body = JSON.stringify({ token: session, more: 'x'.repeat(60_000) })
    await overHttp1(100, { path: '/object', bytes: 64 * 1024 })
    for (let n = 0; n < 20; n++) expect((await honest.call('POST', '/auth/check', body)).status).toBe(200)
    honest.close()
  })

  it('the refusal says so, and when to try again', async () => {
    const answers: string[] = []
    for (let n = 0; n < 60; n++) {
      const socket = await tlsSocket(appliance, '127.0.0.66')
      endings.push(() => socket?.destroy())
      socket?.on('error', () => undefined).on('data', (piece: Buffer) => answers.push(piece.toString('latin1')))
      socket?.write('POST /api/1.0/object HTTP/1.1\r\nHost: x\r\nContent-Length: 65536\r\n\r\n')
      socket?.write(Buffer.alloc(65_535, ' '))
    }
    const heard = () => answers.join('')
    await expect.poll(heard).toContain('"1910"')
    expect(heard()).toMatch(/^HTTP\/1.1 503 /)
    expect(heard()).toMatch(/retry-after: 1\r\n/i)
  })

  it('calls with long headers whose bodies are still to come are counted with these', async () => {
    const session = await http2Session(appliance)
    endings.push(() => session.destroy())
    const statuses = new Set<unknown>()
    let ended = 0
    for (let n = 0; n < 120; n++) {
      const stream = http2Stream(session, 'POST', '/auth', { ...longHeaders, 'content-length': '100' })
      stream.on('response', ({ ':status': status }) => statuses.add(status)).resume()
      stream.once('close', () => (ended += 1))
      stream.write('{')
    }
    // One MiB corresponds to some thirty of them.
    await expect.poll(() => ended).toBeGreaterThan(80)
    expect([...statuses]).toEqual([503])
    const honest = createStranger(appliance, '127.0.0.2')
    expect((await honest.call('POST', '/auth/check', '{}')).status).toBe(403)
    honest.close()
  })
})
