import { beforeAll, describe, expect, it } from 'vitest'
import type { TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { recover } from '../../support/sealed-people.ts'
import { eventsOf } from '../../support/trail.ts'
import { makeVault } from '../../support/vault.ts'

const appliance = applianceForTests()
let alice: TestUser
let own: TestClient

beforeAll(async () => {
  alice = await appliance.addUser(['read', 'active'])
  own = await appliance.login(alice)
})

const readMe = async (client = own) => (await client.must('GET', '/me')).CALLINFO

describe('GET /me', () => {
  it('tells a user without any other capability who they are here', async () => {
    const { userid, username, fullname, email, userstatus, passphrase_changed, resting, timeout, links } =
      await readMe()
    expect({ userid, username, resting }).toEqual({ userid: String(alice.id), username: alice.username, resting: 0 })
    expect(fullname).toMatch(/\S/)
    expect(email).toContain('@')
    expect(userstatus).toBe('129')
    expect(passphrase_changed).toMatch(/^20.*Z$/)
    expect(timeout).toBe(appliance.config.session.idleTimeoutMs)
    expect(links).toBe(true)
  })

  it('says in how many vaults the membership is on hold', async () => {
    const user = await appliance.addUser(['read', 'active'])
    const vault = await makeVault(appliance)
    await vault.share(String(user.id), 'Read')
    await recover(appliance, user.id)
    expect((await readMe(await appliance.login(user)))['resting']).toBe(1)
  })
})

describe('PUT /me/email', () => {
  it('changes the address of the caller and nothing else, and is recorded', async () => {
    const { email: _, ...before } = await readMe()
    const { CALLINFO } = await own.must('PUT', '/me/email', { email: 'alice@example.org' })
    expect(CALLINFO['email']).toBe('alice@example.org')
    const { email, ...after } = await readMe()
    expect(email).toBe('alice@example.org')
    expect({ ...after, token: undefined }).toEqual({ ...before, token: undefined })
    expect(eventsOf(appliance)).toContainEqual(
      expect.objectContaining({ operation: 'me.email', outcome: 'allowed', subject: `user ${alice.id}: email` }),
    )
  })

  it.each(['', 'a@b', 'no address', ' alice@example.org', 'alice@exa mple.org', `${'a'.repeat(128)}@b`, 7, null])(
    'refuses %j, and says why',
    async (email) => {
      const answer = await own.call('PUT', '/me/email', { body: { email } })
      expect(answer.status).toBe(400)
      expect(answer.json.ERRORS?.[0]).toContain('email')
      expect((await readMe())['email']).not.toBe(email)
    },
  )

  it('takes no other field along', async () => {
    await own.must('PUT', '/me/email', { email: 'alice@example.net', fullname: 'Mallory Admin', status: 135 })
    const { fullname, userstatus } = await readMe()
    expect({ fullname, userstatus }).toEqual({ fullname: expect.not.stringContaining('Mallory'), userstatus: '129' })
  })
})

describe('DELETE /me/sessions', () => {
  it('ends all other sessions of the caller, and those of no other user', async () => {
    const user = await appliance.addUser()
    const [here, there, elsewhere] = [
      await appliance.login(user),
      await appliance.login(user),
      await appliance.login(user),
    ]
    expect((await here.must('DELETE', '/me/sessions')).CALLINFO['ended']).toBe(2)
    expectFault(await there.post('/auth/check'), 403, 1200)
    expectFault(await elsewhere.post('/auth/check'), 403, 1200)
    expect((await here.must('DELETE', '/me/sessions')).CALLINFO['ended']).toBe(0)
    expect((await own.post('/auth/check')).status).toBe(200)
  })
})

describe('GET /user/:userid/otp', () => {
  it('lists the devices of the caller, and of no other user', async () => {
    const { CALLINFO } = await own.must('GET', `/user/${alice.id}/otp`)
    expect(CALLINFO['otpdevices']).toEqual([
      expect.objectContaining({ kind: 'hwkey_otp', public_id: alice.hardwareToken.publicId }),
      expect.objectContaining({ kind: 'totp' }),
    ])
    const other = await appliance.addUser()
    expectFault(await own.get(`/user/${other.id}/otp`), 403, 1300)
  })
})
