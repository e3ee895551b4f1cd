import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { createWarnings } from '../../../src/daemon/warnings.ts'
import { judgeClock, judgeDisk, judgeEnd, judgeJump, judgeRoom } from '../../../src/monitor/judgement.ts'
import type { StandingWarning } from '../../../src/monitor/standing-warning.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const full = (state: StandingWarning['state']): StandingWarning => ({
  name: 'disk.audit',
  state,
  detail: '3 MiB free',
  remedy: 'Free some space.',
})

function givenWarnings() {
  let seen: readonly StandingWarning[] | Error = []
  const lines: string[] = []
  const note = (level: string) => (fields: object, message?: string) =>
    void lines.push([level, 'warning' in fields ? String(fields.warning) : '', message].join(' '))
  const warnings = createWarnings({
    look: () => (seen instanceof Error ? Promise.reject(seen) : Promise.resolve(seen)),
    everyMs: 60_000,
    clock: systemClock,
    log: { warn: note('warn'), info: note('info'), error: note('error') },
  })
  return {
    warnings,
    /** What is told after this was seen for as long. */
    async told(next: typeof seen, forMs = 60_000): Promise<string[]> {
      seen = next
      await vi.advanceTimersByTimeAsync(forMs)
      return lines.splice(0)
    },
  }
}

it('a warning is told when it begins, changes, once a day while it stands, and when it is over', async () => {
  const { warnings, told } = givenWarnings()
  warnings.start()
  expect(await told([])).toEqual([])
  expect(await told([full('warning')])).toEqual(['warn disk.audit 3 MiB free. Free some space.'])
  expect(warnings.standing()).toEqual([full('warning')])
  expect(await told([full('warning')], 3_600_000)).toEqual([])
  expect(await told([full('problem')])).toHaveLength(1)
  expect(await told([full('problem')], 3 * 86_400_000)).toHaveLength(3)
  expect(await told([full('warning')])).toHaveLength(1)
  expect(await told([])).toEqual(['info disk.audit the warning is over'])
  expect(await told([])).toEqual([])
  expect(warnings.standing()).toEqual([])
  expect(await told([full('warning')])).toHaveLength(1)
  warnings.stop()
  expect(await told([], 600_000)).toEqual([])
})

it('a failed check is repeated and ends nothing', async () => {
  const { warnings, told } = givenWarnings()
  warnings.start()
  await told([full('warning')])
  expect(await told(new Error('no'))).toEqual([expect.stringContaining('could not be checked')])
  expect(await told([full('warning')])).toEqual([])
  expect(await told([])).toHaveLength(1)
  warnings.stop()
})

const thresholds = { freeMiB: 1000, certificateDays: 30, tokenPercent: 5, clockMs: 60_000 }
const MiB = 2 ** 20
const dayMs = 86_400_000
const memory = (freeBytes: number) => judgeRoom({ kind: 'memory', freeBytes, totalBytes: 10_000 }, thresholds).state

it('judges by the settings', () => {
  const disk = (size: number) => (free: number) =>
    judgeDisk({ freeBytes: free * MiB, sizeBytes: size * MiB }, 'it', thresholds).state
  expect([1000, 999, 99].map(disk(100_000))).toEqual(['ok', 'warning', 'problem'])
  // A /tmp in the memory of a small machine: empty, it is no reason to warn.
  expect([990, 250, 249, 24].map(disk(1000))).toEqual(['ok', 'ok', 'warning', 'problem'])
  const ends = [31 * dayMs, 29 * dayMs, 0].map((left) => judgeEnd('server', left, 0, thresholds).state)
  expect(ends).toEqual(['ok', 'warning', 'problem'])
  expect([500, 499, 99].map(memory)).toEqual(['ok', 'warning', 'problem'])
  expect(judgeRoom({ kind: 'disk', freeBytes: 0, totalBytes: 1 }, thresholds).state).toBe('problem')
  expect([0, 60_000, 60_001].map((behind) => judgeClock(behind, thresholds).state)).toEqual(['ok', 'ok', 'problem'])
  expect([59_000, -61_000, 61_000].map((jump) => judgeJump(jump, thresholds).state)).toEqual([
    'ok',
    'warning',
    'warning',
  ])
})
