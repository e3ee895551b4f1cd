import { expect } from 'vitest'
import { UsedAssertionTable, useAssertionUp } from '../../../src/features/auth/used-assertion-records.ts'
import { describeUpgrade } from '../../support/earlier-database.ts'

const hour = 3_600_000

describeUpgrade(
  'each assertion is used once, and forgotten an hour after its end',
  { before: 'UsedAssertions1700000000036', statements: [] },
  async (store) => {
    const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    const use = (assertion: Buffer, now: number) =>
      store.transaction((tx) => useAssertionUp(tx, { assertion, goodUntil: 10 * hour }, now))
    expect(await use(one, 9 * hour)).toBe(true)
    expect(await use(one, 9 * hour)).toBe(false)
    expect(await use(other, 11 * hour)).toBe(true)
    expect(await store.read.find(UsedAssertionTable, { order: { assertion: 'ASC' } })).toEqual([
      { assertion: one, goodUntil: 10 * hour },
      { assertion: other, goodUntil: 10 * hour },
    ])
    expect(await use(one, 11 * hour + 1)).toBe(true)
    expect(await store.read.countBy(UsedAssertionTable, {})).toBe(1)
  },
)
