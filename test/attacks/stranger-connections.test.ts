import { setTimeout as sleep } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { createStranger, tlsSocket } from '../support/stranger.ts'

let appliance: TestAppliance
const held: TLSSocket[] = []

beforeEach(async () => {
  appliance = await TestAppliance.own({ http: { maxConnections: 120, maxConnectionsPerAddress: 50 } })
})
afterEach(async () => {
  for (const socket of held.splice(0)) socket.destroy()
  await appliance.close()
})

/** Opens connections and leaves them idle. */
async function hold(connections: number, address: string): Promise<TLSSocket[]> {
  const mine: TLSSocket[] = []
  for (let n = 0; n < connections; n++) {
    const socket = await tlsSocket(appliance, address)
    socket?.resume()
    if (socket) mine.push(socket)
  }
  held.push(...mine)
  return mine
}

const stillOpen = (sockets: readonly TLSSocket[]): number => sockets.filter(({ closed }) => !closed).length

it('one address holds as many idle connections as it may, its newest, and keeps nobody else out', async () => {
  const honest = createStranger(appliance)
  expect((await honest.call('GET', '/authinfo/logintypes')).status).toBe(200)
  const attack = await hold(150, '127.0.0.66')
  await expect.poll(() => stillOpen(attack)).toBeLessThanOrEqual(50)
  // Only as many of them are closed as necessary.
  await sleep(300)
  expect(stillOpen(attack)).toBe(50)
  expect(stillOpen(attack.slice(-50))).toBe(50)
  // Over its existing connection, and over a new one.
  expect((await honest.call('GET', '/authinfo/logintypes')).status).toBe(200)
  const other = createStranger(appliance)
  expect((await other.call('GET', '/authinfo/logintypes')).status).toBe(200)
  for (const stranger of [honest, other]) stranger.close()
})

it('many addresses that fill the worker lose their own, and not those who have few', async () => {
  const honest = createStranger(appliance)
  expect((await honest.call('GET', '/authinfo/logintypes')).status).toBe(200)
  for (let n = 0; n < 5; n++) await hold(40, `127.0.1.${n + 1}`)
  await expect.poll(() => stillOpen(held)).toBeLessThanOrEqual(120)
  for (let n = 0; n < 20; n++) {
    const other = createStranger(appliance)
    expect((await other.call('GET', '/authinfo/logintypes')).status).toBe(200)
    other.close()
  }
  expect((await honest.call('GET', '/authinfo/logintypes')).status).toBe(200)
  honest.close()
})

it('closed connections are counted in the journal, in few lines', async () => {
  await hold(150, '127.0.0.66')
  await appliance.stop()
  const lines = appliance.journal.split('\n').filter((line) => line.includes('had to make room'))
  const counts = lines.map((line) => (JSON.parse(line) as { closed: number }).closed)
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(100)
  expect(lines.length).toBeLessThan(10)
  expect(lines[0]).toContain('127.0.0.66')
})

it('a connection with a call under way is not idle', async () => {
  const [busy] = await hold(1, '127.0.0.66')
  busy?.write('POST /api/1.0/auth HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{')
  // The worker has read what came before an answer to another connection.
  const other = createStranger(appliance)
  for (let n = 0; n < 2; n++) expect((await other.call('GET', '/authinfo/logintypes')).status).toBe(200)
  other.close()
  await hold(80, '127.0.0.66')
  expect(busy?.closed).toBe(false)
})
