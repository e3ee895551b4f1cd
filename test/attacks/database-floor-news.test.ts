import { randomBytes } from 'node:crypto'
import { LessThan } from 'typeorm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { carryFloorNews, FloorBatchTable } from '../../src/daemon/floor-courier.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { outcomeOf } from '../support/step-outcome.ts'
import { startKeeperAt } from '../support/turned-keeper.ts'

/** The attacker owns the database, and puts rows among the news of the keepers that are no places of batches. */
const appliance = applianceForTests(() => TestAppliance.own())
let keeper: Awaited<ReturnType<typeof startKeeperAt>>
beforeAll(async () => {
  keeper = await startKeeperAt(appliance, Date.now)
})
afterAll(() => keeper.close())

it.each([
  ['a name that no machine has', () => ({ machine: 'none', number: 1 })],
  ['a number that none reaches', (machine: string) => ({ machine, number: 2 ** 60 })],
])('a row under %s keeps no news of this machine back', async (_what, placeOf) => {
  const { hsm } = keeper
  const { store } = appliance
  const { machine } = await hsm.floorNews()
  await store.transaction((tx) =>
    tx.insert(FloorBatchTable, { ...placeOf(machine), record: randomBytes(8), seal: randomBytes(32) }),
  )
  const stored = () => store.read.countBy(FloorBatchTable, { machine, number: LessThan(2 ** 53) })
  const before = await stored()
  await hsm.acceptRestored()
  const reported: unknown[] = []
  expect(await outcomeOf(carryFloorNews({ store, hsm }, (error) => reported.push(error)))).toBe('done')
  expect(await stored()).toBe(before + 1)
  expect(reported.length).toBeLessThanOrEqual(1)
})

it('a row longer than any batch is not read, and keeps the news beside it from nobody', async () => {
  const { hsm } = keeper
  const { store } = appliance
  const reported: unknown[] = []
  const carry = (by: typeof hsm) => carryFloorNews({ store, hsm: by }, (error) => reported.push(error))
  await store.transaction((tx) => tx.query('DELETE FROM floor_news'))
  await carry(appliance.hsm)
  const beside = { machine: '0'.repeat(32), number: 1, record: Buffer.alloc(3 * 2 ** 20), seal: randomBytes(32) }
  await store.transaction((tx) => tx.insert(FloorBatchTable, beside))
  await carry(hsm)
  const { machine } = await appliance.hsm.floorNews()
  expect((await hsm.floorNews()).known[machine]).toBeGreaterThan(0)
  expect(reported).toEqual([])
})
