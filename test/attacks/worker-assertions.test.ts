import { randomUUID } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UsedAssertionTable } from '../../src/features/auth/used-assertion-records.ts'
import type { Service } from '../../src/features/services/described-service.ts'
import { sealedUser } from '../../src/features/users/user-seals.ts'
import type { Hsm } from '../../src/hsm/hsm.ts'
import { TestAppliance } from '../support/appliance.ts'
import { makePair, ownClaims, seconds, signed, type SigningPair } from '../support/assertion-kit.ts'
import { JwksServer } from '../support/jwks-server.ts'
import { addCredential, addService, asked, byAssertion } from '../support/service-kit.ts'
import { accountRow } from '../support/user-row.ts'
import { workerHsm } from '../support/worker-hsm.ts'

/**
 * The attacker runs code in a worker. He reads the assertions that pass through it, and asks the keeper without the
 * checks of the worker.
 */
const [fileIssuer, urlIssuer] = ['https://cluster.example', 'https://forge.example']
const folder = mkdtempSync(join(tmpdir(), 'strongroom-jwks-'))
const server = new JwksServer()
let appliance: TestAppliance
let worker: Hsm
let victim: Service
let other: Service
let own: SigningPair
let clusterKey: SigningPair
/** The attacker's key pair. */
let mine: SigningPair

beforeAll(async () => {
  ;[own, clusterKey, mine] = await Promise.all([makePair(), makePair('RS256'), makePair('RS256')])
  const jwksFile = join(folder, 'keys.json')
  writeFileSync(jwksFile, JSON.stringify({ keys: [clusterKey.jwk] }))
  server.serves(clusterKey.jwk)
  const issuers = [
    { issuer: fileIssuer, jwksFile },
    { issuer: urlIssuer, jwksUrl: await server.start(), jwksCa: server.ca },
  ]
  appliance = await TestAppliance.own({ service: { issuers } })
  worker = workerHsm(appliance)
  const owner = await appliance.addUser()
  ;[victim, other] = [await addService(appliance, owner), await addService(appliance, owner)]
  const claims = { sub: 'system:serviceaccount:shop:mailer' }
  for (const account of [victim, other])
    await addCredential(appliance, account, { ...asked, kind: 'jwt', publicKey: own.jwk, kid: null })
  for (const issuer of [fileIssuer, urlIssuer])
    await addCredential(appliance, victim, { ...asked, kind: 'federated', issuer, claims })
})
afterAll(async () => {
  await worker.close()
  await appliance.close()
  server.stop()
})

const shown = async (account: Service) => sealedUser(await accountRow(appliance, account))
const show = async (account: Service, assertion: string) =>
  worker.serviceLogin(await shown(account), { kind: 'jwt', shown: Buffer.from(assertion) })
const refused = (detail: string) => ({ code: 'login.refused', detail: expect.stringContaining(detail) })

describe('an assertion that a worker has read', () => {
  it('begins no session beside that of the application, whose worker used it first', async () => {
    const assertion = await signed(own, ownClaims(victim.name))
    await appliance.client().must('POST', '/auth', byAssertion(assertion))
    await expect(show(victim, assertion)).rejects.toMatchObject(refused('used before'))
    // The attacker also deletes its row in the database.
    await appliance.store.transaction((tx) => tx.clear(UsedAssertionTable))
    await expect(show(victim, assertion)).rejects.toMatchObject(refused('used before'))
    expect(await appliance.client().post('/auth', byAssertion(assertion))).toMatchObject({ status: 403 })
  })

  it('is used up by the worker that shows it in two requests at once, and after a restart of the keeper', async () => {
    const assertion = await signed(own, ownClaims(victim.name))
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => show(victim, assertion)))
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await appliance.restart()
    await expect(show(victim, assertion)).rejects.toMatchObject(refused('used before'))
  })

  it('is of no other account, also where both have the same key and the id is that of one used up', async () => {
    const assertion = await signed(own, ownClaims(victim.name))
    await expect(show(other, assertion)).rejects.toMatchObject(refused('another issuer'))
    const claims = { ...ownClaims(victim.name), sub: other.name }
    await expect(show(victim, await signed(own, claims))).rejects.toMatchObject(refused('another subject'))
    // Ids are distinguished by account: the attacker cannot use up those of another one.
    const jti = randomUUID()
    await show(other, await signed(own, { ...ownClaims(other.name), jti }))
    await show(victim, await signed(own, { ...ownClaims(victim.name), jti }))
  })

  it('is one of the kinds that it is: no evidence of an issuer, and none by keys that are shown beside it', async () => {
    const record = await shown(victim)
    const keys = Buffer.from(JSON.stringify({ keys: [mine.jwk] }))
    const made = Buffer.from(await signed(mine, ownClaims(victim.name)))
    await expect(worker.serviceLogin(record, { kind: 'jwt', shown: made, issuerKeys: keys })).rejects.toMatchObject(
      refused('no credential'),
    )
    await expect(
      worker.serviceLogin(record, { kind: 'federated', shown: made, issuerKeys: keys }),
    ).rejects.toMatchObject(refused('none of service.issuers'))
  })
})

describe('the keys of an issuer', () => {
  const claims = (issuer: string) => ({
    iss: issuer,
    aud: 'strongroom',
    sub: 'system:serviceaccount:shop:mailer',
    exp: seconds() + 600,
  })
  const keys = (pair: SigningPair) => Buffer.from(JSON.stringify({ keys: [pair.jwk] }))
  const federated = async (issuer: string, pair: SigningPair, issuerKeys?: Buffer) =>
    worker.serviceLogin(await shown(victim), {
      kind: 'federated',
      shown: Buffer.from(await signed(pair, claims(issuer))),
      issuerKeys,
    })

  it('in a file are used, whatever keys a worker shows', async () => {
    await expect(federated(fileIssuer, mine, keys(mine))).rejects.toMatchObject(refused('no key of the issuer'))
    await expect(federated(fileIssuer, clusterKey, keys(mine))).resolves.toHaveProperty('token')
  })

  it('by URL are taken from the worker, as the decision says: it has to show some, which serve for no other issuer', async () => {
    await expect(federated(urlIssuer, clusterKey)).rejects.toMatchObject(refused('cannot be read'))
    await expect(federated(urlIssuer, mine, keys(mine))).resolves.toHaveProperty('token')
    await expect(federated('https://none.example', mine, keys(mine))).rejects.toMatchObject(refused('service.issuers'))
  })
})
