import { createHmac, createPublicKey } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportPKCS8, type JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Service } from '../../../src/features/services/described-service.ts'
import { TestAppliance, twoWorkers, type TestUser } from '../../support/appliance.ts'
import { compact, makePair, ownClaims, seconds, signed, type SigningPair } from '../../support/assertion-kit.ts'
import { JwksServer } from '../../support/jwks-server.ts'
import { addCredential, addService, asked, byAssertion, byFederation } from '../../support/service-kit.ts'

/**
 * Logins of service accounts by assertions, over the wire: with their own keys, and by issuers with a file or a URL of
 * keys.
 */
const cluster = 'https://kubernetes.default.svc.cluster.local'
const forge = 'https://ci.example'
const folder = mkdtempSync(join(tmpdir(), 'strongroom-jwks-'))
const jwksFile = join(folder, 'cluster.json')
const server = new JwksServer()
const publish = (...pairs: SigningPair[]): void =>
  writeFileSync(jwksFile, JSON.stringify({ keys: pairs.map(({ jwk }) => jwk) }))

let appliance: TestAppliance
let owner: TestUser
let service: Service
let own: SigningPair
let clusterKey: SigningPair
let forgeKey: SigningPair

beforeAll(async () => {
  ;[own, clusterKey, forgeKey] = await Promise.all([makePair('EdDSA'), makePair('RS256'), makePair('ES256')])
  publish(clusterKey)
  server.serves(forgeKey.jwk)
  const jwksUrl = await server.start()
  const issuers = [
    { issuer: cluster, jwksFile, audience: ['strongroom.example'] },
    { issuer: forge, jwksUrl, jwksCa: server.ca },
  ]
  appliance = await TestAppliance.own({ ...twoWorkers, service: { issuers } })
  owner = await appliance.addUser(['read', 'createVault', 'active'])
  service = await addService(appliance, owner)
  await addCredential(appliance, service, { ...asked, kind: 'jwt', publicKey: own.jwk, kid: null })
  const pods = { sub: 'system:serviceaccount:shop:*' }
  await addCredential(appliance, service, { ...asked, kind: 'federated', issuer: cluster, claims: pods })
  const main = { sub: 'repo:shop/api:*', ref: 'refs/heads/main', attempt: '1', teams: 'release' }
  await addCredential(appliance, service, { ...asked, kind: 'federated', issuer: forge, claims: main })
})
afterAll(async () => {
  await appliance.close()
  server.stop()
})

/** Undefined members are omitted. */
type Over = Readonly<Record<string, unknown>>
const attempt = (body: Readonly<Record<string, string>>) => appliance.client().post('/auth', body)
const refused = { status: 403, json: { ERRORCODES: { 1201: expect.any(String) } } }
const records = (): string[] => appliance.trail.flatMap((text) => text.split('\n'))

async function expectRefused(body: Readonly<Record<string, string>>, reason: string): Promise<void> {
  const before = new Set(records())
  expect(await attempt(body)).toMatchObject(refused)
  expect(
    records()
      .filter((line) => !before.has(line))
      .join('\n'),
  ).toContain(reason)
}

describe('a login by an assertion of the account’s own key', () => {
  const claims = (over: Over = {}): JWTPayload => ({ ...ownClaims(service.name), ...over })
  const body = async (over: Over = {}, header = {}) => byAssertion(await signed(own, claims(over), header))

  it('begins a session under the name that the assertion has', async () => {
    const { status, json } = await attempt(await body())
    expect(status).toBe(200)
    expect(json.CALLINFO).toMatchObject({ username: service.name, userid: String(service.id) })
    const client = appliance.client(json.CALLINFO.token)
    await client.must('GET', '/auth/check')
  })

  it('is good once: shown to both workers ten times at once, one session begins', async () => {
    const once = await body()
    const answers = await Promise.all(Array.from({ length: 10 }, () => attempt(once)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 403),
    ])
    await expectRefused(once, 'the assertion was used before')
  })

  it('of another signature, with the same id, is used up as well', async () => {
    const jti = `once-${Date.now()}`
    expect(await attempt(await body({ jti }))).toMatchObject({ status: 200 })
    await expectRefused(await body({ jti, exp: seconds() + 200 }), 'used before')
  })

  it('of 200 replicas at once begins 200 sessions', async () => {
    const bodies = await Promise.all(Array.from({ length: 200 }, () => body()))
    const answers = await Promise.all(bodies.map(attempt))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ json }) => json.CALLINFO.token)).size).toBe(200)
  })

  it.each<[string, Over, string]>([
    ['has expired', { exp: seconds() - 61 }, 'has expired'],
    ['is good for an hour', { exp: seconds() + 3_600 }, 'ends later than 300 s'],
    ['has no end', { exp: undefined }, 'has no end'],
    ['is of the future', { iat: seconds() + 300 }, 'from the future (iat)'],
    ['begins later', { nbf: seconds() + 120 }, 'from the future (nbf)'],
    ['is for another audience', { aud: 'openbao' }, 'another audience'],
    ['has no id', { jti: undefined }, 'has no id'],
    ['is of another issuer', { iss: 'https://elsewhere.example' }, 'another issuer'],
  ])('is refused where the assertion %s', async (_which, over, reason) => {
    await expectRefused(await body(over), reason)
  })

  it('is refused without a signature, by HS256 with the public key, and by another key', async () => {
    const text = JSON.stringify(claims())
    const none = compact('{"alg":"none"}', text, () => Buffer.alloc(0))
    await expectRefused(byAssertion(none), 'no algorithm that is taken here')
    const secret = JSON.stringify(own.jwk)
    const hs = compact('{"alg":"HS256"}', text, (bytes) => createHmac('sha256', secret).update(bytes).digest())
    await expectRefused(byAssertion(hs), 'no algorithm that is taken here')
    const stranger = await makePair('EdDSA')
    await expectRefused(byAssertion(await signed(stranger, claims())), 'no credential of the account fits')
    await expectRefused(await body({}, { jwk: stranger.jwk }), 'the header jwk')
  })

  it('is refused by a key id that the credential does not have', async () => {
    const named = await addService(appliance, owner)
    await addCredential(appliance, named, { ...asked, kind: 'jwt', publicKey: own.jwk, kid: 'one' })
    const by = async (kid: string) => byAssertion(await signed(own, ownClaims(named.name), { kid }))
    await expectRefused(await by('two'), 'no credential of the account fits')
    expect(await attempt(await by('one'))).toMatchObject({ status: 200 })
  })

  it('is refused where 10 KiB of claims come, and an assertion that is no text', async () => {
    expect(await attempt(await body({ groups: 'x'.repeat(10_240) }))).toMatchObject({ status: 413 })
    expect(await attempt({ logintype: 'service_jwt' })).toMatchObject({ status: 400 })
    await expectRefused(byAssertion('no assertion'), 'three parts')
  })

  it('is refused of a person, of a name that no account has, and with the name of another account beside it', async () => {
    const of = async (name: string) => byAssertion(await signed(own, ownClaims(name)))
    await expectRefused(await of(owner.username), 'no such service account')
    await expectRefused(await of('nothing-here'), 'no such service account')
    const other = await addService(appliance, owner)
    await expectRefused({ ...(await body()), account: other.name }, 'another issuer')
    await expectRefused(await of(other.name), 'no credential of the account fits')
  })

  it('goes on with a second key beside the first, which is then removed', async () => {
    const rotating = await addService(appliance, owner)
    const second = await makePair('PS256')
    const first = await addCredential(appliance, rotating, { ...asked, kind: 'jwt', publicKey: own.jwk, kid: null })
    await addCredential(appliance, rotating, {
      ...asked,
      name: 'second',
      kind: 'jwt',
      publicKey: second.jwk,
      kid: null,
    })
    const by = async (pair: SigningPair) => attempt(byAssertion(await signed(pair, ownClaims(rotating.name))))
    expect([(await by(own)).status, (await by(second)).status]).toEqual([200, 200])
    await appliance.services.serviceAccounts.removeCredential(rotating.id, first.id, owner.id, appliance.commit)
    expect([(await by(own)).status, (await by(second)).status]).toEqual([403, 200])
  })
})

describe('a login by an issuer whose keys lie in a file', () => {
  const claims = (over: Over = {}): JWTPayload => ({
    iss: cluster,
    aud: ['strongroom.example'],
    sub: 'system:serviceaccount:shop:mailer',
    iat: seconds(),
    exp: seconds() + 3_600,
    'kubernetes.io': { namespace: 'shop', serviceaccount: { name: 'mailer', uid: 'f7c0' } },
    ...over,
  })
  const body = async (over: Over = {}, pair = clusterKey) =>
    byFederation(service.name, await signed(pair, claims(over)))

  it('begins sessions for as long as the token is good', async () => {
    const token = await body()
    for (const _ of [1, 2]) expect(await attempt(token)).toMatchObject({ status: 200 })
  })

  it.each<[string, Over, string]>([
    ['is of another namespace', { sub: 'system:serviceaccount:shopping:mailer' }, 'no credential of the account fits'],
    ['has no subject', { sub: undefined }, 'no credential of the account fits'],
    ['is for the API of the cluster', { aud: cluster }, 'another audience'],
    ['is of an issuer that is not known', { iss: 'https://evil.example' }, 'none of service.issuers'],
    ['is good for two days', { exp: seconds() + 172_800 }, 'ends later than 86400 s'],
    ['has expired', { exp: seconds() - 61 }, 'has expired'],
  ])('is refused where the token %s', async (_which, over, reason) => {
    await expectRefused(await body(over), reason)
  })

  it('follows the keys of the file: swapped, broken, gone, and there again', async () => {
    const next = await makePair('RS256')
    await expectRefused(await body({}, next), 'no key of the issuer signed the assertion')
    publish(next)
    expect(await attempt(await body({}, next))).toMatchObject({ status: 200 })
    await expectRefused(await body(), 'no key of the issuer signed the assertion')
    writeFileSync(jwksFile, Buffer.alloc(10_000_000, 0x20))
    await expectRefused(await body(), 'the file is too long')
    rmSync(jwksFile)
    await expectRefused(await body(), 'cannot be read')
    publish(clusterKey)
    expect(await attempt(await body())).toMatchObject({ status: 200 })
  })

  it('is refused for an account without such a credential', async () => {
    const other = await addService(appliance, owner)
    await expectRefused(
      byFederation(other.name, await signed(clusterKey, claims())),
      'no credential of the account fits',
    )
  })
})

describe('a login by an issuer whose keys come by URL', () => {
  const claims = (over: Over = {}): JWTPayload => ({
    iss: forge,
    aud: 'strongroom',
    sub: 'repo:shop/api:ref:refs/heads/main',
    ref: 'refs/heads/main',
    attempt: 1,
    teams: ['developers', 'release'],
    exp: seconds() + 600,
    ...over,
  })
  const body = async (over: Over = {}, pair = forgeKey) => byFederation(service.name, await signed(pair, claims(over)))

  it('begins a session where all claims fit: texts, numbers, and one of a list', async () => {
    expect(await attempt(await body())).toMatchObject({ status: 200 })
  })

  it.each<[string, Over]>([
    ['another branch', { ref: 'refs/heads/main2' }],
    ['another number', { attempt: 2 }],
    ['a list without it', { teams: ['developers', 'released'] }],
    ['an object in its place', { teams: { release: true } }],
  ])('is refused for %s', async (_which, over) => {
    await expectRefused(await body(over), 'no credential of the account fits')
  })

  it('is refused for keys of another issuer, and fetches no more for made up ones', async () => {
    await expectRefused(await body({}, clusterKey), 'no key of the issuer signed the assertion')
    const before = server.asked
    for (let at = 0; at < 20; at++) await attempt(await body({}, { ...forgeKey, kid: `made up ${at}` }))
    // Once a minute for each of two workers.
    expect(server.asked - before).toBeLessThanOrEqual(2)
  })
})

describe('the owner', () => {
  it('adds a public key, as PEM and as JWK, and an issuer, and sees them', async () => {
    const client = await appliance.login(owner)
    const account = await addService(appliance, owner)
    const pem = createPublicKey({ key: { ...own.jwk }, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
    const place = `/service/${account.id}/credential`
    const claims = { sub: 'system:serviceaccount:shop:mailer' }
    const second = await makePair('ES256')
    await client.must('POST', place, { kind: 'jwt', name: 'pem', publickey: pem })
    await client.must('POST', place, {
      kind: 'jwt',
      name: 'jwk',
      publickey: JSON.stringify(second.jwk),
      kid: second.kid,
    })
    await client.must('POST', place, { kind: 'federated', name: 'pods', issuer: cluster, claims })
    for (const pair of [own, second])
      expect(await attempt(byAssertion(await signed(pair, ownClaims(account.name))))).toMatchObject({ status: 200 })
    const { CALLINFO } = await client.must('GET', `/service/${account.id}`)
    const { kty, crv, x } = own.jwk
    expect(CALLINFO['service']).toMatchObject({
      credentials: [
        { kind: 'jwt', name: 'pem', publickey: JSON.stringify({ kty, crv, x }) },
        { kind: 'jwt', name: 'jwk', kid: second.kid },
        { kind: 'federated', issuer: cluster, claims },
      ],
    })
    const bad = { kind: 'jwt', name: 'bad', publickey: await exportPKCS8(own.privateKey) }
    const { json } = await client.post(place, bad)
    expect(json.ERRORS).toEqual([expect.stringContaining('This is a private key')])
    for (const text of ['', '{', 'ssh-ed25519 AAAA'])
      expect(await client.post(place, { ...bad, publickey: text })).toMatchObject({ status: 400 })
  })
})

describe('a credential is not added', () => {
  const add = (credential: Parameters<typeof addCredential>[2]) => addCredential(appliance, service, credential)

  it.each<[string, Parameters<typeof add>[0], string]>([
    [
      'of a private key',
      { ...asked, kind: 'jwt', publicKey: { kty: 'OKP', crv: 'Ed25519', x: 'x', d: 'd' }, kid: null },
      'private key',
    ],
    [
      'of a shared secret',
      { ...asked, kind: 'jwt', publicKey: { kty: 'oct', k: 'c2VjcmV0' }, kid: null },
      'private key',
    ],
    ['of no key', { ...asked, kind: 'jwt', publicKey: 'a text', kid: null }, 'must be a JWK'],
    [
      'of an issuer that is not known',
      { ...asked, kind: 'federated', issuer: 'https://evil.example', claims: { sub: 'x' } },
      'service.issuers',
    ],
    [
      'that every token of an issuer fits',
      { ...asked, kind: 'federated', issuer: cluster, claims: { sub: '*' } },
      'another character than *',
    ],
    ['without a claim', { ...asked, kind: 'federated', issuer: cluster, claims: {} }, 'another character than *'],
  ])('%s', async (_which, credential, sentence) => {
    await expect(add(credential)).rejects.toMatchObject({
      code: 'service.invalid',
      detail: expect.stringContaining(sentence),
    })
  })
})
