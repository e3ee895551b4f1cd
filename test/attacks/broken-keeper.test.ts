import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Hsm, SealedRecord } from '../../src/hsm/hsm.ts'
import { TestAppliance } from '../support/appliance.ts'
import { sealedRecord } from '../support/grant-kit.ts'
import { startKeeperAt } from '../support/turned-keeper.ts'

/** The attacker had one of several machines, and its keeper told the others what is not so, under a good seal. */
let appliance: TestAppliance
let farAhead: SealedRecord
let keeper: Awaited<ReturnType<typeof startKeeperAt>>
beforeAll(async () => {
  appliance = await TestAppliance.own()
  // Before this process has the token open.
  farAhead = told(Number.MAX_SAFE_INTEGER)
  keeper = await startKeeperAt(appliance, Date.now)
})
afterAll(async () => {
  await keeper.close()
  await appliance.close()
})

const told = (epoch: number): SealedRecord =>
  sealedRecord(appliance.token, 'floor news', {
    machine: 'ab'.repeat(16),
    name: 'broken',
    number: 1,
    previous: '',
    base: 1,
    epoch,
    at: Date.now(),
    entries: '[]',
  })

/** Carries all that one keeper tells to the other. */
async function carry(from: Hsm, to: Hsm): Promise<number> {
  let stored = 0
  for (let round = 0; round < 3; round++) {
    const { machine } = await from.floorNews()
    const { batch } = await from.floorNews({ [machine]: stored })
    if (batch === undefined) return stored
    await to.takeFloors([batch.sealed])
    stored = batch.number
  }
  return stored
}

it('ends no exchange of the others for good, by a time after which no number comes', async () => {
  const [one, other] = [keeper.hsm, appliance.hsm]
  await one.takeFloors([farAhead])
  const { faults } = await one.floorNews()
  await carry(one, other)
  // The operator ends what the attacker has left.
  await one.acceptRestored()
  const stored = await carry(one, other)
  expect((await other.floorNews()).known[(await one.floorNews()).machine]).toBe(stored)
  expect(stored).toBeGreaterThan(0)
  expect(faults).toEqual([expect.stringContaining('machine broken')])
})
