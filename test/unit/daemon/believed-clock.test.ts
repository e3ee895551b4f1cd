import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { createBelievedClock } from '../../../src/daemon/believed-clock.ts'

const hour = 3_600_000
const day = 24 * hour

let directory: string
let now: number
let elapsed: number

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'believed-clock-'))
  now = Date.UTC(2026, 0, 1)
  elapsed = 0
})

/** A new process of the appliance. */
function start() {
  const log = { warn: vi.fn(), info: vi.fn() }
  const clock = createBelievedClock({ directory, clock: { now: () => now }, elapsed: () => elapsed, log })
  return { ...clock, log }
}

function pass(ms: number): void {
  now += ms
  elapsed += ms
}

it('a clock that goes on is believed, also after a night in which nothing ran', async () => {
  const first = start()
  for (let round = 0; round < 5; round++) {
    expect(await first.isBelieved()).toBe(true)
    pass(10 * day)
  }
  expect(await first.isBelieved()).toBe(true)
  now += 12 * hour
  expect(await start().isBelieved()).toBe(true)
  expect(first.log.warn).not.toHaveBeenCalled()
})

it('one that is set ahead is not, in the same process and in the next, until it is set right', async () => {
  const first = start()
  await first.isBelieved()
  now += 40 * day
  for (let round = 0; round < 3; round++) expect(await first.isBelieved()).toBe(false)
  expect(await start().isBelieved()).toBe(false)
  expect(first.log.warn).toHaveBeenCalledTimes(1)
  pass(hour)
  now -= 40 * day
  expect(await first.isBelieved()).toBe(true)
  expect(first.log.info).toHaveBeenCalledTimes(1)
})

it('one that stays ahead for a day is, as after a month in which nothing ran', async () => {
  await start().isBelieved()
  now += 30 * day
  const next = start()
  expect(await next.isBelieved()).toBe(false)
  pass(day - hour)
  expect(await next.isBelieved()).toBe(false)
  pass(hour)
  expect(await next.isBelieved()).toBe(true)
  expect(await start().isBelieved()).toBe(true)
})

it('one that is set back is: what has ended by it has ended', async () => {
  const first = start()
  await first.isBelieved()
  now -= 40 * day
  expect(await first.isBelieved()).toBe(true)
  expect(await start().isBelieved()).toBe(true)
})

it('one that stays ahead for a day in all is, also where each day ends the process', async () => {
  await start().isBelieved()
  now += 3 * day
  const believedAtNight: boolean[] = []
  for (let working = 0; working < 3; working++) {
    const next = start()
    expect(await next.isBelieved()).toBe(false)
    pass(8 * hour)
    believedAtNight.push(await next.isBelieved())
    now += 16 * hour
  }
  expect(believedAtNight).toEqual([false, false, true])
})
