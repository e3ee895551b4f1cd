import { expect } from 'vitest'
import { insertUsedAssertion, UsedAssertionTable } from '../../../src/features/auth/used-assertion-records.ts'
import { describeUpgrade } from '../../support/earlier-database.ts'

const hour = 3_600_000

describeUpgrade(
  'each assertion is used once, and forgotten an hour after its end',
  { before: 'UsedAssertions1700000000036', statements: [] },
  async (store) => {
    const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    const use = (assertion: Buffer, now: number) =>
      store.transaction((tx) => insertUsedAssertion(tx, { assertion, goodUntil: 10 * hour }, now))
    await use(one, 9 * hour)
    await expect(use(one, 9 * hour)).rejects.toMatchObject({ code: 'store.conflict' })
    await use(other, 11 * hour)
    expect(await store.read.find(UsedAssertionTable, { order: { assertion: 'ASC' } })).toEqual([
      { assertion: one, goodUntil: 10 * hour },
      { assertion: other, goodUntil: 10 * hour },
    ])
    await use(one, 11 * hour + 1)
    expect(await store.read.countBy(UsedAssertionTable, {})).toBe(1)
  },
)
