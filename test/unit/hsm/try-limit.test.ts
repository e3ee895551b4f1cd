import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { createTryLimit } from '../../../src/hsm/keeper/try-limit.ts'

const [subject, rules] = [Buffer.from('user 1'), { burst: 4, intervalMs: 1000 }]

function given() {
  const clock = { now: 1_000_000, lasting: 1_000_000 }
  const reports: string[] = []
  const file = new Database(':memory:')
  const now = () => clock.now
  const limit = createTryLimit(file, rules, { now, lasting: () => clock.lasting }, (sentence) => reports.push(sentence))
  return { clock, reports, limit, file }
}

it('allows a burst of wrong tries, and one more after each interval', () => {
  const { clock, reports, limit } = given()
  for (let tries = 0; tries < rules.burst; tries++) {
    expect(limit.allows(subject)).toBe(true)
    limit.note(subject, true)
  }
  expect(limit.allows(subject)).toBe(false)
  expect(reports).toHaveLength(1)
  clock.now += rules.intervalMs
  expect(limit.allows(subject)).toBe(true)
  limit.note(subject, true)
  expect(limit.allows(subject)).toBe(false)
})

it('a right try under a clock that was ahead costs nothing once it is right', () => {
  const { clock, reports, limit } = given()
  clock.now += 86_400_000
  limit.note(subject, false)
  clock.now -= 86_400_000
  expect(limit.allows(subject)).toBe(true)
  limit.note(subject, false)
  expect(limit.allows(subject)).toBe(true)
  expect(reports).toEqual([])
})

it('wrong tries under such a clock leave the right one its try once it is right, and one more after each interval', () => {
  const { clock, limit } = given()
  clock.now += 86_400_000
  limit.note(subject, true)
  clock.now -= 86_400_000
  for (const isWrong of [false, true]) {
    expect(limit.allows(subject)).toBe(true)
    limit.note(subject, isWrong)
  }
  expect(limit.allows(subject)).toBe(false)
  clock.now += rules.intervalMs
  expect(limit.allows(subject)).toBe(true)
})

it('subjects whose tries are forgotten leave nothing in the file, however many a worker makes up', () => {
  const { clock, limit, file } = given()
  for (let made = 0; made < 100; made++) limit.note(Buffer.from(`made up ${made}`), true)
  clock.now += 2 * rules.intervalMs
  clock.lasting += 2 * rules.intervalMs
  limit.note(subject, true)
  expect(file.prepare('SELECT subject FROM tries').pluck().all()).toEqual([subject])
})

it('a clock that is ahead for a moment forgets no try', () => {
  const { clock, limit } = given()
  for (let tries = 0; tries < rules.burst; tries++) limit.note(subject, true)
  clock.now += 86_400_000
  limit.note(Buffer.from('another'), true)
  clock.now -= 86_400_000
  expect(limit.allows(subject)).toBe(false)
})
