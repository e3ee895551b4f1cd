import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { createAuthenticator } from '../../../src/features/auth/authentication.ts'
import { findSealedMembership } from '../../../src/features/vaults/vault-seals.ts'
import { TestAppliance, twoWorkers, type TestUser } from '../../support/appliance.ts'
import type { Answer, TestClient } from '../../support/client.ts'
import { eventually, verdict } from '../../support/fault-kit.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../../support/postgres.ts'
import { eventsOf } from '../../support/trail.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'

let appliance: TestAppliance
let vault: TestVault
let user: TestUser
let client: TestClient

/** Makes a vault with a second Admin. */
async function givenAdmin(): Promise<void> {
  vault = await makeVault(appliance)
  user = await appliance.addUser()
  await vault.share(String(user.id), 'Admin')
  client = await appliance.login(user)
}

describe('a membership that ends between two readings of it', () => {
  beforeAll(async () => {
    appliance = await TestAppliance.shared()
  })
  afterAll(() => appliance.close())

  /** Authenticates the member; `meanwhile` runs before the membership is read again for the keeper. */
  function authenticate(meanwhile: () => Promise<unknown>) {
    const { store, hsm, config, commit } = appliance
    let isDone = false
    const authenticator = createAuthenticator({
      store,
      hsm,
      clock: systemClock,
      rules: config.session,
      commitAsAppliance: (_operation, _note, work) => commit(work),
      membershipOf: async (member, vaultId) => {
        if (!isDone) await meanwhile()
        isDone = true
        return findSealedMembership(store.read, member, vaultId)
      },
      cardRejection: () => Promise.resolve(undefined),
      report: () => undefined,
    })
    return authenticator.authenticate({ token: client.token ?? '', address: '127.0.0.1', vaultId: Number(vault.id) })
  }

  it('leaves its caller known, so that the answer has the token and the trail a name', async () => {
    await givenAdmin()
    const { token, caller, vault: access } = await authenticate(() => vault.share(String(user.id), undefined))
    expect([token, caller.userId, access]).toEqual([client.token, user.id, undefined])
  })
})

describe.skipIf(!hasPostgres)('a member who is removed while the call waits for the vault', () => {
  let database: TestPostgres
  beforeAll(async () => {
    database = startPostgres()
    appliance = await TestAppliance.own({ ...twoWorkers, store: { postgresUrlFile: database.urlFile } })
    await givenAdmin()
  })
  afterAll(async () => {
    await appliance.close()
    database.cleanup()
  })

  const waits = async () =>
    (await appliance.store.query("SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'", [])).length > 0

  it('is answered as one who was removed before it, and so in the trail', async () => {
    const member = { vaultId: Number(vault.id), userId: user.id }
    let answered: Promise<Answer> | undefined
    await appliance.services.memberships.remove(member, (work, options) =>
      appliance.store.transaction(async (tx) => {
        const done = await work(tx)
        answered = client.call('POST', `/vault/${vault.id}/member/${user.id}`, { body: { status: 1 } })
        await eventually(waits)
        return done
      }, options),
    )
    const answer = await answered
    if (answer === undefined) throw new Error('no call was made')
    expect([verdict(answer), answer.json.CALLINFO.token]).toEqual(['404 1400', client.token])
    const event = eventsOf(appliance).find(({ requestId }) => requestId === answer.headers['x-request-id'])
    expect(event).toMatchObject({ userId: user.id, outcome: 'vault.not_found' })
  })
})
