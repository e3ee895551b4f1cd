import fc from 'fast-check'
import { expect, it } from 'vitest'
import { backupName, superfluous, timeInName } from '../../../src/backup/retention.ts'

const hourMs = 3_600_000
const now = Date.UTC(2026, 10, 22, 12)
/** One every six hours for so many days, newest first. */
const series = (days: number): string[] =>
  Array.from({ length: days * 4 }, (_, at) => backupName(now - at * 6 * hourMs))

it('keeps the newest, and the last of days and weeks', () => {
  const names = series(30)
  const kept = (keep: Parameters<typeof superfluous>[1]) => {
    const gone = new Set(superfluous(names, keep, now))
    return names.filter((name) => !gone.has(name)).map((name) => name.slice(11, 22))
  }
  expect(kept({ newest: 2, daily: 0, weekly: 0 })).toEqual(['20261122T12', '20261122T06'])
  expect(kept({ newest: 1, daily: 3, weekly: 0 })).toEqual(['20261122T12', '20261121T18', '20261120T18'])
  // 22 November 2026 is a Sunday.
  expect(kept({ newest: 1, daily: 0, weekly: 3 })).toEqual(['20261122T12', '20261115T18', '20261108T18'])
  expect(kept({ newest: 0, daily: 0, weekly: 0 })).toEqual(['20261122T12'])
})

it('is not misled by a clock that ran ahead: what it named stays, and the one just made too', () => {
  const [ahead, made, before] = [now + 90 * 24 * hourMs, now, now - hourMs].map(backupName) as [string, string, string]
  expect(superfluous([ahead, made, before], { newest: 1, daily: 1, weekly: 1 }, now)).toEqual([before])
})

it('never removes the newest, nor what it did not name', () => {
  const settings = fc.record({ newest: fc.nat(5), daily: fc.nat(9), weekly: fc.nat(9) })
  const times = fc.uniqueArray(fc.integer({ min: 0, max: 3e9 }), { minLength: 1 })
  fc.assert(
    fc.property(times, settings, (seconds, keep) => {
      const names = seconds.map((second) => backupName(second * 1000))
      const others = ['strongroom.age', 'notes.txt', 'strongroom-20260101T000000Z.age.bak']
      const gone = superfluous([...names, ...others], keep, 3e12)
      expect(gone).not.toContain(backupName(Math.max(...seconds) * 1000))
      expect(gone.every((name) => names.includes(name))).toBe(true)
      expect(names.length - gone.length).toBeGreaterThanOrEqual(Math.min(names.length, Math.max(1, keep.newest)))
    }),
  )
  expect(timeInName(backupName(now))).toBe(now)
})
