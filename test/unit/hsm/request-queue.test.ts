import { expect, it } from 'vitest'
import { createRequestQueue, type RequestQueueOptions } from '../../../src/hsm/server/request-queue.ts'

const full = 'More operations wait than hsm.queue allows.'
const limits = { limit: 10, limitBytes: 1_000, deadlineMs: 1_000 }

/** Three requests of one turn; what is done and answered, in its order. */
async function servedBy(together: RequestQueueOptions['together']): Promise<string[]> {
  const seen: string[] = []
  const queue = createRequestQueue({ ...limits, ...(together ? { together } : {}) })
  for (const name of ['a', 'b', 'c'])
    queue.add({
      from: queue,
      bytes: 1,
      arrivedMs: performance.now(),
      run() {
        seen.push(`do ${name}`)
        return (lost) => void seen.push(lost instanceof Error ? `${name}: ${lost.message}` : `${name} done`)
      },
      refuse: () => void seen.push('refused'),
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
  expect(await servedBy(together)).toEqual(['refused', 'refused', 'refused'])
})

it('has room again for what comes after requests that it gave up', async () => {
  let isClosed = true
  const together = (requests: () => void) => {
    if (isClosed) throw new Error('the file is closed')
    requests()
  }
  const queue = createRequestQueue({ ...limits, together })
  const seen: string[] = []
  const add = () =>
    queue.add({
      from: queue,
      bytes: 500,
      arrivedMs: performance.now(),
      run: () => () => void seen.push('done'),
      refuse: (detail) => void seen.push(detail),
    })
  for (let at = 0; at < 3; at += 1) add()
  const late = 'The token took longer than hsm.deadlineMs.'
  await expect.poll(() => seen).toEqual([full, late, late])
  isClosed = false
  for (let at = 0; at < 3; at += 1) add()
  await expect.poll(() => seen.slice(3)).toEqual([full, 'done', 'done'])
})

/** Senders with requests that are named after them; what becomes of the requests, in its order. */
function given(limitBytes = limits.limitBytes) {
  const seen: string[] = []
  const queue = createRequestQueue({ ...limits, limitBytes })
  const sender = (name: string) => {
    const from = { name }
    let sent = 0
    return (bytes: number) => {
      const request = `${name}${(sent += 1)}`
      queue.add({
        from,
        bytes,
        arrivedMs: performance.now(),
        run: () => () => void seen.push(request),
        refuse: (detail) => void seen.push(detail === full ? `${request} refused` : detail),
      })
    }
  }
  return { seen, queue, sender }
}

it('lets senders take turns, however many requests one of them has sent before', async () => {
  const { seen, queue, sender } = given()
  const [busy, other] = [sender('busy '), sender('other ')]
  for (let at = 0; at < 4; at += 1) busy(1)
  for (let at = 0; at < 2; at += 1) other(1)
  await expect.poll(() => queue.isIdle()).toBe(true)
  expect(seen).toEqual(['busy 1', 'other 1', 'busy 2', 'other 2', 'busy 3', 'busy 4'])
})

it('refuses the last request of the sender with most of them where there is no room', () => {
  const { seen, sender } = given()
  const [busy, other] = [sender('busy '), sender('other ')]
  for (let at = 0; at < limits.limit + 1; at += 1) busy(1)
  expect(seen).toEqual(['busy 11 refused'])
  for (let at = 0; at < 6; at += 1) other(1)
  const ofBusy = [10, 9, 8, 7, 6].map((at) => `busy ${at} refused`)
  expect(seen).toEqual(['busy 11 refused', ...ofBusy, 'other 6 refused'])
})

it('refuses the last large request of the sender with most bytes where there is no room for those', () => {
  const { seen, sender } = given(100_000)
  const [busy, other, quiet] = [sender('busy '), sender('other '), sender('quiet ')]
  busy(70_000)
  busy(10)
  other(20_000)
  quiet(20_000)
  expect(seen).toEqual(['busy 1 refused'])
})

it('refuses no small requests where there is no room for bytes, which others have taken', () => {
  const { seen, sender } = given(100_000)
  const [busy, ...others] = [sender('busy '), sender('one '), sender('two '), sender('three ')]
  for (let at = 0; at < 7; at += 1) busy(1)
  for (const other of others) other(40_000)
  expect(seen).toEqual(['one 1 refused'])
})
