import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { sessionTokenHash } from '../../src/access/session-token-form.ts'
import { insertToken } from '../../src/features/auth/session-records.ts'
import { findSealedSession, sealNextToken } from '../../src/features/auth/session-seals.ts'
import { successorOf } from '../../src/features/auth/session-token.ts'
import type { Hsm } from '../../src/hsm/hsm.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { editDatabase } from '../support/database-owner.ts'
import { grantOfSession } from '../support/session-grant.ts'
import { outcomeOf } from '../support/step-outcome.ts'
import { startKeeperAt } from '../support/turned-keeper.ts'
import { workerHsm } from '../support/worker-hsm.ts'

/** The attacker has a token of a user's session, and writes to the database. */
const appliance = applianceForTests(() => TestAppliance.own({ session: { rotation: 'strict' } }))

const edit = (sql: string): void => editDatabase(appliance, sql)

describe('a token that was replaced, in a row that says that it was not', () => {
  let now = Date.now()
  let keeper: { readonly hsm: Hsm; close(): Promise<void> }
  beforeAll(async () => {
    keeper = await startKeeperAt(appliance, () => now, 'worker')
  })
  afterAll(() => keeper.close())

  /** Replaces the token, and leaves it in its row as if it were not. */
  async function replaced(token: string): Promise<string> {
    const session = await findSealedSession(appliance.store.read, sessionTokenHash(token))
    if (session === undefined) throw new Error('no session')
    const next = await successorOf(keeper.hsm, token)
    const grant = await grantOfSession(appliance, keeper.hsm, appliance.client(token))
    const seal = await sealNextToken(keeper.hsm, session, next.hash, grant)
    await appliance.store.transaction((tx) => insertToken(tx, { hash: next.hash, seal }, session.session.id, now))
    return next.token
  }
  const use = (token: string) => outcomeOf(grantOfSession(appliance, keeper.hsm, appliance.client(token)))

  it('serves for the calls that began with it, and no longer than ten minutes after its successor was used', async () => {
    const { token: first = '' } = await appliance.login(await appliance.addUser())
    const second = await replaced(first)
    now += 1_800_000
    expect(await use(first)).toBe('done')
    expect(await use(second)).toBe('done')
    now += 599_000
    expect(await use(first)).toBe('done')
    now += 2_000
    expect([await use(first), await use(second)]).toEqual(['session.invalid', 'done'])
  })

  it('does so whichever of the tokens before the present one it is', async () => {
    const { token: first = '' } = await appliance.login(await appliance.addUser())
    const second = await replaced(first)
    const third = await replaced(second)
    expect(await use(third)).toBe('done')
    now += 601_000
    expect(await use(third)).toBe('done')
    expect(await use(first)).toBe('session.invalid')
  })
})

it('a session that its user ended does not begin again where its token was hidden at that moment', async () => {
  const client = await appliance.login(await appliance.addUser())
  const stolen = appliance.client(client.token)
  const hash = sessionTokenHash(client.token ?? '')
  edit(`UPDATE session_tokens SET superseded_at = ${Date.now()} WHERE hash = '${hash}'`)
  await client.must('GET', '/auth/logout')
  edit(`UPDATE session_tokens SET superseded_at = NULL WHERE hash = '${hash}'`)
  edit('UPDATE sessions SET ended_at = NULL')
  // What a worker remembers for a minute does not count.
  const worker = workerHsm(appliance)
  onTestFinished(() => worker.close())
  expect(await outcomeOf(grantOfSession(appliance, worker, stolen))).toBe('session.invalid')
})

it('a session that its user ends from another one does not begin again either', async () => {
  const user = await appliance.addUser()
  const [stolen, own] = [await appliance.login(user), await appliance.login(user)]
  const hash = sessionTokenHash(stolen.token ?? '')
  const [row] = await appliance.store.query<{ id: number }>(
    'SELECT session_id AS id FROM session_tokens WHERE hash = $1',
    [hash],
  )
  edit(`UPDATE session_tokens SET superseded_at = ${Date.now()} WHERE hash = '${hash}'`)
  await own.must('DELETE', `/user/${user.id}/sessions/${row?.id}`)
  edit(`UPDATE session_tokens SET superseded_at = NULL WHERE hash = '${hash}'`)
  edit('UPDATE sessions SET ended_at = NULL')
  const worker = workerHsm(appliance)
  onTestFinished(() => worker.close())
  expect(await outcomeOf(grantOfSession(appliance, worker, stolen))).toBe('session.invalid')
})

it('an idle session goes on where its row tells of a call that was not made', async () => {
  const own = await TestAppliance.own({ session: { idleTimeoutMs: 4_000 } })
  onTestFinished(() => own.close())
  const client = await own.login()
  await delay(4_200)
  editDatabase(own, `UPDATE sessions SET last_seen_at = ${Date.now()}, ended_at = NULL`)
  expect((await client.get('/vault')).status).toBe(200)
})
