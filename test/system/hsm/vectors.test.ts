import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import pkcs11 from 'pkcs11js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { extractableTemplate } from '../../../src/hsm/pkcs11/key-templates.ts'
import { secretKeyRows, wrapOnly } from '../../../src/hsm/pkcs11/key-kinds.ts'
import { keyWrap, paddedWrap } from '../../../src/hsm/pkcs11/mechanisms.ts'
import { keyPairRows } from '../../../src/hsm/pkcs11/pair-kinds.ts'
import { verifyingTemplate } from '../../../src/hsm/pkcs11/public-keys.ts'
import { type BareToken, openBareToken } from './bare-token.ts'

const hex = z.string().transform((text) => Buffer.from(text, 'hex'))

function read<Shape extends z.ZodRawShape>(name: string, shape: Shape) {
  const file = join(resolve(import.meta.dirname, '../../vectors'), `${name}.json`)
  const vector = z.object({ place: z.string(), ...shape })
  const table = z.object({ source: z.string(), outcome: z.string(), vectors: z.array(vector).min(1) })
  return table.parse(JSON.parse(readFileSync(file, 'utf8'))).vectors
}

const flipped = (bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes)
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
  return copy
}

describe('published examples in the token', () => {
  let token: BareToken

  beforeAll(async () => {
    token = await openBareToken()
  })
  afterAll(() => token.close())

  const streams = z.enum(['aes128-ofb', 'aes256-ofb', 'aes128-ctr', 'aes256-ctr'])
  it.each(read('nist-sp800-38a', { kind: streams, key: hex, iv: hex, plaintext: hex, ciphertext: hex }))(
    'NIST SP 800-38A $place: $kind',
    ({ kind, key, iv, plaintext, ciphertext }) => {
      const handle = token.secret(secretKeyRows[kind], key)
      const { cipher } = secretKeyRows[kind]
      const none = Buffer.alloc(0)
      for (const length of [1, 15, 16, 17, plaintext.length]) {
        const [plain, sealed] = [plaintext.subarray(0, length), ciphertext.subarray(0, length)]
        expect(cipher?.encrypt(token.session, handle, iv, plain, none, Buffer.alloc(length))).toEqual(sealed)
        expect(cipher?.decrypt(token.session, handle, iv, sealed, none, Buffer.alloc(length))).toEqual(plain)
      }
    },
  )

  const gcms = z.enum(['aes128-gcm', 'aes256-gcm'])
  it.each(
    read('nist-sp800-38d', { kind: gcms, key: hex, iv: hex, aad: hex, plaintext: hex, ciphertext: hex, tag: hex }),
  )('GCM $place: $kind', ({ kind, key, iv, aad, plaintext, ciphertext, tag }) => {
    const handle = token.secret(secretKeyRows[kind], key)
    const { cipher } = secretKeyRows[kind]
    const sealed = Buffer.concat([ciphertext, tag])
    const decrypt = (text: Buffer) =>
      token.attempt(() => cipher?.decrypt(token.session, handle, iv, text, aad, Buffer.alloc(text.length)))
    expect(cipher?.encrypt(token.session, handle, iv, plaintext, aad, Buffer.alloc(sealed.length))).toEqual(sealed)
    expect(decrypt(sealed)).toEqual(plaintext)
    for (let at = 0; at < sealed.length; at++) expect(decrypt(flipped(sealed, at))).toBeUndefined()
  })

  const wraps = { kek: hex, key: hex, wrapped: hex }
  const readable = extractableTemplate(secretKeyRows['hmac-sha256']).map((attribute) =>
    attribute.type === pkcs11.CKA_SENSITIVE ? { ...attribute, value: false } : attribute,
  )
  const wrapRow = { ...secretKeyRows['aes256-gcm'], usage: wrapOnly }

  it.each(read('rfc3394', wraps))('RFC 3394 $place', ({ kek, key, wrapped }) => {
    const wrapping = token.secret(wrapRow, kek)
    expect(token.session.wrap(keyWrap, wrapping, token.secret(secretKeyRows['hmac-sha256'], key))).toEqual(wrapped)
    expect(token.valueOf(token.session.unwrap(keyWrap, wrapping, wrapped, readable))).toEqual(key)
  })

  it.each(read('rfc5649', wraps))('RFC 5649 $place', ({ kek, key, wrapped }) => {
    const mechanism = paddedWrap(token.mechanisms) ?? keyWrap
    const wrapping = token.secret(wrapRow, kek)
    expect(token.valueOf(token.session.unwrap(mechanism, wrapping, wrapped, readable))).toEqual(key)
    expect(
      token.attempt(() => token.session.unwrap(mechanism, wrapping, flipped(wrapped, 9), readable)),
    ).toBeUndefined()
  })

  it.each(read('rfc4231', { key: hex, data: hex, sha256: hex, sha512: hex }))('RFC 4231 $place', (vector) => {
    for (const hash of ['sha256', 'sha512'] as const) {
      const row = secretKeyRows[`otp-hmac-${hash}`]
      // Padded with zeros up to the length that the token accepts, as by `importSecret`.
      const value = Buffer.concat([vector.key, Buffer.alloc(row.bytes)]).subarray(0, row.bytes)
      const mac = token.session.sign(
        row.mechanism,
        token.secret(row, value),
        vector.data,
        Buffer.alloc(row.outputBytes),
      )
      expect(mac).toEqual(vector[hash])
    }
  })

  it.each(read('rfc8032', { publicKey: hex, message: hex, signature: hex }))('RFC 8032 $place', (vector) => {
    const row = keyPairRows.ed25519
    if (row.family !== 'eddsa') throw new Error('no curve')
    const spki = Buffer.concat([row.spkiPrefix, vector.publicKey])
    const key = token.session.create(verifyingTemplate(row, spki))
    const verify = (message: Buffer, signature: Buffer) => token.session.verify(row.signing, key, message, signature)
    expect(verify(vector.message, vector.signature)).toBe(true)
    expect(verify(Buffer.concat([vector.message, Buffer.of(0)]), vector.signature)).toBe(false)
    for (const at of [0, 31, 32, 63]) expect(verify(vector.message, flipped(vector.signature, at))).toBe(false)
  })
})
