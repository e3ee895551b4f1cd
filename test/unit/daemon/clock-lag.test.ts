import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createClockLag } from '../../../src/daemon/monitor/clock-lag.ts'
import { givenDirectory } from '../../support/trail-kit.ts'

const [now, yearMs] = [Date.parse('2026-10-01'), 365 * 86_400_000]

function lagOf(written: Readonly<Record<string, number>>): Promise<number> {
  const folder = givenDirectory()
  for (const [file, at] of Object.entries(written)) {
    writeFileSync(join(folder, file), '')
    utimesSync(join(folder, file), at / 1000, at / 1000)
  }
  return createClockLag({ now: () => now }, folder)([]).then(({ behindMs }) => behindMs)
}

it('the clock is behind what a chain was written last, and not behind an earlier file of when it was ahead', async () => {
  const [earlier, newest, other] = ['worker-1.000009.jsonl', 'worker-1.000010.jsonl', 'console.000001.jsonl']
  expect(await lagOf({ [earlier]: now + yearMs, [newest]: now - 1000, [other]: now - 2000 })).toBe(0)
  expect(await lagOf({ [earlier]: now - 2000, [newest]: now - 1000, [other]: now + yearMs })).toBe(yearMs)
})
