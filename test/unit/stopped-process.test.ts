import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { watchForStop } from '../../src/stopped-process.ts'

const patienceMs = 200

/** A process whose name looks like a state, and how often it was found stopped. */
async function givenWatched(script: string): Promise<{ pid: number; found: () => number }> {
  const child = spawn('bash', ['-c', `echo ') T 1' > /proc/self/comm; echo begun; ${script}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pid = child.pid ?? 0
  let found = 0
  const end = watchForStop(pid, patienceMs, () => found++)
  onTestFinished(() => {
    end()
    child.kill('SIGKILL')
  })
  await once(child.stdout, 'data')
  return { pid, found: () => found }
}

const stateOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/.*\) /, '').charAt(0)

const wait = 'read -t 600 <> <(:)'
const spin = 'while :; do :; done'

it.each([
  ['waits', wait],
  ['is busy', spin],
])('finds a process that %s when it is stopped, and not before', async (_what, script) => {
  const { pid, found } = await givenWatched(script)
  await sleep(5 * patienceMs)
  expect(found()).toBe(0)
  process.kill(pid, 'SIGSTOP')
  await expect.poll(found).toBe(1)
  expect(stateOf(pid)).toBe('T')
})

it('takes one for stopped that stays so, not one that goes on', async () => {
  const { pid, found } = await givenWatched(wait)
  for (let round = 0; round < 8; round++) {
    process.kill(pid, 'SIGSTOP')
    await sleep(patienceMs / 4)
    process.kill(pid, 'SIGCONT')
    // Until a look has seen it go on: they are made by timers of this process.
    await sleep(patienceMs / 2)
  }
  expect(found()).toBe(0)
})

it('does not count the time in which the watching process stands still itself', async () => {
  const { pid, found } = await givenWatched(wait)
  process.kill(pid, 'SIGSTOP')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 * patienceMs)
  process.kill(pid, 'SIGCONT')
  await sleep(2 * patienceMs)
  expect(found()).toBe(0)
})

it('does not find one that has ended', async () => {
  const { pid, found } = await givenWatched('exit 0')
  await sleep(3 * patienceMs)
  expect(() => stateOf(pid)).toThrow('ENOENT')
  expect(found()).toBe(0)
})
