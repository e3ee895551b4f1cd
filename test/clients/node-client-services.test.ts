import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createClient, type Client } from '../../clients/node/src/client.ts'
import { AuthenticationError, PermissionError } from '../../clients/node/src/errors.ts'
import type { Login } from '../../clients/node/src/logins.ts'
import { keySigner, serviceCertificateLogin, smartcardLogin, tokenFile } from '../../clients/node/src/node-logins.ts'
import { nodeTransport } from '../../clients/node/src/node-transport.ts'
import {
  cryptoKeySigner,
  serviceFederatedLogin,
  serviceJwtLogin,
  serviceStaticLogin,
} from '../../clients/node/src/service-logins.ts'
import type { Service } from '../../src/features/services/described-service.ts'
import { CardAppliance } from '../api/certificates/card-kit.ts'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { makePair, seconds, signed, type SigningPair } from '../support/assertion-kit.ts'
import type { TestClient } from '../support/client.ts'
import { ClientCa } from '../support/client-pki.ts'
import { jwkOf } from '../support/jwk.ts'
import { addCredential, addService, asked, certificateOf, sharedVault } from '../support/service-kit.ts'
import { personOf } from './node-client-kit.ts'

const clients: Client[] = []
afterAll(() => clients.forEach((client) => client.close()))

function clientOf(appliance: TestAppliance, login: Login, onToken?: () => void): Client {
  const transport = nodeTransport({ ca: appliance.ca })
  const client = createClient({ url: appliance.url, login, transport, ...(onToken && { onToken }) })
  clients.push(client)
  return client
}

describe('a service account by a static key', () => {
  let appliance: TestAppliance
  let service: Service
  let vault: string
  let login: Login
  beforeAll(async () => {
    appliance = await TestAppliance.own({ service: { allowStatic: true, sessionMs: 60_000 } })
    const owner = await appliance.addUser()
    const ownerClient = await appliance.login(owner)
    service = await addService(appliance, owner)
    const { key } = await addCredential(appliance, service, { ...asked, kind: 'static' })
    vault = await sharedVault(ownerClient, service)
    await ownerClient.must('POST', `/transparent/${vault}/keys/column`, {})
    login = serviceStaticLogin({ account: service.name, key })
  })
  afterAll(() => appliance.close())

  it('logs in once for all calls that wait, and works', async () => {
    let logins = 0
    const key = clientOf(appliance, login, () => void logins++).key(vault, 'column')
    const ciphertexts = await Promise.all(
      Array.from({ length: 20 }, async (_, row) => key.encrypt(`row ${row}`, { batch: false })),
    )
    expect(await key.decryptText(ciphertexts[3] ?? '')).toBe('row 3')
    expect(logins).toBe(1)
  })

  it('renews its session at four fifths of its life, beside its calls, once for all of them', async () => {
    const tokens: (string | undefined)[] = []
    const client = clientOf(appliance, login)
    const transport = nodeTransport({ ca: appliance.ca })
    const sent: string[] = []
    let now = Date.now()
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now)
    const watched = createClient({
      url: appliance.url,
      login,
      onToken: (token) => tokens.push(token),
      transport: {
        send(request) {
          sent.push(
            `${new URL(request.url).pathname.split('/').at(-1)} ${tokens.indexOf(request.headers['X-Http-Token'])}`,
          )
          return transport.send(request)
        },
      },
    })
    try {
      await watched.call('vault.list')
      now += 47_000
      await watched.call('vault.list')
      expect(sent).toEqual(['auth -1', 'vault 0', 'vault 0'])
      now += 2_000
      await Promise.all([1, 2, 3].map(async () => watched.call('vault.list')))
      // The renewal runs beside calls that go on with the old token.
      expect(sent.slice(3).toSorted()).toEqual(['auth -1', 'vault 0', 'vault 0', 'vault 0'])
      await vi.waitFor(() => expect(tokens).toHaveLength(2), 60_000)
      await watched.call('vault.list')
      expect(sent.at(-1)).toBe('vault 1')
      now += 61_000
      // The session has ended: calls wait for the next.
      await Promise.all([1, 2].map(async () => watched.call('vault.list')))
      expect(sent.slice(-3)).toEqual(['auth -1', 'vault 2', 'vault 2'])
    } finally {
      clock.mockRestore()
      transport.close?.()
      client.close()
    }
  })

  it('says that it was refused', async () => {
    const wrong = clientOf(appliance, serviceStaticLogin({ account: service.name, key: 'wrong' }))
    expect(await wrong.login().catch((error: unknown) => error)).toBeInstanceOf(AuthenticationError)
  })
})

describe('logins by a certificate', () => {
  let cards: CardAppliance
  let ca: ClientCa
  let place: { ca: string; url: string }
  beforeAll(async () => {
    ca = new ClientCa()
    ca.writeCrl()
    cards = await CardAppliance.start({ clientCa: ca.certificate, crls: [ca.crl] })
    place = { ca: cards.appliance.ca, url: cards.url }
  })
  afterAll(() => cards.close())

  it('begin the session of a service account, and take a renewed certificate at the next login', async () => {
    const { appliance } = cards
    const owner = await appliance.addUser()
    const service = await addService(appliance, owner)
    const [first, second] = [ca.issue('/CN=mailer'), ca.issue('/CN=mailer')]
    for (const [name, card] of Object.entries({ first, second }))
      await addCredential(appliance, service, { ...asked, name, kind: 'certificate', certificate: certificateOf(card) })
    let file = first
    const tls = () => ({ ca: place.ca, cert: readFileSync(file.certificate), key: readFileSync(file.key) })
    const client = clientOf(appliance, serviceCertificateLogin({ account: service.name, tls, url: place.url }))
    await client.call('vault.list')
    await client.logout()
    file = second
    await client.call('vault.list')
    const { uses } = await appliance.services.serviceAccounts.read(service.id)
    expect(uses).toHaveLength(2)
  })

  it('begin the session of a person with a card', async () => {
    const card = ca.issue('/CN=someone')
    const holder = await cards.holder(card)
    const tls = () => ({ ca: place.ca, cert: readFileSync(card.certificate), key: readFileSync(card.key) })
    const client = clientOf(
      cards.appliance,
      smartcardLogin({ ...personOf(cards.appliance, holder), tls, url: place.url }),
    )
    await client.call('vault.list')
  })

  it('go to port 8443 of the host where no other is named', () => {
    const login = serviceCertificateLogin({ account: 'a', tls: () => ({}) })
    expect(String(login.address?.(new URL('https://vault.example.com/api/1.0')))).toBe(
      'https://vault.example.com:8443/api/1.0',
    )
  })
})

describe('logins by assertions', () => {
  const issuer = 'https://kubernetes.example'
  const folder = mkdtempSync(join(tmpdir(), 'client-issuer-'))
  const file = join(folder, 'token')
  let appliance: TestAppliance
  let owner: TestUser
  let ownerClient: TestClient
  let cluster: SigningPair
  beforeAll(async () => {
    cluster = await makePair('RS256')
    const jwksFile = join(folder, 'jwks.json')
    writeFileSync(jwksFile, JSON.stringify({ keys: [cluster.jwk] }))
    appliance = await TestAppliance.own({ service: { issuers: [{ issuer, jwksFile, audience: ['strongroom'] }] } })
    owner = await appliance.addUser()
    ownerClient = await appliance.login(owner)
  })
  afterAll(() => appliance.close())

  it.each(['EdDSA', 'ES256', 'RS256', 'PS256'] as const)(
    'of its own key (%s) begin sessions of replicas at once',
    async (alg) => {
      const service = await addService(appliance, owner)
      const { publicKey, privateKey } = pairOf(alg)
      const jwk = { ...jwkOf(publicKey), alg }
      await addCredential(appliance, service, { ...asked, kind: 'jwt', publicKey: jwk, kid: null })
      const signer = keySigner(privateKey.export({ format: 'pem', type: 'pkcs8' }), { isPss: alg === 'PS256' })
      const login = serviceJwtLogin({ account: service.name, signer })
      const replicas = Array.from({ length: 10 }, () => clientOf(appliance, login))
      await Promise.all(replicas.map(async (replica) => replica.call('vault.list')))
      // A further login of the same program has an assertion of its own.
      await replicas[0]?.logout()
      await replicas[0]?.call('vault.list')
    },
  )

  it('of its platform begin sessions, with what the file holds at each login', async () => {
    const service = await addService(appliance, owner)
    const claims = { sub: 'system:serviceaccount:shop:*' }
    await addCredential(appliance, service, { ...asked, kind: 'federated', issuer, claims })
    const renew = async (sub: string): Promise<void> => {
      const times = { iat: seconds(), exp: seconds() + 600 }
      writeFileSync(file, `${await signed(cluster, { iss: issuer, aud: 'strongroom', sub, ...times })}\n`)
    }
    await renew('system:serviceaccount:shop:api')
    const client = clientOf(appliance, serviceFederatedLogin({ account: service.name, token: tokenFile(file) }))
    await client.call('vault.list')
    await client.logout()
    await renew('system:serviceaccount:bank:api')
    expect(await client.login().catch((error: unknown) => error)).toBeInstanceOf(AuthenticationError)
    await renew('system:serviceaccount:shop:worker')
    await client.login()
  })

  it('that may encrypt alone, of some additional data, are told so, each call for itself', async () => {
    const service = await addService(appliance, owner)
    const { publicKey, privateKey } = pairOf('ES256')
    const jwk = jwkOf(publicKey)
    await addCredential(appliance, service, { ...asked, kind: 'jwt', publicKey: jwk, kid: null })
    const aad = Buffer.from('mail:').toString('base64')
    const vault = await sharedVault(ownerClient, service, [{ keys: 'mail-*', operations: ['encrypt'], aad }])
    await ownerClient.must('POST', `/transparent/${vault}/keys/mail-1`, {})
    const signer = keySigner(privateKey.export({ format: 'pem', type: 'pkcs8' }))
    const key = clientOf(appliance, serviceJwtLogin({ account: service.name, signer })).key(vault, 'mail-1')
    const aads = ['mail:1', 'mail:2', 'post:3', 'mail:4']
    const outcomes = await Promise.allSettled(aads.map(async (aad) => key.encrypt('x', { aad })))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    expect(outcomes[2]).toMatchObject({ reason: { name: 'PermissionError', number: 1301 } })
    const ciphertext = await key.encrypt('x', { aad: 'mail:1' })
    expect(await key.decrypt(ciphertext, { aad: 'mail:1' }).catch((error: unknown) => error)).toBeInstanceOf(
      PermissionError,
    )
  })
})

const pairOf = (alg: 'EdDSA' | 'ES256' | 'RS256' | 'PS256') => {
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519')
  return alg === 'ES256'
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : generateKeyPairSync('rsa', { modulusLength: 2048 })
}

describe('an assertion', () => {
  const assertionOf = async (login: Login): Promise<string> => (await login.body())['assertion'] ?? ''

  it.each(['EdDSA', 'ES256', 'RS256', 'PS256'] as const)(
    '%s is one that jose verifies, with an id of its own each time',
    async (alg) => {
      const pair = pairOf(alg)
      const signer = keySigner(pair.privateKey.export({ format: 'pem', type: 'pkcs8' }), { isPss: alg === 'PS256' })
      const login = serviceJwtLogin({ account: 'mailer', signer, audience: 'vault', kid: 'k1' })
      const [one, two] = [await assertionOf(login), await assertionOf(login)]
      const expected = { issuer: 'mailer', subject: 'mailer', audience: 'vault', requiredClaims: ['jti', 'exp', 'iat'] }
      const { payload, protectedHeader } = await jwtVerify(one, pair.publicKey, { ...expected, algorithms: [alg] })
      expect(protectedHeader).toEqual({ alg, typ: 'JWT', kid: 'k1' })
      expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60)
      expect((await jwtVerify(two, pair.publicKey)).payload.jti).not.toBe(payload.jti)
    },
  )

  it('is signed by keys of Web Crypto, too, which cannot be exported', async () => {
    const kinds = [
      ['EdDSA', { name: 'Ed25519' }],
      ['ES256', { name: 'ECDSA', namedCurve: 'P-256' }],
      ['RS256', rsa('RSASSA-PKCS1-v1_5')],
      ['PS256', rsa('RSA-PSS')],
    ] as const
    for (const [alg, kind] of kinds) {
      const { privateKey, publicKey } = (await crypto.subtle.generateKey(kind, false, [
        'sign',
        'verify',
      ])) as CryptoKeyPair
      const assertion = await assertionOf(serviceJwtLogin({ account: 'mailer', signer: cryptoKeySigner(privateKey) }))
      const { protectedHeader } = await jwtVerify(assertion, publicKey, { issuer: 'mailer', audience: 'strongroom' })
      expect(protectedHeader.alg).toBe(alg)
    }
  })

  it('is of no other key', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
    expect(() => keySigner(privateKey.export({ format: 'pem', type: 'pkcs8' }))).toThrow('P-256')
  })
})

type CryptoKeyPair = {
  privateKey: Parameters<typeof cryptoKeySigner>[0]
  publicKey: Parameters<typeof cryptoKeySigner>[0]
}

const rsa = (name: string) => ({ name, hash: 'SHA-256', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) })
