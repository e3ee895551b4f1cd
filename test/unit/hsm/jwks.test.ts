import { createLocalJWKSet, exportJWK, jwtVerify, type JWK } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { readAssertion } from '../../../src/hsm/assertion.ts'
import { isSignedByOneOf, readJwks } from '../../../src/hsm/jwks.ts'
import { makePair, ownClaims, signed, type SigningPair } from '../../support/assertion-kit.ts'

/** JWK sets of issuers; `jose` judges the same. */
let [rsa, ec]: SigningPair[] = []
beforeAll(async () => {
  ;[rsa, ec] = await Promise.all(['RS256', 'ES256'].map((alg) => makePair(alg)))
})
const given = (pair: SigningPair | undefined): SigningPair => pair ?? expect.fail('no pair')
const setOf = (...keys: unknown[]): Buffer => Buffer.from(JSON.stringify({ keys }))
const takes = (set: Buffer, text: string): boolean => isSignedByOneOf(readJwks(set), readAssertion(Buffer.from(text)))
const joseTakes = (keys: JWK[], text: string): Promise<boolean> =>
  jwtVerify(text, createLocalJWKSet({ keys })).then(
    () => true,
    () => false,
  )

describe('a JWK set', () => {
  it('takes what one of its keys signed: the one that is named, or any', async () => {
    const [one, other] = [given(rsa), given(ec)]
    const text = await signed(other, ownClaims('x'))
    const keys = [one.jwk, other.jwk]
    expect([takes(setOf(...keys), text), await joseTakes(keys, text)]).toEqual([true, true])
    expect([takes(setOf(one.jwk), text), await joseTakes([one.jwk], text)]).toEqual([false, false])
    const unnamed = await signed(other, ownClaims('x'), { kid: undefined })
    expect(takes(setOf(...keys), unnamed)).toBe(true)
  })

  it('knows no key that it does not hold, however it is signed', async () => {
    const text = await signed(given(ec), ownClaims('x'), { kid: 'another' })
    expect([takes(setOf(given(ec).jwk), text), await joseTakes([given(ec).jwk], text)]).toEqual([false, false])
  })

  it('leaves out keys for something else, and of types that are not taken', async () => {
    const { jwk } = given(ec)
    const text = await signed(given(ec), ownClaims('x'))
    for (const other of [
      { ...jwk, use: 'enc' },
      { ...jwk, key_ops: ['sign'] },
      { ...jwk, alg: 'ES384' },
      { ...jwk, crv: 'P-521' },
      { kty: 'oct', kid: jwk.kid, k: 'c2VjcmV0' },
    ])
      expect(takes(setOf(other), text)).toBe(false)
  })

  it('is refused where it holds a private key, is no set, has too many keys, or too many bytes', async () => {
    const secret = await exportJWK(given(ec).privateKey)
    for (const bad of [
      setOf(secret),
      setOf('a key'),
      setOf(...Array.from({ length: 65 }, () => given(ec).jwk)),
      Buffer.from('{"keys":{}}'),
      Buffer.from('{"keys":[],"keys":[]}'),
      Buffer.from('[]'),
      Buffer.from('<html></html>'),
      Buffer.alloc(262_145, 0x20),
    ])
      expect(() => readJwks(bad)).toThrow(/./)
  })
})
