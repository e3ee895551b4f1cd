import { describe, expect, it } from 'vitest'
import { twoWorkers, TestAppliance } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'

const appliance = applianceForTests(() => TestAppliance.own(twoWorkers))

describe('the session token', () => {
  it('is accepted in header, query, JSON body and form, and repeated in DATA', async () => {
    const { token = '' } = await appliance.login()
    const bare = appliance.client()
    const answers = [
      await bare.get('/vault', { token }),
      await bare.get(`/vault?token=${token}`),
      await bare.post('/auth/check', { token }),
      await bare.call('POST', '/auth/check', {
        raw: `token=${token}`,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': String(token.length + 6) },
      }),
    ]
    for (const { status, json } of answers) {
      expect(status).toBe(200)
      expect(json.DATA).toEqual({ token })
      expect(json.CALLINFO.token).toBe(token)
    }
  })

  it('is preferred in the header', async () => {
    const good = await appliance.login()
    expect((await good.call('POST', '/auth/check', { raw: '{"token":"x"}' })).status).toBe(200)
    expectFault(
      await good.call('POST', `/auth/check?token=${good.token}`, { raw: `{"token":"${good.token}"}`, token: 'x' }),
      403,
      1200,
    )
  })

  const bad: readonly (readonly [string, string | null])[] = [
    ['none', null],
    ['an unknown one', 'A'.repeat(42)],
    ['a short one', 'abc'],
    ['one with odd characters', `${'A'.repeat(41)}'`],
    ['a very long one', 'A'.repeat(5000)],
  ]
  it.each(bad)('refuses %s with 1200', async (_what, token) => {
    for (const path of ['/vault', '/utils/policies', '/transparent/1/keys/a', '/auth/logout']) {
      expectFault(await appliance.client().get(path, { token }), 403, 1200)
    }
  })

  it('ends with the logout', async () => {
    const client = await appliance.login()
    const token = client.token ?? ''
    const { CALLINFO } = await client.must('GET', '/auth/logout')
    expect(CALLINFO['logout']).toBe('Goodbye')
    expectFault(await appliance.client().get('/vault', { token }), 403, 1200)
    expectFault(await appliance.client().post('/auth/check', {}, { token }), 403, 1200)
  })

  it('survives a kill of everything', async () => {
    const client = await appliance.login()
    await appliance.restart('SIGKILL')
    expect((await client.get('/auth/check')).status).toBe(200)
  })
})

describe('rotation', () => {
  it('compatible: is offered by age, once, and the old token stays good', async () => {
    await using rotating = await started({ rotation: 'compatible', rotateAfterMs: 1 })
    const client = await rotating.appliance.login()
    const first = client.token ?? ''
    const second = (await client.must('GET', '/vault')).CALLINFO.token ?? ''
    expect(second).not.toBe(first)
    const again = await rotating.appliance.client().get('/vault', { token: first })
    expect([again.status, again.json.CALLINFO.token]).toEqual([200, first])
    const third = await rotating.appliance.client().get('/vault', { token: second })
    expect([third.status, third.json.CALLINFO.token === second]).toEqual([200, false])
    await rotating.appliance.client().get('/auth/logout', { token: first })
    expectFault(await rotating.appliance.client().get('/vault', { token: second }), 403, 1200)
  })

  it('is offered by a call with a large body, too, which is authenticated before and after it is read', async () => {
    await using rotating = await started({ rotation: 'compatible', rotateAfterMs: 1 })
    const client = await rotating.appliance.login()
    const first = client.token ?? ''
    const { json } = await client.post('/vault', { vaultname: 'x'.repeat(10_000) }, { token: first })
    const second = json.CALLINFO.token ?? ''
    expect(second).not.toBe(first)
    expect((await rotating.appliance.client().get('/vault', { token: second })).status).toBe(200)
  })

  it('of 30 parallel calls, one replaces the token', async () => {
    await using rotating = await started({ rotation: 'compatible', rotateAfterMs: 1 })
    const { token = '' } = await rotating.appliance.login()
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => rotating.appliance.client().get('/vault', { token })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 200))
    expect(answers.filter(({ json }) => json.CALLINFO.token !== token)).toHaveLength(1)
  })

  it('strict: the old token overlaps, then its use ends the session and is reported', async () => {
    await using rotating = await started({ rotation: 'strict', rotateAfterMs: 1 })
    const client = await rotating.appliance.login()
    const first = client.token ?? ''
    const second = (await client.must('GET', '/vault')).CALLINFO.token ?? ''
    expect((await rotating.appliance.client().get('/vault', { token: first })).status).toBe(200)
    await rotating.appliance.sql(
      'UPDATE session_tokens SET superseded_at = superseded_at - 31000 WHERE superseded_at IS NOT NULL',
    )
    expectFault(await rotating.appliance.client().get('/vault', { token: first }), 403, 1200)
    expectFault(await rotating.appliance.client().get('/vault', { token: second }), 403, 1200)
    expect(rotating.appliance.journal).toContain('a replaced session token was used again')
  })

  it('ends a session that is idle, or too old', async () => {
    await using rotating = await started({ idleTimeoutMs: 60_000, absoluteTimeoutMs: 120_000 })
    const change = (column: string, byMs: number) =>
      rotating.appliance.sql(`UPDATE sessions SET ${column} = ${column} - ${byMs}`)
    const idle = await rotating.appliance.login()
    await change('last_seen_at', 50_000)
    expect((await idle.get('/vault')).status).toBe(200)
    await change('last_seen_at', 70_000)
    expectFault(await idle.get('/vault'), 403, 1200)
    const old = await rotating.appliance.login()
    await change('created_at', 121_000)
    expectFault(await old.get('/vault'), 403, 1200)
  })
})

async function started(session: Record<string, unknown>) {
  const appliance = await TestAppliance.own({ session })
  return { appliance, [Symbol.asyncDispose]: () => appliance.close() }
}
