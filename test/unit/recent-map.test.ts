import { expect, it } from 'vitest'
import { createRecentMap } from '../../src/recent-map.ts'

it('keeps what was used last, and gives up each other value once', () => {
  const gone: number[] = []
  const map = createRecentMap<number>({ limit: 2, dispose: (value) => gone.push(value) })
  map.set('a', 1)
  map.set('b', 2)
  expect(map.get('a')).toBe(1)
  map.set('c', 3)
  expect([gone, map.get('b'), map.size()]).toEqual([[2], undefined, 2])
  map.set('a', 4)
  expect([gone, map.get('a')]).toEqual([[2, 1], 4])
  map.dropOldest()
  expect([gone, map.get('c')]).toEqual([[2, 1, 3], undefined])
  map.delete('a')
  map.delete('a')
  map.dropOldest()
  expect([gone, map.size()]).toEqual([[2, 1, 3, 4], 0])
})

it('gives up what a list would, whatever is asked of it in whatever order', () => {
  const gone: number[] = []
  const map = createRecentMap<number>({ limit: 5, dispose: (value) => gone.push(value) })
  /** The oldest first. */
  let kept: { readonly name: string; readonly value: number }[] = []
  const expected: number[] = []
  const drop = (fits: (one: (typeof kept)[number], at: number) => boolean) => {
    expected.push(...kept.filter(fits).map(({ value }) => value))
    kept = kept.filter((one, at) => !fits(one, at))
  }
  const steps: ((name: string, value: number) => void)[] = [
    (name, value) => {
      drop((one) => one.name === name)
      if (kept.length === 5) drop((_, at) => at === 0)
      kept.push({ name, value })
      map.set(name, value)
    },
    (name) => {
      const found = kept.find((one) => one.name === name)
      if (found !== undefined) kept = [...kept.filter((one) => one !== found), found]
      expect(map.get(name)).toBe(found?.value)
    },
    (name) => {
      drop((one) => one.name === name)
      map.delete(name)
    },
    () => {
      drop((_, at) => at === 0)
      map.dropOldest()
    },
  ]
  // Numbers that look random and are the same each time (MINSTD).
  let state = 1
  const next = (below: number): number => {
    state = (state * 48_271) % (2 ** 31 - 1)
    return Math.floor((state / 2 ** 31) * below)
  }
  for (let value = 0; value < 5_000; value++) {
    // More is set and asked for than dropped, so that it is full most of the time.
    steps[[0, 0, 0, 1, 1, 1, 1, 2, 3][next(9)] ?? 0]?.(String(next(8)), value)
    expect(map.size()).toBe(kept.length)
  }
  expect(gone).toEqual(expected)
  const odd = kept.filter(({ value }) => value % 2 === 1).map(({ value }) => value)
  map.dropWhere((value) => value % 2 === 1)
  expect(new Set(gone.slice(expected.length))).toEqual(new Set(odd))
  expect(map.size()).toBe(kept.length - odd.length)
})
