import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { createEndedSessions, createUsedAssertions } from '../../../src/hsm/keeper/expiring-set.ts'

const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const end = 60_000

it('a used assertion is used once, until it has expired, and longer than a clock is set back', () => {
  let clock = 0
  const used = createUsedAssertions(new Database(':memory:'), () => clock)
  expect([used.add(one, end), used.add(one, end), used.add(other, end)]).toEqual([true, false, true])
  clock = end + 3_600_000
  expect(used.add(one, end)).toBe(false)
  clock += 1
  expect(used.add(one, end)).toBe(true)
})

it('a session that was ended is not good again where the clock is set back, after others were ended meanwhile', () => {
  let clock = 0
  const ended = createEndedSessions(new Database(':memory:'), () => clock)
  ended.add(one, end)
  clock = end + 1_000
  ended.add(other, clock + end)
  clock = end - 1_000
  expect([ended.has(one), ended.has(other)]).toEqual([true, true])
})
