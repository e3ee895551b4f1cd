import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientHttp2Session } from 'node:http2'
import { afterEach, expect, it } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { createStranger, http2Session, http2Stream, memoryMiB, tlsSocket } from '../support/stranger.ts'

let appliance: TestAppliance
const endings: (() => void)[] = []

async function given(answerTimeoutMs = 60_000): Promise<void> {
  appliance = await TestAppliance.own({ http: { workers: 2, answerTimeoutMs } })
  const honest = createStranger(appliance)
  for (let n = 0; n < 20; n++) await honest.call('GET', '/openapi.json')
  honest.close()
}
afterEach(async () => {
  for (const end of endings.splice(0)) end()
  await appliance.close()
})

/** A client that accepts no data and keeps its connection alive. */
async function silentReader(streams: number): Promise<ClientHttp2Session> {
  const session = await http2Session(appliance, { initialWindowSize: 0 })
  const pings = setInterval(() => session.destroyed || session.ping(() => undefined), 300)
  endings.push(() => {
    clearInterval(pings)
    session.destroy()
  })
  for (let n = 0; n < streams; n++) http2Stream(session, 'GET', '/openapi.json')
  return session
}

it('a window of zero bytes holds no memory, and no connection for long', async () => {
  await given(5_000)
  const before = memoryMiB(appliance)
  const sessions: ClientHttp2Session[] = []
  for (let n = 0; n < 20; n++) sessions.push(await silentReader(128))
  await sleep(2_000)
  // 2,560 copies of the document would take 1,000 MiB. The streams themselves take a tenth of it.
  expect(memoryMiB(appliance) - before).toBeLessThan(300)
  await expect.poll(() => sessions.filter(({ destroyed }) => !destroyed).length, { interval: 500 }).toBe(0)
})

it('a client that asks for much and reads nothing holds no memory either', async () => {
  await given()
  const before = memoryMiB(appliance)
  const request = 'GET /api/1.0/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'
  for (let n = 0; n < 100; n++) {
    const socket = await tlsSocket(appliance, '127.0.0.66')
    endings.push(() => socket?.destroy())
    socket?.on('error', () => undefined).pause()
    socket?.write(request.repeat(20))
  }
  await sleep(2_000)
  expect(memoryMiB(appliance) - before).toBeLessThan(200)
})

it('who reads what he asks for gets all of it', async () => {
  await given()
  const session = await http2Session(appliance)
  endings.push(() => session.destroy())
  const sizes = new Set<number>()
  for (let n = 0; n < 20; n++) {
    const stream = http2Stream(session, 'GET', '/openapi.json')
    let size = 0
    for await (const piece of stream) size += (piece as Buffer).length
    sizes.add(size)
  }
  expect([...sizes]).toEqual([expect.any(Number)])
})

it('answers that are not taken are counted with the headers of their calls, for these wait with them', async () => {
  await given()
  const session = await http2Session(appliance, { initialWindowSize: 0 })
  endings.push(() => session.destroy())
  const headers = Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`x-long-${n}`, 'x'.repeat(2_000)]))
  const cancelled: number[] = []
  for (let n = 0; n < 120; n++) {
    const stream = http2Stream(session, 'GET', '/authinfo/logintypes', headers)
    stream.once('close', () => cancelled.push(stream.rstCode))
  }
  // Two MiB correspond to some sixty calls.
  await expect.poll(() => cancelled.length).toBeGreaterThan(40)
  expect(new Set(cancelled)).toEqual(new Set([11]))
})
