import { afterEach, expect, it, vi } from 'vitest'
import type { Config } from '../../../src/config/schema.ts'
import { createCluster } from '../../../src/daemon/cluster.ts'
import { createLog } from '../../../src/log.ts'

const fork = vi.hoisted(() => ({ unanswered: 0, pings: 0 }))

/** A worker that cannot be ended, as one that waits in the kernel for its disk. */
vi.mock(import('../../../src/daemon/worker-fork.ts'), () => ({
  forkWorker: () => ({
    begin() {},
    listening: Promise.resolve({ port: 8443, listeners: [] }),
    ended: new Promise<never>(() => {}),
    reload() {},
    ping: () => void (fork.pings += 1),
    unanswered: () => fork.unanswered,
    report: () => Promise.resolve(undefined),
    stop: () => Promise.resolve(),
  }),
}))

afterEach(() => void vi.useRealTimers())

it('the daemon is stuck, which a restart mends, when a worker neither answers for a minute nor ends', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval', 'performance'] })
  const cluster = createCluster({
    config: { http: { workers: 1, port: 0 } } as unknown as Config,
    workerEntry: '/none.js',
    state: () => Promise.reject(new Error('no worker asks')),
    clock: { now: () => 0 },
    log: createLog({ level: 'silent', name: 'test' }),
  })
  expect(cluster.isLive()).toBe(true)
  await cluster.start()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(fork.pings).toBeGreaterThan(3)
  fork.unanswered = 11
  expect(cluster.isLive()).toBe(true)
  fork.unanswered = 12
  expect(cluster.isLive()).toBe(false)
  fork.unanswered = 0
  expect(cluster.isLive()).toBe(true)
  await cluster.stop()
  // Its workers drain, for as long as http.drainTimeoutMs says.
  await vi.advanceTimersByTimeAsync(120_000)
  expect(cluster.isLive()).toBe(true)
})
