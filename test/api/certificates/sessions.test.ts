import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Capability } from '../../../src/access/capabilities.ts'
import { systemClock } from '../../../src/clock.ts'
import { createServices } from '../../../src/daemon/services.ts'
import { twoWorkers, type TestUser } from '../../support/appliance.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { ClientCa, type Card } from '../../support/client-pki.ts'
import { eventsOf } from '../../support/trail.ts'
import { CardAppliance } from './card-kit.ts'

/** A session that a card opened is valid only as long as the card. */

const ca = new ClientCa()
let cards: CardAppliance

beforeAll(async () => {
  ca.writeCrl()
  cards = await CardAppliance.start({ clientCa: ca.certificate, crls: [ca.crl] }, twoWorkers)
})
afterAll(() => cards.close())

/** A user with a card, and one session on many connections to both listeners, so that both workers have served it. */
async function given(name: string): Promise<{ card: Card; user: TestUser; lanes: TestClient[] }> {
  const card = ca.issue(`/CN=${name}`)
  const user = await cards.holder(card)
  const { CALLINFO } = await cards.holding(card).must('POST', '/auth', cards.credentials(user))
  const plain = Array.from({ length: 6 }, () => cards.appliance.client(CALLINFO.token))
  const lanes = [...plain, Object.assign(cards.holding(card), { token: CALLINFO.token })]
  for (const lane of lanes) await lane.must('POST', '/auth/check')
  return { card, user, lanes }
}

/**
 * Expects the end of a session. A worker may have checked the card a moment ago; once one has ended the session, it is
 * over for all.
 */
async function expectEnd(lanes: readonly TestClient[]): Promise<void> {
  const statuses = async () =>
    (await Promise.all(lanes.map((lane) => lane.post('/auth/check')))).map(({ status }) => status)
  await expect.poll(statuses).toContain(403)
  for (const lane of lanes) expectFault(await lane.post('/auth/check'), 403, 1200)
}

const endings = (user: TestUser) =>
  eventsOf(cards.appliance).filter(({ operation, userId }) => operation === 'session.end.card' && userId === user.id)

describe('a session that a card opened', () => {
  it('ends when the CA has revoked its card, at every worker, and cannot be resumed', async () => {
    const { card, user, lanes } = await given('Revoked')
    const byToken = await cards.appliance.login(user)
    ca.revoke(card)
    ca.writeCrl()
    await expectEnd(lanes)
    ca.forget()
    ca.writeCrl()
    for (const lane of lanes) expectFault(await lane.post('/auth/check'), 403, 1200)
    expect(endings(user)).toMatchObject([
      {
        outcome: 'allowed',
        username: user.username,
        subject: expect.stringMatching(/^certificate [0-9a-f]{16}: revoked$/),
      },
    ])
    await byToken.must('POST', '/auth/check')
  })

  it('ends when nobody can say any more that the card is good', async () => {
    const { user, lanes } = await given('Unvouched')
    ca.writeCrl(7, '-crl_lastupdate', '20200101000000Z', '-crl_nextupdate', '20200108000000Z')
    await expectEnd(lanes)
    ca.writeCrl()
    expect(endings(user)).toMatchObject([{ subject: expect.stringContaining('revocation list has expired') }])
  })

  it('ends when the card expires, or is no longer the user’s', async () => {
    const { user, lanes } = await given('Expiring')
    const { appliance } = cards
    const [{ certificate }] = (await appliance.store.query<{ certificate: string }>(
      'SELECT certificate FROM sessions WHERE user_id = $1',
      [user.id],
    )) as [{ certificate: string }]
    const at = (days: number) => {
      const clock = { now: () => systemClock.now() + days * 86_400_000 }
      const { store, hsm, config } = appliance
      const { certificates } = createServices({ config, store, hsm, clock, audit: { append: () => Promise.resolve() } })
      return certificates.rejectReason(user.id, certificate)
    }
    expect(await at(0)).toBeUndefined()
    expect(await at(1000)).toMatch(/: expired$/)
    await appliance.sql(`DELETE FROM user_certificates WHERE user_id = ${user.id}`)
    await expectEnd(lanes)
    expect(endings(user)).toMatchObject([{ subject: expect.stringMatching(/: not registered$/) }])
  })

  it('ends when smartcards are turned off', async () => {
    const { user, lanes } = await given('Offline')
    const { configFile } = cards.appliance
    const text = readFileSync(configFile, 'utf8')
    const config = JSON.parse(text) as { smartcard: object }
    writeFileSync(configFile, JSON.stringify({ ...config, smartcard: { ...config.smartcard, enabled: false } }))
    await cards.appliance.restart('SIGKILL')
    try {
      const [lane] = lanes
      expectFault(await cards.appliance.client(lane?.token).post('/auth/check'), 403, 1200)
      expect(endings(user)).toMatchObject([{ subject: 'smartcards are turned off' }])
    } finally {
      writeFileSync(configFile, text)
      await cards.appliance.restart('SIGKILL')
    }
  })
})

describe('the login of an administrator', () => {
  it('warns administrators of a revocation list that soon expires, and no other user', async () => {
    const warningsOf = async (capabilities: readonly Capability[]) => {
      const user = await cards.appliance.addUser(capabilities)
      const { CALLINFO } = await cards.appliance.client().must('POST', '/auth', cards.appliance.credentials(user))
      return (CALLINFO['audit'] as { warnings: unknown }).warnings
    }
    expect(await warningsOf(['read', 'admin', 'active'])).toEqual([])
    ca.writeCrl(3600)
    expect(await warningsOf(['read', 'admin', 'active'])).toEqual({
      crl: expect.stringMatching(/^The revocation list of .* expires on .*: fetch a new one/),
    })
    expect(await warningsOf(['read', 'active'])).toEqual([])
    ca.writeCrl()
  })
})
