import { execFileSync } from 'node:child_process'
import { createDecipheriv, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import pkcs11, { type PKCS11 } from 'pkcs11js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { finalize, loadModule, openToken } from '../../../src/hsm/pkcs11/token-opening.ts'
import { importedTemplate, usageAttributes } from '../../../src/hsm/pkcs11/key-templates.ts'
import { secretKeyRows, wrapOnly } from '../../../src/hsm/pkcs11/key-kinds.ts'
import { keyWrap, paddedWrap } from '../../../src/hsm/pkcs11/mechanisms.ts'
import type { Pkcs11Session } from '../../../src/hsm/pkcs11/pkcs11-session.ts'
import { createRootObjects } from '../../../src/hsm/pkcs11/root-creation.ts'
import { knownPin } from '../../../src/hsm/pkcs11/user-pin.ts'
import { type TestToken, makeToken } from '../../support/token.ts'

let token: TestToken
let lib: PKCS11
let session: Pkcs11Session
let mechanisms: ReadonlySet<number>

const pin = () => knownPin(readFileSync(token.pinFile, 'utf8'))

beforeAll(async () => {
  token = await makeToken()
  lib = loadModule(token)
  ;({ session, mechanisms } = openToken(lib, { uri: token.tokenUri, pin: pin() }))
})

afterAll(() => {
  finalize(lib)
  token.cleanup()
})

function givenKek(value: Buffer) {
  const row = { ...secretKeyRows['aes256-gcm'], usage: wrapOnly }
  return session.create(importedTemplate(row, value))
}

describe('key wrap', () => {
  it('gives the published result of RFC 3394 §4.6', () => {
    const kek = givenKek(Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 'hex'))
    const data = Buffer.from('00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f', 'hex')
    const key = session.create(importedTemplate(secretKeyRows['aes256-gcm'], data))
    const expected = '28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21'
    expect(session.wrap(keyWrap, kek, key).toString('hex')).toBe(expected)
  })

  it('gives what OpenSSL unwraps, for every kind', () => {
    const secret = randomBytes(32)
    const kek = givenKek(Buffer.from(secret))
    for (const row of Object.values(secretKeyRows)) {
      const value = randomBytes(row.bytes)
      const blob = session.wrap(keyWrap, kek, session.create(importedTemplate(row, Buffer.from(value))))
      const judge = createDecipheriv('id-aes256-wrap', secret, Buffer.alloc(8, 0xa6))
      expect(Buffer.concat([judge.update(blob), judge.final()])).toEqual(value)
    }
  })

  it('with padding gives a private key that OpenSSL unwraps and reads (RFC 5649)', () => {
    const secret = randomBytes(32)
    const kek = givenKek(Buffer.from(secret))
    const { privateKey } = session.generatePair(
      { mechanism: pkcs11.CKM_EC_KEY_PAIR_GEN },
      [{ type: pkcs11.CKA_EC_PARAMS, value: Buffer.from('06082a8648ce3d030107', 'hex') }],
      [
        { type: pkcs11.CKA_EXTRACTABLE, value: true },
        { type: pkcs11.CKA_SENSITIVE, value: true },
      ],
    )
    const mechanism = paddedWrap(mechanisms)
    if (mechanism === undefined) throw new Error('no padded wrap')
    const blob = session.wrap(mechanism, kek, privateKey)
    const judge = createDecipheriv('id-aes256-wrap-pad', secret, Buffer.from('a65959a6', 'hex'))
    const pkcs8 = Buffer.concat([judge.update(blob), judge.final()])
    const read = execFileSync('openssl', ['pkey', '-inform', 'DER', '-noout', '-text'], {
      input: pkcs8,
      encoding: 'utf8',
    })
    expect(read).toContain('prime256v1')
  })

  it('takes no key that is not extractable, and a KEK takes no data', () => {
    const kek = givenKek(randomBytes(32))
    const blob = session.wrap(
      keyWrap,
      kek,
      session.create(importedTemplate(secretKeyRows['aes256-gcm'], randomBytes(32))),
    )
    const locked = session.unwrap(keyWrap, kek, blob, [
      { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_SECRET_KEY },
      { type: pkcs11.CKA_KEY_TYPE, value: pkcs11.CKK_AES },
      { type: pkcs11.CKA_SENSITIVE, value: true },
      { type: pkcs11.CKA_EXTRACTABLE, value: false },
      ...usageAttributes(wrapOnly),
    ])
    expect(() => session.wrap(keyWrap, kek, locked)).toThrow('CKR_KEY_UNEXTRACTABLE')
    expect(() => session.attributes(locked, [pkcs11.CKA_VALUE])).toThrow('CKR_ATTRIBUTE_SENSITIVE')
    expect(() => session.encrypt({ mechanism: pkcs11.CKM_AES_ECB }, kek, Buffer.alloc(16), Buffer.alloc(32))).toThrow(
      'CKR_',
    )
  })
})

describe('init', () => {
  it('gives each secret root object the usage of its role and no other', () => {
    const bits = [
      pkcs11.CKA_ENCRYPT,
      pkcs11.CKA_DECRYPT,
      pkcs11.CKA_SIGN,
      pkcs11.CKA_VERIFY,
      pkcs11.CKA_WRAP,
      pkcs11.CKA_UNWRAP,
    ]
    const usage = (label: string) => {
      const [object] = session.find([{ type: pkcs11.CKA_LABEL, value: label }])
      if (object === undefined) throw new Error(label)
      return session
        .attributes(object, [...bits, pkcs11.CKA_DERIVE, pkcs11.CKA_MODIFIABLE])
        .map((value) => value.readUInt8())
        .join('')
    }
    for (const role of ['kek.strict', 'kek.exportable']) expect(usage(`strongroom.${role}.v1`)).toBe('00001100')
    for (const role of ['seal', 'pepper']) expect(usage(`strongroom.${role}.v1`)).toBe('00100000')
  })

  it('leaves a complete token alone, and makes again only what is gone', () => {
    const options = {
      module: token.module,
      uri: token.tokenUri,
      softhsmConf: token.softhsmConf,
      tokenDirectory: token.tokenDirectory,
      pin: pin(),
    }
    const ceremony = `${token.directory}/ceremony`
    const again = createRootObjects({ ...options, ceremony })
    expect(again).toMatchObject({ created: [], warnings: [] })
    expect(again.present).toHaveLength(8)
  })
})
