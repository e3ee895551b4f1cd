import { expect, it } from 'vitest'
import { createGathering, createSharedRuns } from '../../../src/store/concurrency.ts'

/** A disk whose syncs end when the test says so. */
function slowDisk() {
  const pending: { resolve: () => void; reject: (error: Error) => void }[] = []
  const sync = () => new Promise<void>((resolve, reject) => pending.push({ resolve, reject }))
  const shared = createSharedRuns<void>()
  return { pending, wish: () => shared('sync', sync) }
}

/** A few turns of the event loop later: a gathering waits for the end of a burst before it hands over. */
async function settled() {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
}

it('combines all requests during a sync into one further sync, which starts after it', async () => {
  const { pending, wish } = slowDisk()
  const ended: string[] = []
  void wish().then(() => ended.push('first'))
  for (const name of ['second', 'third']) void wish().then(() => ended.push(name))
  await settled()
  expect([pending.length, ended]).toEqual([1, []])
  pending[0]?.resolve()
  await settled()
  expect([pending.length, ended]).toEqual([2, ['first']])
  void wish().then(() => ended.push('fourth'))
  pending[1]?.resolve()
  await settled()
  expect([pending.length, ended]).toEqual([3, ['first', 'second', 'third']])
  pending[2]?.resolve()
  await settled()
  expect(ended).toEqual(['first', 'second', 'third', 'fourth'])
})

it('tells a failure to those whose sync it was, and goes on', async () => {
  const { pending, wish } = slowDisk()
  const [first, second] = [wish(), wish()]
  const failed = expect(first).rejects.toThrow('no')
  pending[0]?.reject(new Error('no'))
  await failed
  await settled()
  pending[1]?.resolve()
  await second
  const third = wish()
  pending[2]?.resolve()
  await third
})

it('gives each name its own runs, and everybody the result of the run that began after he asked', async () => {
  const shared = createSharedRuns<string>()
  const ends: (() => void)[] = []
  let runs = 0
  const ask = (name: string) =>
    shared(name, () => {
      const result = `${name} ${++runs}`
      return new Promise((resolve) => ends.push(() => resolve(result)))
    })
  const asked = [ask('a'), ask('b'), ask('a'), ask('a')]
  await settled()
  expect(runs).toBe(2)
  for (const end of ends.splice(0)) end()
  await settled()
  asked.push(ask('b'))
  await settled()
  for (const end of ends.splice(0)) end()
  expect(await Promise.all(asked)).toEqual(['a 1', 'b 2', 'a 3', 'a 3', 'b 4'])
})

it('lets nobody wait longer than the patience for a run that began before he asked', async () => {
  const shared = createSharedRuns<string>(1)
  const lost = shared('a', () => new Promise(() => undefined))
  const later = ['second', 'third'].map((result) => shared('a', () => Promise.resolve(result)))
  expect(await Promise.race([lost, Promise.all(later)])).toEqual(['second', 'second'])
  expect(await shared('a', () => Promise.resolve('fourth'))).toBe('fourth')
})

it('hands over together what came in one turn or while the work was busy, in its order and a bounded number', async () => {
  const batches: (readonly number[])[] = []
  const ends: (() => void)[] = []
  const numbers = createGathering<number>(3, (batch) => {
    batches.push(batch)
    return new Promise((resolve) => void ends.push(resolve))
  })
  for (const one of [1, 2]) numbers.add(one)
  await settled()
  for (const one of [3, 4, 5, 6]) numbers.add(one)
  await settled()
  expect(batches).toEqual([[1, 2]])
  for (const at of [0, 1, 2]) {
    ends[at]?.()
    await settled()
  }
  expect(batches).toEqual([[1, 2], [3, 4, 5], [6]])
  numbers.add(7)
  await settled()
  expect(batches.at(-1)).toEqual([7])
})
