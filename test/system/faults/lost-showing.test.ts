import { beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { operatorId } from '../../../src/access/confirmation.ts'
import { createServices, type Services } from '../../../src/daemon/services.ts'
import { Fault } from '../../../src/fault.ts'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { verdict } from '../../support/fault-kit.ts'
import { addService } from '../../support/service-kit.ts'

/** A change was committed, and the keeper ended before it was shown it: others go on with the user all the same. */
const appliance = applianceForTests(() => TestAppliance.own())
const vault = vaultForTests(appliance)
let unshown: Services
beforeAll(async () => {
  const { config, store } = appliance
  const hsm = { ...appliance.hsm, raise: () => Promise.reject(new Fault('hsm.unavailable')) }
  const audit = { append: () => Promise.resolve() }
  unshown = createServices({ config, store, hsm, clock: systemClock, audit })
})

const recover = ({ id }: TestUser, by = unshown) =>
  by.passphraseChanges.reset(id, 'eleven grey lanterns over snow', operatorId, appliance.commit)

async function givenMember() {
  const user = await appliance.addUser()
  await vault.member('Admin')
  await vault.share(String(user.id), 'Write')
  await appliance.login(user)
  return { user, path: `/vault/${vault.id}/member/${user.id}` }
}

it('an Admin confirms who was recovered', async () => {
  const { user, path } = await givenMember()
  await recover(user)
  expect(verdict(await vault.admin.post(`${path}/confirm`))).toBe('done')
})

it('an Admin admits who was recovered', async () => {
  const user = await appliance.addUser()
  await appliance.login(user)
  await recover(user)
  expect(verdict(await vault.admin.post(`/vault/${vault.id}/member/${user.id}`, { status: 1 }))).toBe('done')
})

it('who was recovered gets a service account, which is changed after a later change of the owner', async () => {
  const owner = await appliance.addUser()
  await appliance.login(owner)
  await recover(owner)
  const account = await addService(appliance, owner)
  await recover(owner)
  const { service } = await appliance.services.serviceAccounts.change(
    account.id,
    { description: 'Changed', isActive: false },
    operatorId,
    appliance.commit,
  )
  expect(service.isActive).toBe(false)
})
