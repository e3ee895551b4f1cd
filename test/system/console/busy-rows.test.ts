import { expect, it, onTestFinished } from 'vitest'
import { provenRows } from '../../../src/console/root-keys/proven-rows.ts'
import { TestAppliance } from '../../support/appliance.ts'

it('what calls make while the rows are read is not missing', async () => {
  const appliance = await TestAppliance.own()
  onTestFinished(() => appliance.close())
  const { hsm } = appliance
  let made = 0
  const busy = {
    sealAnew: hsm.sealAnew,
    // Behind the rows, and before what the keeper was shown.
    async knownSubjects(...asked: Parameters<typeof hsm.knownSubjects>) {
      if (asked[0] === 'user') {
        await appliance.addUser()
        made += 1
      }
      return hsm.knownSubjects(...asked)
    },
  }
  expect((await provenRows(busy, appliance.store.read)).missing).toEqual([])
  expect(made).toBeGreaterThan(0)
})
