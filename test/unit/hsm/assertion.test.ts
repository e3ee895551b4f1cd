import { createHmac, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { exportJWK, exportPKCS8, importJWK, jwtVerify } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { readAssertion } from '../../../src/hsm/assertion.ts'
import { checkPublicJwk, readPublicJwk } from '../../../src/hsm/public-jwk.ts'
import { compact, makePair, ownClaims, signed, type SigningPair } from '../../support/assertion-kit.ts'
import { jwkOf } from '../../support/jwk.ts'

/** The compact form and its signature; `jose` signs, and says of each bad one that it is bad as well. */
const algorithms = ['EdDSA', 'Ed25519', 'ES256', 'RS256', 'PS256']
let pairs: Map<string, SigningPair>
beforeAll(async () => {
  pairs = new Map(
    await Promise.all(algorithms.map(async (alg): Promise<[string, SigningPair]> => [alg, await makePair(alg)])),
  )
})
const pairOf = (alg: string): SigningPair => pairs.get(alg) ?? expect.fail(`no pair for ${alg}`)
const isGood = (text: string, { jwk }: SigningPair): boolean =>
  readAssertion(Buffer.from(text)).isSignedBy(readPublicJwk(jwk))
const joseTakes = async (text: string, { jwk, alg }: SigningPair): Promise<boolean> =>
  jwtVerify(text, await importJWK(jwk, alg), { algorithms }).then(
    () => true,
    () => false,
  )
const pkcs8 = async ({ privateKey }: SigningPair) => createPrivateKey(await exportPKCS8(privateKey))

describe.each(algorithms)('an assertion by %s', (alg) => {
  it('is of the key that signed it, and of no other', async () => {
    const pair = pairOf(alg)
    const claims = ownClaims('mailer')
    const text = await signed(pair, claims)
    expect(readAssertion(Buffer.from(text))).toMatchObject({ algorithm: alg, keyId: pair.kid, claims })
    expect(isGood(text, pair)).toBe(true)
    expect(isGood(text, await makePair(alg))).toBe(false)
    for (const other of algorithms)
      if (pairOf(other).jwk.kty !== pair.jwk.kty) expect(isGood(text, pairOf(other))).toBe(false)
  })

  it('is bad where one bit of it was changed', async () => {
    const pair = pairOf(alg)
    const [header = '', claims = '', signature = ''] = (await signed(pair, ownClaims('mailer'))).split('.')
    const turned = Buffer.from(signature, 'base64url')
    turned.writeUInt8(turned.readUInt8(10) ^ 1, 10)
    const other = Buffer.from(JSON.stringify(ownClaims('root'))).toString('base64url')
    for (const text of [`${header}.${claims}.${turned.toString('base64url')}`, `${header}.${other}.${signature}`]) {
      expect(isGood(text, pair)).toBe(false)
      expect(await joseTakes(text, pair)).toBe(false)
    }
  })
})

describe('a signature', () => {
  it('of RSA is by the algorithm that the header names: PSS is not taken for PKCS #1, nor the other way', async () => {
    for (const [named, padding] of [
      ['PS256', 1],
      ['RS256', 6],
    ] as const) {
      const pair = pairOf(named)
      const key = await pkcs8(pair)
      const text = compact(`{"alg":"${named}"}`, '{}', (bytes) =>
        sign('sha256', bytes, { key, padding, saltLength: 32 }),
      )
      expect(isGood(text, pair)).toBe(false)
      expect(await joseTakes(text, pair)).toBe(false)
    }
  })

  it('of ECDSA is R and S, and no DER', async () => {
    const pair = pairOf('ES256')
    const key = await pkcs8(pair)
    const by = (dsaEncoding: 'der' | 'ieee-p1363') =>
      compact('{"alg":"ES256"}', '{}', (bytes) => sign('sha256', bytes, { key, dsaEncoding }))
    expect(isGood(by('ieee-p1363'), pair)).toBe(true)
    expect(isGood(by('der'), pair)).toBe(false)
    expect(await joseTakes(by('der'), pair)).toBe(false)
  })

  it('of zeros is none (CVE-2022-21449)', () => {
    const text = compact('{"alg":"ES256"}', '{}', () => Buffer.alloc(64))
    expect(isGood(text, pairOf('ES256'))).toBe(false)
  })

  it('by a shared secret is none: HS256 with the public key as the secret', async () => {
    const pair = pairOf('RS256')
    for (const secret of [JSON.stringify(pair.jwk), (await pkcs8(pair)).export({ type: 'pkcs8', format: 'pem' })]) {
      const text = compact('{"alg":"HS256"}', JSON.stringify(ownClaims('mailer')), (bytes) =>
        createHmac('sha256', secret).update(bytes).digest(),
      )
      expect(() => isGood(text, pair)).toThrow('no algorithm that is taken here')
      expect(await joseTakes(text, pair)).toBe(false)
    }
  })
})

describe('an assertion is refused', () => {
  const claims = JSON.stringify(ownClaims('mailer'))
  const none = () => Buffer.alloc(0)
  const withHeader = (header: object) => compact(JSON.stringify({ alg: 'ES256', ...header }), claims, none)
  const [header, body] = [Buffer.from('{"alg":"ES256"}'), Buffer.from(claims)].map((part) => part.toString('base64url'))

  it.each([
    ['without an algorithm', compact('{"alg":"none"}', claims, none)],
    ['without an algorithm, spelt otherwise', compact('{"alg":"nOnE"}', claims, none)],
    ['with none named', compact('{}', claims, none)],
    ['with a list of them', compact('{"alg":["ES256"]}', claims, none)],
    ['with a member of every object', compact('{"alg":"constructor"}', claims, none)],
    ['with extensions', withHeader({ crit: ['exp'] })],
    ['with an unencoded payload', withHeader({ b64: false, crit: ['b64'] })],
    ['with a key of its own', withHeader({ jwk: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' } })],
    ['with the address of keys', withHeader({ jku: 'https://example.com/keys' })],
    ['with a certificate', withHeader({ x5c: ['MIIB'] })],
    ['with a compressed payload', withHeader({ zip: 'DEF' })],
    ['with a key id that is no text', withHeader({ kid: 7 })],
    ['with a header that stands there twice', compact('{"alg":"none","alg":"ES256"}', claims, none)],
    ['with a claim that stands there twice', compact('{"alg":"ES256"}', '{"sub":"mailer","sub":"root"}', none)],
    ['with one twice under an escape', compact('{"alg":"ES256"}', '{"sub":"mailer","s\\u0075b":"root"}', none)],
    ['with one twice, inside another', compact('{"alg":"ES256"}', '{"a":[{"b":1,"b":2}]}', none)],
    ['with claims that are a list', compact('{"alg":"ES256"}', '[]', none)],
    ['with claims that are no JSON', compact('{"alg":"ES256"}', '{"sub":mailer}', none)],
    ['with claims that are no UTF-8', `${header}.${Buffer.from([0x22, 0xff, 0x22]).toString('base64url')}.AA`],
    ['with a mark of byte order', compact('{"alg":"ES256"}', '\ufeff{}', none)],
    ['in two parts', `${header}.${body}`],
    ['in five parts', `${header}.${body}.AA.AA.AA`],
    ['empty', ''],
    ['padded', `${header}=.${body}.AA`],
    ['in the other alphabet of base64', `${header}.${body}.+/+/`],
    ['with bits behind the last byte', `${header}.${body}.AB`],
    ['with a line break', `${header}.${body}.AA\n`],
    ['with letters beyond ASCII', `${header}.${body}.ÀÀ`],
    ['with 10 KiB of claims', compact('{"alg":"ES256"}', JSON.stringify({ groups: 'x'.repeat(10_240) }), none)],
  ])('%s', (_which, text) => {
    expect(() => readAssertion(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'login.refused' }))
  })
})

it('a weak key signs nothing', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 })
  const text = compact('{"alg":"RS256"}', '{}', (bytes) => sign('sha256', bytes, privateKey))
  const weak = { ...pairOf('RS256'), jwk: { ...jwkOf(publicKey), alg: 'RS256' } }
  expect(isGood(text, weak)).toBe(false)
  expect(await joseTakes(text, weak)).toBe(false)
})

it('claims as deep as an assertion can hold are read', () => {
  const deep = compact('{"alg":"ES256"}', `{"a":${'['.repeat(2_900)}${']'.repeat(2_900)}}`, () => Buffer.alloc(0))
  expect(readAssertion(Buffer.from(deep)).claims).toHaveProperty('a')
})

describe('a public key', () => {
  it('is read without the members that say what it is for', () => {
    const { jwk } = pairOf('RS256')
    expect(readPublicJwk(jwk)).toEqual({ kty: 'RSA', n: jwk.n, e: jwk.e })
  })

  it.each([
    ['of 1,024 bits', { modulusLength: 1_024 }],
    ['of an exponent of 3', { modulusLength: 2_048, publicExponent: 3 }],
  ])('of RSA %s is refused', (_which, options) => {
    const { publicKey } = generateKeyPairSync('rsa', options)
    expect(() => checkPublicJwk(readPublicJwk(jwkOf(publicKey)))).toThrow('an RSA key must have')
  })

  it.each(['P-384', 'secp256k1'])('of the curve %s is refused', (namedCurve) => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve })
    expect(() => readPublicJwk(jwkOf(publicKey))).toThrow('Ed25519, P-256 or RSA')
  })

  it('is refused where it is private, a secret, beside its curve, or longer than its members say', async () => {
    const { jwk, privateKey } = pairOf('ES256')
    const { jwk: edwards } = pairOf('EdDSA')
    const { jwk: rsa } = pairOf('RS256')
    for (const bad of [
      await exportJWK(privateKey),
      { kty: 'oct', k: 'c2VjcmV0' },
      { ...jwk, y: jwk.x },
      { ...jwk, crv: 'P-384' },
      { ...jwk, x: `AA${jwk.x}` },
      { ...jwk, x: `${jwk.x}=` },
      { ...edwards, crv: 'X25519' },
      { ...rsa, n: `AA${rsa.n}` },
      { ...rsa, n: 'AA'.repeat(2_000) },
      'a text',
      null,
    ])
      expect(() => checkPublicJwk(readPublicJwk(bad))).toThrow(TypeError)
  })
})
