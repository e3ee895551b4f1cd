import { expect, it } from 'vitest'
import { createRecentMap } from '../../../src/hsm/pkcs11/recent-map.ts'

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
