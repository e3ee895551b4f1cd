import type { Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { expect, it, vi } from 'vitest'
import { closeUnclaimed, type SentConnections } from '../../../src/daemon/unclaimed-connections.ts'

/** A worker as the primary sees it. */
class ForkedWorker extends EventEmitter {
  readonly process = Object.assign(new EventEmitter(), { send: () => true })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that are used
  readonly connections: SentConnections = closeUnclaimed(this as unknown as Worker)

  constructor() {
    super()
    this.emit('message', { type: 'listening' })
  }

  /** As node:cluster sends a connection. */
  take(handle: object): void {
    Reflect.apply(this.process.send, this.process, [{ act: 'newconn' }, handle])
  }
}

/** A connection whose `closed` is told of its end. */
function givenConnection() {
  const closed = vi.fn()
  return { close: () => void closed(), closed }
}

it('a connection that was sent before a ping and not claimed with its answer is lost', () => {
  const worker = new ForkedWorker()
  const [claimed, lost, later] = [givenConnection(), givenConnection(), givenConnection()]
  worker.take(claimed)
  worker.take(lost)
  worker.connections.beforePing()
  worker.take(later)
  // So does node:cluster where a worker claims one.
  claimed.close()
  expect(worker.connections.closeLost()).toBe(true)
  expect([claimed, lost, later].map(({ closed }) => closed.mock.calls.length)).toEqual([1, 1, 0])
  later.close()
  worker.connections.beforePing()
  expect(worker.connections.closeLost()).toBe(false)
})

it('one that a draining worker gives back is not lost: it waits for another worker', () => {
  const [draining, other] = [new ForkedWorker(), new ForkedWorker()]
  const given = givenConnection()
  draining.take(given)
  draining.connections.beforePing()
  draining.emit('message', { type: 'draining' })
  expect(draining.connections.closeLost()).toBe(false)
  other.take(given)
  draining.process.emit('exit')
  expect(given.closed).not.toHaveBeenCalled()
})

it('a worker that gets none waits for the successor of another one, but not for ever: it may never start', () => {
  const [ended, deaf] = [new ForkedWorker(), new ForkedWorker()]
  ended.process.emit('exit')
  deaf.take(givenConnection())
  const replaced = Array.from({ length: 15 }, () => {
    deaf.connections.beforePing()
    return deaf.connections.closeLost()
  })
  expect([replaced[0], replaced.filter(Boolean).length]).toEqual([false, 1])
  new ForkedWorker().emit('message', { type: 'listening' })
})
