import { expect, it, vi } from 'vitest'
import { createWaitingConnections } from '../../../src/daemon/waiting-connections.ts'

const [greedy, other, proxy] = ['192.0.2.1', '192.0.2.2', '192.0.2.3']

function givenWaiting(most = 100) {
  const closed: string[] = []
  const told = vi.fn()
  const waiting = createWaitingConnections<{ name: string; close(): void }>({ most, proxies: [proxy] }, told)
  return {
    closed,
    told,
    waiting,
    add: (name: string, address: string) => waiting.add({ name, close: () => closed.push(name) }, address),
    order: () => Array.from({ length: 8 }, () => waiting.next()?.name).filter((name) => name !== undefined),
  }
}

it('networks take turns, each with its longest waiting connection', () => {
  const { add, order } = givenWaiting()
  for (const name of ['a1', 'a2', 'a3', 'a4']) add(name, greedy)
  for (const name of ['b1', 'b2']) add(name, other)
  expect(order()).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4'])
})

it('addresses of one /64 share a turn', () => {
  const { add, order } = givenWaiting()
  for (const host of [1, 2, 3]) add(`a${host}`, `2001:db8::${host}`)
  add('b1', '2001:db8:1::1')
  expect(order()).toEqual(['a1', 'b1', 'a2', 'a3'])
})

it('one that comes while another of its network waits does not come before those of others', () => {
  const { add, waiting } = givenWaiting()
  add('a1', greedy)
  add('a2', greedy)
  add('b1', other)
  expect(waiting.next()?.name).toBe('a1')
  add('a3', greedy)
  expect(waiting.next()?.name).toBe('b1')
})

it('beyond the limit, the longest waiting one of the network with most is closed', () => {
  const { add, order, closed, told } = givenWaiting(3)
  for (const name of ['a1', 'a2', 'a3']) add(name, greedy)
  for (const name of ['b1', 'b2']) add(name, other)
  expect(closed).toEqual(['a1', 'a2'])
  expect(told.mock.calls).toEqual([[greedy], [greedy]])
  expect(order()).toEqual(['a3', 'b1', 'b2'])
})

it('those of a proxy make room only where no others wait', () => {
  const { add, order, closed } = givenWaiting(3)
  for (const name of ['p1', 'p2', 'p3']) add(name, proxy)
  add('a1', greedy)
  add('p4', proxy)
  expect(closed).toEqual(['a1', 'p1'])
  expect(order()).toEqual(['p2', 'p3', 'p4'])
})

it('all are closed where no worker will come', () => {
  const { add, waiting, order, closed } = givenWaiting()
  for (const name of ['a1', 'a2']) add(name, greedy)
  add('b1', other)
  waiting.closeAll()
  expect([closed.toSorted(), order()]).toEqual([['a1', 'a2', 'b1'], []])
})
