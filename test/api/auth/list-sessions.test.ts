import { beforeAll, describe, expect, it } from 'vitest'
import { twoWorkers, TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { eventsOf } from '../../support/trail.ts'

const appliance = applianceForTests(() => TestAppliance.own({ ...twoWorkers, session: { perUser: 3 } }))
let admin: TestClient
let alice: TestUser
let bob: TestUser

interface Item {
  readonly id: string
  readonly current: boolean
}

beforeAll(async () => {
  admin = await appliance.login(await appliance.addUser(['read', 'admin', 'active']))
  alice = await appliance.addUser()
  bob = await appliance.addUser()
})

const sessionsOf = async (client: TestClient, userId: number | string = alice.id): Promise<Item[]> =>
  (await client.must('GET', `/user/${userId}/sessions`)).CALLINFO['sessions'] as Item[]
const isOpen = async (client: TestClient): Promise<boolean> => (await client.post('/auth/check')).status === 200

describe('the sessions of a user', () => {
  it('are listed for the user and for administrators, without tokens', async () => {
    const own = await appliance.login(alice)
    const seen = await sessionsOf(own)
    expect(seen).toEqual([
      {
        id: expect.stringMatching(/^\d+$/),
        address: '127.0.0.1',
        application: 'tests',
        created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        last_seen: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        current: true,
      },
    ])
    expect(await sessionsOf(admin)).toEqual(seen.map((item) => ({ ...item, current: false })))
  })

  it('can be ended, one or all, by the user', async () => {
    const [one, other] = [await appliance.login(alice), await appliance.login(alice)]
    const [newest] = await sessionsOf(one)
    await one.must('DELETE', `/user/${alice.id}/sessions/${newest?.id}`)
    expect([await isOpen(one), await isOpen(other)]).toEqual([true, false])
    expectFault(await one.call('DELETE', `/user/${alice.id}/sessions/${newest?.id}`), 404, 1205)
    const { CALLINFO } = await one.must('DELETE', `/user/${alice.id}/sessions`)
    expect(CALLINFO['ended']).toBe(2)
    expect(await isOpen(one)).toBe(false)
  })

  it('can be ended by an administrator, on both workers at once', async () => {
    const { token = '' } = await appliance.login(bob)
    const lanes = Array.from({ length: 8 }, () => appliance.client(token))
    for (const lane of lanes) expect(await isOpen(lane)).toBe(true)
    const [{ id } = { id: '' }] = await sessionsOf(admin, bob.id)
    await admin.must('DELETE', `/user/${bob.id}/sessions/${id}`)
    for (const lane of lanes) expectFault(await lane.post('/auth/check'), 403, 1200)
    expect(eventsOf(appliance)).toContainEqual(
      expect.objectContaining({ operation: 'user.session.end', subject: `session ${id} of user ${bob.id}` }),
    )
  })

  it('are none of another user', async () => {
    const own = await appliance.login(alice)
    const others = await appliance.login(bob)
    const [{ id } = { id: '' }] = await sessionsOf(others, bob.id)
    expectFault(await own.get(`/user/${bob.id}/sessions`), 403, 1300)
    expectFault(await own.call('DELETE', `/user/${bob.id}/sessions`), 403, 1300)
    expectFault(await own.call('DELETE', `/user/${bob.id}/sessions/${id}`), 403, 1300)
    expectFault(await own.call('DELETE', `/user/${alice.id}/sessions/${id}`), 404, 1205)
    expectFault(await admin.call('DELETE', `/user/${alice.id}/sessions/${id}`), 404, 1205)
    expect(await isOpen(others)).toBe(true)
  })

  const odd = ['0', '-1', '01', '0x1', '1e3', '99999999999999999999', 'me', '%00', '%F0%9F%94%91', "1'--"]
  it.each(odd)('of user %s are none, for an administrator and for others', async (userId) => {
    const own = await appliance.login(alice)
    expectFault(await own.get(`/user/${userId}/sessions`), 403, 1300)
    expectFault(await admin.get(`/user/${userId}/sessions`), 404, 1700)
    expectFault(await admin.call('DELETE', `/user/${userId}/sessions`), 404, 1700)
    expectFault(await admin.call('DELETE', `/user/${alice.id}/sessions/${userId}`), 404, 1205)
  })
})

describe('the limit of sessions per user', () => {
  it('ends the oldest when one more opens', async () => {
    const user = await appliance.addUser()
    const clients: TestClient[] = []
    for (let n = 0; n < 5; n++) clients.push(await appliance.login(user))
    const open: boolean[] = []
    for (const client of clients) open.push(await isOpen(client))
    expect(open).toEqual([false, false, true, true, true])
  })

  it('holds when 12 log in at once, over both workers', async () => {
    const user = await appliance.addUser()
    const bodies = Array.from({ length: 12 }, () => appliance.credentials(user))
    const answers = await Promise.all(bodies.map((body) => appliance.client().post('/auth', body)))
    const tokens = answers.flatMap(({ json }) => json.CALLINFO.token ?? [])
    // Of OTPs that arrive out of order, the older ones are refused.
    expect(tokens.length).toBeGreaterThan(0)
    for (let n = 0; n < 3; n++) tokens.push((await appliance.login(user)).token ?? '')
    const open = await Promise.all(tokens.map((token) => isOpen(appliance.client(token))))
    expect(open.filter(Boolean)).toHaveLength(3)
    expect(await sessionsOf(admin, user.id)).toHaveLength(3)
  })
})
