import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import {
  createStranger,
  http2Session,
  http2Stream,
  median,
  type Heard,
  type Stranger,
  tlsSocket,
} from '../support/stranger.ts'

const large = 2 * 1024 * 1024

/** A JSON object with as many members as fit into these bytes. */
function manyMembers(bytes: number): string {
  const members: string[] = []
  for (let size = 2, n = 0; size + 12 < bytes; n++) {
    const member = `"${n.toString(36)}":1`
    members.push(member)
    size += member.length + 1
  }
  return `{${members.join(',')}}`
}

const fits = 8 * 1024
const bodies: readonly (readonly [what: string, body: string])[] = [
  ['260,000 members', manyMembers(large)],
  ['nested arrays of 2 MiB', '['.repeat(large)],
  ['a list of a million zeros', `{"a":[${'0,'.repeat(large / 2 - 8)}0]}`],
  ['as many members as a public call may send', manyMembers(fits)],
  ['lists of lists as large as that', `{"a":[${'[],'.repeat(fits / 3 - 8)}0]}`],
  ['a name of 2 MiB that is never closed', `{"${'a'.repeat(large)}`],
]
const plain = '{}'
const rounds = 9

const appliance = applianceForTests(() => TestAppliance.own())
let attacker: Stranger
let honest: Stranger

beforeAll(async () => {
  attacker = createStranger(appliance, '127.0.0.66')
  honest = createStranger(appliance)
  for (let n = 0; n < 20; n++)
    await Promise.all([attacker.call('POST', '/auth', plain), honest.call('GET', '/nowhere')])
})
afterAll(async () => {
  attacker.close()
  honest.close()
})

/** How long an honest client waits for the event loop during this call: the longest of its short calls. */
async function longestWaitDuring(attack: Promise<unknown>): Promise<number> {
  const attacked = { isOver: false }
  const ended = attack.finally(() => (attacked.isOver = true))
  let longest = 0
  while (!attacked.isOver) {
    const begun = performance.now()
    await honest.call('GET', '/nowhere')
    longest = Math.max(longest, performance.now() - begun)
  }
  await ended
  return longest
}

/** A wait that nobody notices, below which the ratio of two waits is chance. */
const noticedMs = 10

/** Medians of several rounds of the attack and of plain refusals in between. */
async function delays(attack: () => Promise<unknown>, plainRefusal: () => Promise<unknown>) {
  const measured = { attack: [] as number[], plain: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    measured.plain.push(await longestWaitDuring(plainRefusal()))
    measured.attack.push(await longestWaitDuring(attack()))
  }
  return median(measured.attack) / Math.max(median(measured.plain), noticedMs)
}

/**
 * Over an open connection, so that no handshake is measured. All but the last byte of the body arrives before the
 * measurement.
 */
async function overHttp2(body: string): Promise<Heard> {
  const session = await http2Session(appliance)
  const stream = http2Stream(session, 'POST', '/auth')
  const answered = once(stream, 'response') as Promise<[NodeJS.Dict<string>]>
  let text = ''
  stream.setEncoding('latin1').on('data', (piece: string) => (text += piece))
  stream.end(body)
  const [headers] = await answered
  if (!stream.closed) await once(stream, 'close')
  session.close()
  return { status: Number(headers[':status']), headers, bytes: text.length, text }
}

describe.each(bodies)('POST /auth with %s', (_what, body) => {
  it('is refused, and little of it is echoed', async () => {
    for (const heard of [await attacker.call('POST', '/auth', body), await overHttp2(body)]) {
      expect([400, 413]).toContain(heard.status)
      expect(heard.bytes).toBeLessThan(4 * fits)
    }
  })

  it('delays others no more than a plain refusal', async () => {
    const refusal = () => attacker.call('POST', '/auth', plain)
    expect(await delays(() => attacker.call('POST', '/auth', body), refusal)).toBeLessThan(5)
    expect(
      await delays(
        () => overHttp2(body),
        () => overHttp2(plain),
      ),
    ).toBeLessThan(5)
  })
})

describe('a call that needs a session', () => {
  const object = JSON.stringify({ templateid: 1, more: 'x'.repeat(300_000) })

  it('is refused before a large body is read, whatever stands in its header', async () => {
    const heard = await attacker.call('POST', '/object', object, { 'X-Http-Token': 'x'.repeat(42) })
    expect([heard.status, heard.bytes < 2_000]).toEqual([403, true])
  })

  it('may have its token in a small body; a large one must have it at its beginning, or in the header', async () => {
    const { token } = await appliance.login()
    const small = await attacker.call('POST', '/auth/check', JSON.stringify({ token, more: 'x'.repeat(50_000) }))
    expect(small.status).toBe(200)
    const more = 'x'.repeat(300_000)
    const refused = await attacker.call('POST', '/auth/check', JSON.stringify({ more, token }))
    expect(refused.status).toBe(413)
    const atBeginning = await attacker.call('POST', '/auth/check', JSON.stringify({ token, more }))
    expect(atBeginning.status).toBe(200)
    const bad = await attacker.call('POST', '/auth/check', JSON.stringify({ token: 'x'.repeat(42), more }))
    expect([bad.status, bad.bytes < 2_000]).toEqual([403, true])
    expect(refused.text).toContain('X-Http-Token')
    const inHeader = await attacker.call('POST', '/auth/check', object, { 'X-Http-Token': String(token) })
    expect(inHeader.status).toBe(200)
  })

  it('delays others no more than a plain refusal, whatever stands at its beginning', async () => {
    const refusal = () => attacker.call('POST', '/object', plain)
    for (const start of ['', '"token":"' + 'x'.repeat(42) + '",', '"a":1,'.repeat(680), '" '.repeat(2_000)]) {
      const body = `{${start}"more":"${'x'.repeat(large)}"}`
      expect(await delays(() => attacker.call('POST', '/object', body), refusal)).toBeLessThan(5)
    }
  })

  it('has no more members than a batch needs', async () => {
    const { token } = await appliance.login()
    const heard = await attacker.call('POST', '/auth/check', manyMembers(large), { 'X-Http-Token': String(token) })
    expect(heard.status).toBe(400)
  })
})

describe('a body that breaks off', () => {
  it('leaves no error in the journal', async () => {
    for (let n = 0; n < 10; n++) {
      const session = await http2Session(appliance)
      const stream = http2Stream(session, 'POST', '/auth', { 'content-length': '1000' })
      stream.write('{"a":')
      await sleep(10)
      session.destroy()
    }
    for (let n = 0; n < 10; n++) {
      const socket = await tlsSocket(appliance)
      socket?.write('POST /api/1.0/auth HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a":')
      await sleep(10)
      socket?.destroy()
    }
    await honest.call('GET', '/nowhere')
    const errors = appliance.journal.split('\n').filter((line) => line.includes('"level":"error"'))
    expect(errors).toHaveLength(0)
  })
})

describe('paths', () => {
  it('are case-sensitive, so that a filter in front may go by them', async () => {
    for (const path of ['/AUTH', '/Auth', '/authinfo/LoginTypes', '/VAULT'])
      expect((await honest.call('POST', path, plain)).status, path).toBe(404)
    const { origin } = new URL(appliance.url)
    const upper = createStranger({ ca: appliance.ca, url: `${origin}/API/1.0` })
    expect((await upper.call('GET', '/vault')).status).toBe(404)
    upper.close()
  })
})
