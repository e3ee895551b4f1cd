import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { LinkedList } from '../../src/linked-list.ts'

it('has its values in the order of coming, whichever are taken out and moved', () => {
  const list = new LinkedList<string>()
  const [a, b, c] = ['a', 'b', 'c'].map((value) => list.append(value))
  if (a === undefined || b === undefined || c === undefined) throw new Error('a list of three')
  expect([...list]).toEqual(['a', 'b', 'c'])
  list.moveToEnd(a)
  expect([[...list], list.first, list.size]).toEqual([['b', 'c', 'a'], b, 3])
  list.moveToEnd(a)
  expect([...list]).toEqual(['b', 'c', 'a'])
  expect([list.has(c), list.remove(c), list.remove(c), list.has(c)]).toEqual([true, true, false, false])
  list.moveToEnd(c)
  expect([[...list], list.size]).toEqual([['b', 'a'], 2])
  expect([list.remove(b), list.remove(a), list.first, list.size, [...list]]).toEqual([true, true, undefined, 0, []])
  list.append('d')
  expect([...list]).toEqual(['d'])
})

it('does not take the items of another list for its own', () => {
  const [one, other] = [new LinkedList<number>(), new LinkedList<number>()]
  const item = one.append(1)
  other.append(2)
  expect([other.has(item), other.remove(item)]).toEqual([false, false])
  other.moveToEnd(item)
  expect([[...one], [...other]]).toEqual([[1], [2]])
})

it('is gone through as it was, whatever comes and goes meanwhile', () => {
  const list = new LinkedList<number>()
  const items = [1, 2, 3].map((value) => list.append(value))
  const seen: number[] = []
  for (const value of list) {
    seen.push(value)
    for (const item of items) list.remove(item)
    if (list.size < 3) list.append(4)
  }
  expect([seen, [...list]]).toEqual([
    [1, 2, 3],
    [4, 4, 4],
  ])
})

it('lets values go that have left it, before the whole heap is collected', () => {
  setFlagsFromString('--expose-gc')
  const collect: (options?: { type: 'minor' }) => void = runInNewContext('gc')
  const list = new LinkedList<unknown[]>()
  const largeValue = () => Array.from({ length: 10_000 }, () => 0)
  let item = list.append(largeValue())
  // What has been through two collections is old, and stays until the next of the whole heap.
  collect()
  collect()
  const before = getHeapStatistics().used_heap_size
  for (let call = 0; call < 500; call += 1) {
    const next = list.append(largeValue())
    list.remove(item)
    item = next
    if (call % 10 === 9) collect({ type: 'minor' })
  }
  // They were 40 MB together.
  expect(getHeapStatistics().used_heap_size - before).toBeLessThan(10_000_000)
})
