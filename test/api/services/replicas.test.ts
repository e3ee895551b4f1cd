import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorId } from '../../../src/access/confirmation.ts'
import type { Service } from '../../../src/features/services/described-service.ts'
import { makePair, ownClaims, seconds, signed, type SigningPair } from '../../support/assertion-kit.ts'
import type { TestClient } from '../../support/client.ts'
import { caExtensions, cardExtensions, ClientCa, type Card } from '../../support/client-pki.ts'
import {
  addCredential,
  addService,
  asked,
  byAssertion,
  byFederation,
  certificateOf,
  loggedIn,
  sharedVault,
} from '../../support/service-kit.ts'
import { CardAppliance } from '../certificates/card-kit.ts'

/**
 * Replicas of one application on three kinds of machines: one with a certificate, one with a key, one with the token of
 * its Pod.
 */
const cluster = 'https://kubernetes.default.svc.cluster.local'
const folder = mkdtempSync(join(tmpdir(), 'strongroom-jwks-'))
const ca = new ClientCa('/CN=Machines/O=Example', undefined, caExtensions)
let cards: CardAppliance
let service: Service
let owner: TestClient
let vault: string
let certificate: Card
let own: SigningPair
let pods: SigningPair

beforeAll(async () => {
  ;[own, pods] = await Promise.all([makePair('EdDSA'), makePair('RS256')])
  const jwksFile = join(folder, 'cluster.json')
  writeFileSync(jwksFile, JSON.stringify({ keys: [pods.jwk] }))
  cards = await CardAppliance.start(
    { clientCa: ca.certificate },
    { http: { workers: 2 }, service: { issuers: [{ issuer: cluster, jwksFile }] } },
  )
  const { appliance } = cards
  const user = await appliance.addUser(['read', 'createVault', 'active'])
  owner = await appliance.login(user)
  service = await addService(appliance, user)
  certificate = ca.issue('/CN=mail-1', { extensions: [...cardExtensions, 'subjectAltName=DNS:mail-1.example'] })
  const san = { type: 'dns', pattern: 'mail-*.example' } as const
  await addCredential(appliance, service, { ...asked, kind: 'ca', certificate: certificateOf(ca), san })
  await addCredential(appliance, service, { ...asked, kind: 'jwt', publicKey: own.jwk, kid: own.kid })
  const claims = { sub: 'system:serviceaccount:shop:mailer' }
  await addCredential(appliance, service, { ...asked, kind: 'federated', issuer: cluster, claims })
  vault = await sharedVault(owner, service)
  await owner.must('POST', `/transparent/${vault}/keys/mail-column`, { type: 'aes256-gcm96' })
})
afterAll(() => cards.close())

const podToken = () => {
  const claims = { iss: cluster, aud: ['strongroom'], sub: 'system:serviceaccount:shop:mailer' }
  return signed(pods, { ...claims, iat: seconds(), exp: seconds() + 3_600 })
}
const replicas: Readonly<Record<string, () => Promise<TestClient>>> = {
  certificate: () => loggedIn(cards.holding(certificate), { logintype: 'service_certificate', account: service.name }),
  jwt: async () => loggedIn(cards.appliance.client(), byAssertion(await signed(own, ownClaims(service.name)))),
  federation: async () => loggedIn(cards.appliance.client(), byFederation(service.name, await podToken())),
}

describe('three replicas', () => {
  it('log in at once, each in its own way, and decrypt what the others encrypted', async () => {
    const clients = await Promise.all(Object.values(replicas).map((begin) => begin()))
    const plaintext = Buffer.from('a letter').toString('base64')
    const ciphertexts = await Promise.all(
      clients.map(async (client) => {
        const { CALLINFO } = await client.must('POST', `/transparent/${vault}/encrypt/mail-column`, { plaintext })
        return CALLINFO['ciphertext']
      }),
    )
    await Promise.all(
      clients.flatMap((client) =>
        ciphertexts.map(async (ciphertext) => {
          const opened = await client.must('POST', `/transparent/${vault}/decrypt/mail-column`, { ciphertext })
          expect(JSON.stringify(opened)).toContain(plaintext)
        }),
      ),
    )
    const { services } = cards.appliance
    const { uses } = await services.serviceAccounts.read(service.id)
    expect(new Set(uses.map(({ credential }) => credential)).size).toBe(3)
  })

  it('end one by one with their credential, beside the others', async () => {
    const clients = await Promise.all(Object.values(replicas).map((begin) => begin()))
    const { services, commit } = cards.appliance
    const { account } = await services.serviceAccounts.read(service.id)
    const jwt = account.credentials.find(({ kind }) => kind === 'jwt')?.id ?? ''
    await services.serviceAccounts.removeCredential(service.id, jwt, operatorId, commit)
    const answers = await Promise.all(clients.map((client) => client.get('/auth/check')))
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 200])
  })
})
