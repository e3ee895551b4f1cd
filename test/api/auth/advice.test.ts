import { describe, expect, it } from 'vitest'
import { lockedUser } from '../../../src/features/users/records.ts'
import { changeUser } from '../../../src/features/users/user-seals.ts'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type Answer } from '../../support/client.ts'
import { HardwareToken } from '../../support/hardware-token.ts'

const dayMs = 24 * 3_600_000

const appliance = applianceForTests(() => TestAppliance.own({ login: { passphraseMaxAgeMs: 100 * dayMs } }))

interface Told {
  readonly audit: { violations: Record<string, string>; warnings: Record<string, string> }
  readonly general: string[]
}

async function told(user: TestUser): Promise<Told> {
  const { json } = await appliance.client().post('/auth', appliance.credentials(user))
  expect(json.CALLINFO.status).toBe('SUCCESS')
  return json.CALLINFO as unknown as Told
}

const setUser = (user: TestUser, assignment: string) =>
  appliance.sql(`UPDATE users SET ${assignment} WHERE id = ${user.id}`)

/** Changes the age of a pass phrase, with a valid seal of the user. */
const agePassphrase = ({ id }: TestUser, byMs: number) =>
  appliance.store.transaction(async (tx) => {
    const user = await lockedUser(tx, id)
    await changeUser(appliance.hsm, tx, user, { passphraseChangedAt: user.passphraseChangedAt - byMs })
  })

describe('the login tells its user', () => {
  it('nothing, when there is nothing to tell', async () => {
    expect(await told(await appliance.addUser())).toMatchObject({
      audit: { violations: [], warnings: [] },
      general: [],
    })
  })

  it('of failed logins since the last good one, once', async () => {
    const user = await appliance.addUser()
    await told(user)
    const before = Date.now()
    for (const change of [{ passphrase: 'wrong wrong wrong' }, { otp: new HardwareToken().press() }])
      expectFault(await appliance.client().post('/auth', { ...appliance.credentials(user), ...change }), 403, 1201)
    const { failed_logins: sentence = '' } = (await told(user)).audit.warnings
    expect(sentence).toMatch(
      /^2 logins with your name have failed since your last one, the latest at [-\d]+ [:\d]+ UTC\.$/,
    )
    const moment = /at (\S+) (\S+) UTC/.exec(sentence)
    expect(Date.parse(`${moment?.[1]}T${moment?.[2]}Z`)).toBeGreaterThanOrEqual(before - 1_000)
    expect((await told(user)).audit.warnings).toEqual([])
  })

  it('of each of many that failed at the same moment', async () => {
    const user = await appliance.addUser()
    const wrong = Array.from({ length: 8 }, () => ({
      ...appliance.credentials(user),
      otp: new HardwareToken().press(),
    }))
    await Promise.all(wrong.map((body) => appliance.client().post('/auth', body)))
    expect((await told(user)).audit.warnings['failed_logins']).toMatch(/^8 logins /)
  })

  it('that the pass phrase will be, and is, too old', async () => {
    const user = await appliance.addUser()
    await agePassphrase(user, 89 * dayMs)
    expect((await told(user)).audit).toEqual({ violations: [], warnings: [] })
    await agePassphrase(user, 6 * dayMs)
    expect((await told(user)).audit).toEqual({
      violations: [],
      warnings: { passphrase_old: 'Your pass phrase has to be changed within 4 days.' },
    })
    await agePassphrase(user, 6 * dayMs)
    expect((await told(user)).audit).toEqual({
      violations: { passphrase_old: 'Your pass phrase is 101 days old, and may grow 100 days old here: change it.' },
      warnings: [],
    })
  })

  it('that the pass phrase is weak, in general too', async () => {
    const user = await appliance.addUser()
    await setUser(user, 'passphrase_strength = 2')
    const { audit, general } = await told(user)
    expect(audit.warnings).toEqual({
      passphrase_weak: 'Your pass phrase is weak: change it to one that is hard to guess.',
    })
    expect(general).toEqual([audit.warnings['passphrase_weak']])
  })

  it('the strength of a pass phrase that was never judged, and remembers it', async () => {
    const user = await appliance.addUser()
    await setUser(user, 'passphrase_strength = NULL')
    expect((await told(user)).audit.warnings).toEqual([])
    expect(
      await appliance.store.query('SELECT passphrase_strength AS strength FROM users WHERE id = $1', [user.id]),
    ).toEqual([{ strength: 4 }])
  })
})

describe('more logins at once than may wait', () => {
  const busy = applianceForTests(() =>
    TestAppliance.own({
      http: { workers: 1, proxies: ['127.0.0.1'] },
      login: { argon2: { memoryKiB: 65_536, passes: 4, concurrency: 1, queue: 2 } },
    }),
  )

  const auth = (body: unknown, from: string): Promise<Answer> =>
    busy.client().call('POST', '/auth', { body, headers: { 'X-Forwarded-For': from } })

  it('are refused with 429 and Retry-After, and their OTPs stay good', async () => {
    const users: TestUser[] = []
    for (let n = 0; n < 8; n++) users.push(await busy.addUser())
    const bodies = users.map((user) => busy.credentials(user))
    const answers = await Promise.all(bodies.map((body) => auth(body, '192.0.2.1')))
    const refused = answers.flatMap((answer, n) => (answer.status === 200 ? [] : [{ answer, body: bodies[n] }]))
    expect(refused.length).toBeGreaterThan(0)
    for (const { answer } of refused) {
      expectFault(answer, 429, 1204)
      expect(answer.headers['retry-after']).toBe('1')
    }
    const [first] = refused
    expect((await auth(first?.body, '192.0.2.1')).status).toBe(200)
  })

  it('from one place keep nobody else out', async () => {
    const [victim, user] = [await busy.addUser(), await busy.addUser()]
    const over = new AbortController()
    const flood = Array.from({ length: 12 }, async () => {
      const statuses: number[] = []
      while (!over.signal.aborted) {
        const body = { ...busy.credentials(victim), passphrase: 'wrong wrong wrong' }
        statuses.push((await auth(body, '198.51.100.66')).status)
      }
      return statuses
    })
    const statuses: number[] = []
    for (let login = 0; login < 5; login++) statuses.push((await auth(busy.credentials(user), '203.0.113.7')).status)
    over.abort()
    expect(statuses).toEqual([200, 200, 200, 200, 200])
    expect((await Promise.all(flood)).flat()).toContain(429)
  })
})
