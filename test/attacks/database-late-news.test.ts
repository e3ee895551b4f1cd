import { expect, it } from 'vitest'
import type { User } from '../../src/features/users/records.ts'
import { userRecord } from '../../src/features/users/user-seals.ts'
import type { Hsm, SealedRecord } from '../../src/hsm/hsm.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { outcomeOf } from '../support/step-outcome.ts'
import { startKeeperAt } from '../support/turned-keeper.ts'
import { accountRow } from '../support/user-row.ts'

/**
 * The operator has accepted a restored database on one machine. The attacker owns the database, and withholds this news
 * from the keeper of another machine until something was revoked there.
 */
const appliance = applianceForTests(() => TestAppliance.own())

/** What the keeper tells next. */
async function newsOf(keeper: Hsm): Promise<SealedRecord> {
  const { batch } = await keeper.floorNews({})
  if (batch === undefined) throw new Error('the keeper tells nothing')
  return batch.sealed
}

it('what was revoked meanwhile stays revoked, on both', async () => {
  const here = appliance.hsm
  const elsewhere = await startKeeperAt(appliance, Date.now)
  const there = elsewhere.hsm
  try {
    const account = await accountRow(appliance, await appliance.addUser())
    const row = { record: userRecord(account), seal: account.seal }
    await there.raise([row])
    await here.acceptRestored()
    await here.raise([row])
    const withheld = await newsOf(here)

    const next = (change: Partial<User>): Buffer =>
      userRecord({ ...account, generation: account.generation + 1, ...change })
    const revoked = next({ capabilities: 0, generation: Date.now() * 1000 })
    await there.raise([{ record: revoked, seal: await there.seal(revoked, { previous: row }) }])
    const told = await newsOf(there)

    const revival = (keeper: Hsm) => outcomeOf(keeper.seal(next({ fullname: 'again' }), { previous: row }))
    await there.takeFloors([withheld])
    await here.takeFloors([told])
    expect([await revival(there), await revival(here)]).toEqual(['hsm.outdated', 'hsm.outdated'])
  } finally {
    await elsewhere.close()
  }
})
