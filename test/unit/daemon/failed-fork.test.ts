import { afterEach, expect, it, vi } from 'vitest'
import type { Config } from '../../../src/config/schema.ts'
import { createSpareWorker } from '../../../src/daemon/spare-worker.ts'
import { forkWorker, type WorkerProcess } from '../../../src/daemon/worker-fork.ts'
import { createLog } from '../../../src/log.ts'

const log = createLog({ level: 'silent', name: 'test' })
const config = { http: { drainTimeoutMs: 60_000 } } as unknown as Config
const node = process.execPath

afterEach(() => {
  process.execPath = node
  vi.useRealTimers()
})

/** A worker whose program the kernel does not run: Node.js tells of EACCES as of EAGAIN, of ENOTDIR as of ENOMEM. */
function forkOf(program: string): WorkerProcess {
  process.execPath = program
  return forkWorker({ entry: '/none.js', config, state: () => Promise.reject(new Error('no worker asks')), log })
}

const failures = [
  ['an error without an exit', '/etc/passwd', 'EACCES'],
  ['an exception', '/etc/passwd/node', 'ENOTDIR'],
] as const

it.each(failures)('a process that cannot be started, %s, has ended', async (_what, program, code) => {
  const worker = forkOf(program)
  worker.begin(1)
  expect((await worker.ended).message).toMatch(new RegExp(`^no process for a worker could be started: .*${code}$`))
  worker.reload()
  worker.ping()
  await worker.stop()
})

it.each(failures)('a spare worker that cannot be started, %s, is tried again later', async (_what, program) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const fork = vi.fn(() => forkOf(program))
  const spare = createSpareWorker(fork, log)
  /** Time passes; so many forks were tried by then, and the last has failed. */
  const pass = async (ms: number, tries: number): Promise<void> => {
    await vi.advanceTimersByTimeAsync(ms)
    expect(fork).toHaveBeenCalledTimes(tries)
    await fork.mock.results.at(-1)?.value.ended
  }
  spare.fill()
  await pass(29_000, 0)
  await pass(1_000, 1)
  await pass(29_000, 1)
  // It is given to no worker.
  expect(spare.take()).not.toBe(fork.mock.results[0]?.value)
  spare.fill()
  await pass(2_000, 3)
  await pass(30_000, 4)

  await spare.close()
  spare.fill()
  await pass(60_000, 4)
})
