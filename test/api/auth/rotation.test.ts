import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { openDatabase } from '../../support/database-owner.ts'
import { expectFault, type Answer } from '../../support/client.ts'
import { eventsOf } from '../../support/trail.ts'
import { curl } from '../../support/wire.ts'

const started = async (session: Record<string, unknown>, workers = 1) => {
  const appliance = await TestAppliance.own({ session, http: { workers } })
  return { appliance, [Symbol.asyncDispose]: () => appliance.close() }
}

const check = (appliance: TestAppliance, token: string): Promise<Answer> =>
  appliance.client().post('/auth/check', {}, { token })

describe('rotation by use', () => {
  it('replaces the token with its tenth call, and then the next one', async () => {
    await using one = await started({ rotateAfterUses: 10 })
    const client = await one.appliance.login()
    const tokens: string[] = []
    for (let call = 0; call < 30; call++) {
      await client.must('POST', '/auth/check')
      tokens.push(client.token ?? '')
    }
    expect([...new Set(tokens)]).toHaveLength(4)
    expect(tokens.indexOf(tokens[9] ?? '')).toBe(9)
    expect(tokens.indexOf(tokens[19] ?? '')).toBe(19)
  })

  it('counts in parts: few writes, and no more than a part per worker too late', async () => {
    await using two = await started({ rotateAfterUses: 160 }, 2)
    const { token = '' } = await two.appliance.login()
    const lanes = Array.from({ length: 8 }, () => two.appliance.client(token))
    let calls = 0
    let known = 0
    const writes = new Set<number>()
    while (lanes.every((lane) => lane.token === token)) {
      await Promise.all(lanes.map((lane) => lane.must('POST', '/auth/check')))
      calls += lanes.length
      const rows = await two.appliance.store.query<{ uses: number }>('SELECT uses FROM session_tokens', [])
      known = Math.max(...rows.map(({ uses }) => uses))
      writes.add(known)
    }
    expect(calls).toBeGreaterThanOrEqual(160)
    expect(calls).toBeLessThanOrEqual(160 + 2 * 10 + lanes.length)
    expect(writes.size).toBeLessThanOrEqual(18)
  })

  it('loses no count while the database takes no changes', async () => {
    await using one = await started({ rotateAfterUses: 160 })
    const client = await one.appliance.login()
    const writer = openDatabase(one.appliance)
    try {
      writer.exec('BEGIN IMMEDIATE')
      for (let call = 0; call < 10; call++) await client.must('POST', '/auth/check')
      writer.exec('ROLLBACK')
    } finally {
      writer.close()
    }
    await client.must('POST', '/auth/check')
    expect(await one.appliance.store.query('SELECT uses FROM session_tokens', [])).toEqual([{ uses: 11 }])
  })

  it('is off by default', async () => {
    await using plain = await started({})
    const { token = '' } = await plain.appliance.login()
    const client = plain.appliance.client(token)
    for (let call = 0; call < 50; call++) await client.must('POST', '/auth/check')
    expect(client.token).toBe(token)
    expect(await plain.appliance.store.query('SELECT uses FROM session_tokens', [])).toEqual([{ uses: 0 }])
  })
})

describe.each(['compatible', 'strict'])('at the moment of rotation, %s', (rotation) => {
  it('50 parallel calls all pass, and one of them replaces the token', async () => {
    await using rotating = await started({ rotation, rotateAfterMs: 1 }, 2)
    const { token = '' } = await rotating.appliance.login()
    const answers = await Promise.all(Array.from({ length: 50 }, () => check(rotating.appliance, token)))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200))
    const fresh = answers.flatMap(({ json }) => (json.CALLINFO.token === token ? [] : [json.CALLINFO.token ?? '']))
    if (rotation === 'compatible') expect(fresh).toHaveLength(1)
    expect(new Set(fresh).size).toBe(1)
    expect((await check(rotating.appliance, fresh[0] ?? '')).status).toBe(200)
  })
})

describe('strict', () => {
  it('offers a client that lost an answer the same next token, at every use of the old one within the overlap', async () => {
    await using rotating = await started({ rotation: 'strict', rotateAfterMs: 400 }, 2)
    const { appliance } = rotating
    const { token = '' } = await appliance.login()
    await setTimeout(500)
    const lost = (await check(appliance, token)).json.CALLINFO.token
    expect(lost).not.toBe(token)
    const again = await Promise.all(Array.from({ length: 10 }, () => check(appliance, token)))
    expect(again.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect([...new Set(again.map(({ json }) => json.CALLINFO.token))]).toEqual([lost])
    await appliance.sql(
      'UPDATE session_tokens SET superseded_at = superseded_at - 31000 WHERE superseded_at IS NOT NULL',
    )
    expect((await check(appliance, lost ?? '')).status).toBe(200)
    expect(JSON.stringify(await appliance.store.query('SELECT * FROM session_tokens', []))).not.toContain(lost)
    expectFault(await check(appliance, token), 403, 1200)
    expect(eventsOf(appliance).map(({ operation }) => operation)).toContain('session.end.reuse')
  })

  it('ends the session when a replaced token is used after the overlap, and says so in journal and trail, once', async () => {
    await using rotating = await started({ rotation: 'strict', rotateAfterMs: 1 }, 2)
    const { appliance } = rotating
    const user = await appliance.addUser()
    const client = await appliance.login(user)
    const first = client.token ?? ''
    // Its answer has no body, in which the next token could stand.
    await curl(appliance, '/auth/check', '--head', '--header', `X-Http-Token: ${first}`)
    expect(await appliance.store.query('SELECT superseded_at FROM session_tokens', [])).toEqual([
      { superseded_at: null },
    ])
    await client.must('POST', '/auth/check')
    expect(client.token).not.toBe(first)
    expect((await check(appliance, first)).status).toBe(200)
    await appliance.sql(
      'UPDATE session_tokens SET superseded_at = superseded_at - 31000 WHERE superseded_at IS NOT NULL',
    )
    const thieves = await Promise.all(Array.from({ length: 20 }, () => check(appliance, first)))
    for (const answer of thieves) expectFault(answer, 403, 1200)
    expectFault(await check(appliance, client.token ?? ''), 403, 1200)
    expect(eventsOf(appliance).filter(({ operation }) => operation === 'session.end.reuse')).toMatchObject([
      { outcome: 'allowed', userId: user.id, username: user.username, address: '127.0.0.1' },
    ])
    expect(appliance.journal.split('a replaced session token was used again')).toHaveLength(2)
  })
})
