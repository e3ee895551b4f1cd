import { expect, it } from 'vitest'
import { createRequestQueue, type RequestQueueOptions } from '../../../src/hsm/server/request-queue.ts'

const limits = { limit: 10, limitBytes: 1_000, deadlineMs: 1_000 }

/** Three requests of one turn; what is done and answered, in its order. */
async function servedBy(together: RequestQueueOptions['together']): Promise<string[]> {
  const seen: string[] = []
  const queue = createRequestQueue({ ...limits, ...(together ? { together } : {}) })
  for (const name of ['a', 'b', 'c'])
    queue.add({
      bytes: 1,
      arrivedMs: performance.now(),
      run() {
        seen.push(`do ${name}`)
        return (lost) => void seen.push(lost instanceof Error ? `${name}: ${lost.message}` : `${name} done`)
      },
      expire: () => void seen.push('expired'),
    })
  await expect.poll(() => queue.isIdle()).toBe(true)
  return seen
}

it('does the requests of one turn together, and answers none before all have lasted', async () => {
  const commits: number[] = []
  const done = ['do a', 'do b', 'do c', 'a done', 'b done', 'c done']
  const together = (requests: () => void) => {
    requests()
    commits.push(1)
  }
  expect(await servedBy(together)).toEqual(done)
  expect(commits).toEqual([1])
  expect(await servedBy(undefined)).toEqual(done)
})

it('tells every one of them when what they did has not lasted', async () => {
  const together = (requests: () => void) => {
    requests()
    throw new Error('the disk is full')
  }
  const lost = ['a', 'b', 'c'].map((name) => `${name}: the disk is full`)
  expect(await servedBy(together)).toEqual(['do a', 'do b', 'do c', ...lost])
})

it('gives up what waits where not even the first could be begun', async () => {
  const together = () => {
    throw new Error('the file is closed')
  }
  expect(await servedBy(together)).toEqual(['expired', 'expired', 'expired'])
})

it('has room again for what comes after requests that it gave up', async () => {
  let isClosed = true
  const together = (requests: () => void) => {
    if (isClosed) throw new Error('the file is closed')
    requests()
  }
  const queue = createRequestQueue({ ...limits, together })
  const add = () =>
    queue.add({ bytes: 500, arrivedMs: performance.now(), run: () => () => undefined, expire: () => undefined })
  expect([add(), add(), add()]).toEqual([true, true, false])
  await expect.poll(() => queue.isIdle()).toBe(true)
  isClosed = false
  expect([add(), add(), add()]).toEqual([true, true, false])
})
