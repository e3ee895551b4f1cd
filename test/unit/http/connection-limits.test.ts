import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createConnectionLimits, fitting } from '../../../src/http/server/connection-limits.ts'

/** The part of a connection that limits look at. */
class Peer extends EventEmitter {
  readonly remoteAddress: string

  constructor(address: string) {
    super()
    this.remoteAddress = address
  }

  destroy(): void {
    this.emit('close')
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- limits use nothing else of a socket
const from = (address: string): Socket => new Peer(address) as unknown as Socket

setFlagsFromString('--expose-gc')
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the flag puts it there
const collectGarbage = runInNewContext('gc') as () => void

function heapMB(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 1e6
}

const rules = { maxConnections: 2, maxConnectionsPerAddress: 2, proxies: [] }

it('forgets the networks of connections that it refuses', () => {
  const ends = { closed: 0, refused: 0 }
  const limits = createConnectionLimits(rules, (end) => void ends[end]++)
  const busy = ['192.0.2.1', '192.0.2.2'].map((address) => limits.admit(from(address))?.begin())
  expect(busy).not.toContain(undefined)
  const before = heapMB()
  for (let at = 0; at < 20_000; at++) limits.admit(from(`2001:db8:0:${at.toString(16)}::1`))
  expect(ends).toEqual({ closed: 0, refused: 20_000 })
  // Kept, they would take six.
  expect(heapMB() - before).toBeLessThan(1)
  busy[0]?.()
  expect(limits.admit(from('2001:db8::1'))).toBeDefined()
})

it('closes an idle connection of a proxy for another of a proxy, and for nobody else', () => {
  const ends: string[] = []
  const limits = createConnectionLimits({ ...rules, proxies: ['192.0.2.1', '192.0.2.2'] }, (end, network) =>
    ends.push(`${end} ${network}`),
  )
  const [busy] = ['192.0.2.1', '192.0.2.1'].map((address) => limits.admit(from(address)))
  busy?.begin()
  expect(limits.admit(from('192.0.2.9'))).toBeUndefined()
  expect(limits.admit(from('192.0.2.2'))).toBeDefined()
  limits.admit(from('192.0.2.2'))?.begin()
  expect(limits.admit(from('192.0.2.1'))).toBeUndefined()
  expect(ends).toEqual(['refused 192.0.2.9', 'closed 192.0.2.1', 'closed 192.0.2.2', 'refused 192.0.2.1'])
})

it('leaves each address the same share of as many connections as fit', () => {
  const configured = { maxConnections: 4096, maxConnectionsPerAddress: 1024, proxies: [] }
  expect(fitting(configured, 1000)).toEqual({ maxConnections: 1000, maxConnectionsPerAddress: 250, proxies: [] })
  for (const most of [4096, Infinity]) expect(fitting(configured, most)).toEqual(configured)
})
