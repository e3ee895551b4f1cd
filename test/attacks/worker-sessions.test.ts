import { expect, it } from 'vitest'
import { randomSessionToken, sessionTokenHash } from '../../src/access/session-token-form.ts'
import { insertToken } from '../../src/features/auth/session-records.ts'
import { findSealedSession, sealNextToken } from '../../src/features/auth/session-seals.ts'
import type { SealedGrant } from '../../src/access/transaction-grant.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests, workerForTests } from '../support/for-tests.ts'
import type { TestClient } from '../support/client.ts'
import { grantOfSession } from '../support/session-grant.ts'

/**
 * The attacker runs code in a worker. He reads the hash of each session token in the database, also of sessions that
 * pass through other workers or whose users are away.
 */
const appliance = applianceForTests(() => TestAppliance.own())
const worker = workerForTests(appliance)

const hashOf = ({ token = '' }: TestClient): string => sessionTokenHash(token)

async function sessionOf(client: TestClient) {
  const found = await findSealedSession(appliance.store.read, hashOf(client))
  if (found === undefined) throw new Error('no session')
  return found
}

const grantOf = (client: TestClient): Promise<SealedGrant> => grantOfSession(appliance, worker, client)

it('puts no token of its own in the place of one that it has not seen', async () => {
  const [victim, own] = [await appliance.login(), await appliance.login(await appliance.addUser())]
  const session = await sessionOf(victim)
  const mine = sessionTokenHash(randomSessionToken())
  const none: SealedGrant = { record: Buffer.alloc(0), seal: Buffer.alloc(0) }
  for (const grant of [none, await grantOf(own)])
    await expect(sealNextToken(worker, session, mine, grant)).rejects.toMatchObject({ code: 'hsm.rejected' })
})

it('puts another in the place of one that was shown, for that session alone', async () => {
  const client = await appliance.login(await appliance.addUser())
  const session = await sessionOf(client)
  const token = randomSessionToken()
  const hash = sessionTokenHash(token)
  const seal = await sealNextToken(worker, session, hash, await grantOf(client))
  await appliance.store.transaction(async (tx) => insertToken(tx, { hash, seal }, session.session.id, Date.now()))
  expect((await appliance.client(token).get('/vault')).status).toBe(200)
})
