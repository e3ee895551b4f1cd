import { expect, it } from 'vitest'
import { createLeakyBucket } from '../../../src/access/leaky-bucket.ts'

it('a leaky bucket tells how long a network has to wait, and lets it wait longer for calls beyond its burst', () => {
  let nowMs = 5_000
  const bucket = createLeakyBucket({ callsPerInterval: 4, intervalMs: 1_000, now: () => nowMs })
  const take = (calls: number) => {
    for (let n = 0; n < calls; n++) bucket.take('192.0.2.0')
  }
  take(3)
  expect(bucket.waitMs('192.0.2.0')).toBeLessThanOrEqual(0)
  take(1)
  expect(bucket.waitMs('192.0.2.0')).toBe(250)
  take(2)
  expect(bucket.waitMs('192.0.2.0')).toBe(750)
  expect(bucket.waitMs('198.51.100.0')).toBeLessThanOrEqual(0)
  expect(bucket.admits('192.0.2.0')).toBe(false)
  nowMs += 750
  expect(bucket.waitMs('192.0.2.0')).toBe(0)
  expect(bucket.admits('192.0.2.0')).toBe(true)
  expect(bucket.admits('192.0.2.0')).toBe(false)
})
