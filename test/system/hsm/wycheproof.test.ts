import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import pkcs11 from 'pkcs11js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Hash, KeyPairKind, SignatureScheme } from '../../../src/hsm/key-kind.ts'
import { gcmCipher } from '../../../src/hsm/pkcs11/aes-modes.ts'
import { decryptWith } from '../../../src/hsm/pkcs11/cipher-calls.ts'
import { extractableTemplate } from '../../../src/hsm/pkcs11/key-templates.ts'
import { secretKeyRows, wrapOnly } from '../../../src/hsm/pkcs11/key-kinds.ts'
import { keyWrap, paddedWrap } from '../../../src/hsm/pkcs11/mechanisms.ts'
import { keyPairRows } from '../../../src/hsm/pkcs11/pair-kinds.ts'
import { verifyingTemplate } from '../../../src/hsm/pkcs11/public-keys.ts'
import { signingCall } from '../../../src/hsm/pkcs11/signing-operations.ts'
import { fromDer } from '../../../src/features/transparent/signatures.ts'
import { type BareToken, openBareToken } from './bare-token.ts'

/** Vectors of Project Wycheproof, which are not part of this repository: STRONGROOM_VECTORS names their folder. */
const named = process.env['STRONGROOM_VECTORS'] ?? resolve(import.meta.dirname, '../../../../shared/vectors')
const folder = existsSync(join(named, 'wycheproof')) ? join(named, 'wycheproof') : named

const hex = z.string().transform((text) => Buffer.from(text, 'hex'))
const vector = z.object({
  tcId: z.int(),
  result: z.enum(['valid', 'acceptable', 'invalid']),
  key: hex.default(Buffer.alloc(0)),
  iv: hex.default(Buffer.alloc(0)),
  aad: hex.default(Buffer.alloc(0)),
  msg: hex,
  ct: hex.default(Buffer.alloc(0)),
  tag: hex.default(Buffer.alloc(0)),
  sig: hex.default(Buffer.alloc(0)),
})
const group = z.object({
  ivSize: z.int().default(0),
  tagSize: z.int().default(0),
  sLen: z.int().optional(),
  publicKeyDer: hex.default(Buffer.alloc(0)),
  tests: z.array(vector),
})
const suite = z.object({ numberOfTests: z.int(), testGroups: z.array(group) })

type Vector = z.infer<typeof vector>
type Group = z.infer<typeof group>

/** True where the token accepts the vector and agrees with it in every byte. */
type Judge = (token: BareToken, test: Vector, group: Group) => boolean

const wrapRow = { ...secretKeyRows['aes256-gcm'], usage: wrapOnly }
const genericRow = secretKeyRows['hmac-sha256']

const judgeGcm: Judge = ({ session, secret, attempt }, { key, iv, aad, msg, ct, tag }) => {
  const handle = attempt(() => secret(secretKeyRows['aes256-gcm'], key))
  if (handle === undefined) return false
  const sealed = Buffer.concat([ct, tag])
  const opened = attempt(() => gcmCipher.decrypt(session, handle, iv, sealed, aad, Buffer.alloc(sealed.length)))
  if (opened === undefined) return false
  const again = gcmCipher.encrypt(session, handle, iv, msg, aad, Buffer.alloc(sealed.length))
  return opened.equals(msg) && again.equals(sealed)
}

const readable = extractableTemplate(genericRow).map((attribute) =>
  attribute.type === pkcs11.CKA_SENSITIVE ? { ...attribute, value: false } : attribute,
)

const judgeWrap =
  (padded: boolean): Judge =>
  ({ session, mechanisms, secret, valueOf, attempt }, { key, msg, ct }) => {
    const mechanism = padded ? (paddedWrap(mechanisms) ?? keyWrap) : keyWrap
    const kek = attempt(() => secret(wrapRow, key))
    const unwrapped = kek && attempt(() => session.unwrap(mechanism, kek, ct, readable))
    if (kek === undefined || unwrapped === undefined || !valueOf(unwrapped).equals(msg)) return false
    return attempt(() => session.wrap(mechanism, kek, secret(genericRow, msg)))?.equals(ct) === true
  }

const judgeHmac =
  (kind: 'otp-hmac-sha1' | 'otp-hmac-sha256' | 'otp-hmac-sha512'): Judge =>
  ({ session, secret, attempt }, { key, msg, tag }) => {
    const row = secretKeyRows[kind]
    const mac = attempt(() => session.sign(row.mechanism, secret(row, key), msg, Buffer.alloc(row.outputBytes)))
    return mac?.subarray(0, tag.length).equals(tag) === true
  }

const judgeSignature =
  (kind: KeyPairKind, scheme: SignatureScheme, form: 'raw' | 'der' = 'raw'): Judge =>
  ({ session, attempt }, { msg, sig }, { publicKeyDer, sLen }) => {
    const row = keyPairRows[kind]
    const input = kind === 'ed25519' ? msg : createHash(scheme.hash).update(msg).digest()
    const raw = form === 'raw' ? sig : fromDer(sig, row.signatureBytes / 2)
    if (raw?.length !== row.signatureBytes) return false
    const { mechanism, data } = signingCall(row, { ...scheme, saltBytes: sLen }, input)
    const verdict = attempt(() =>
      session.verify(mechanism, session.create(verifyingTemplate(row, publicKeyDer)), data, raw),
    )
    return verdict === true
  }

const rsa = (bits: 2048 | 3072 | 4096, hash: Hash, padding: 'pss' | 'pkcs1v15') =>
  judgeSignature(`rsa-${bits}`, { hash, padding })

const judges: readonly (readonly [file: string, judge: Judge])[] = [
  ['aes_gcm', judgeGcm],
  ['aes_wrap', judgeWrap(false)],
  ['aes_kwp', judgeWrap(true)],
  ['hmac_sha1', judgeHmac('otp-hmac-sha1')],
  ['hmac_sha256', judgeHmac('otp-hmac-sha256')],
  ['hmac_sha512', judgeHmac('otp-hmac-sha512')],
  ['ecdsa_secp256r1_sha256', judgeSignature('ec-p256', { hash: 'sha256' }, 'der')],
  ['ecdsa_secp256r1_sha256_p1363', judgeSignature('ec-p256', { hash: 'sha256' })],
  ['ecdsa_secp384r1_sha384', judgeSignature('ec-p384', { hash: 'sha384' }, 'der')],
  ['ed25519', judgeSignature('ed25519', { hash: 'sha256' })],
  ['rsa_pss_2048_sha256_mgf1_32', rsa(2048, 'sha256', 'pss')],
  ['rsa_pss_3072_sha256_mgf1_32', rsa(3072, 'sha256', 'pss')],
  ['rsa_pss_4096_sha256_mgf1_32', rsa(4096, 'sha256', 'pss')],
  ['rsa_pss_4096_sha512_mgf1_64', rsa(4096, 'sha512', 'pss')],
  ['rsa_signature_2048_sha256', rsa(2048, 'sha256', 'pkcs1v15')],
  ['rsa_signature_3072_sha256', rsa(3072, 'sha256', 'pkcs1v15')],
]

/**
 * Vectors for which the token differs; `docs/divergences.md` explains them. A further difference fails the test, and so
 * does an entry here that no longer differs.
 */
const known: Readonly<Record<string, readonly (readonly [from: number, to: number])[]>> = {
  // SoftHSM2 wraps the padding bytes as if they belonged to the key: for lengths that are not multiples of 8.
  aes_kwp: [
    [11, 17],
    [19, 25],
    [86, 92],
    [94, 100],
    [159, 160],
    [171, 177],
    [179, 185],
  ],
  // Keys shorter than the digest are refused.
  hmac_sha1: [[159, 164]],
  hmac_sha256: [[163, 168]],
  hmac_sha512: [[163, 168]],
}

const numbersOf = (file: string) =>
  (known[file] ?? []).flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => from + at))

/** Omits AES-GCM with IVs or tags of other lengths, which the token would accept and the host refuses. */
const isOurs = (file: string, { ivSize, tagSize }: Group) => file !== 'aes_gcm' || (ivSize === 96 && tagSize === 128)

describe.skipIf(!existsSync(folder))('vectors of Project Wycheproof in the token', () => {
  let token: BareToken

  beforeAll(async () => {
    token = await openBareToken()
  })
  afterAll(() => token.close())

  it.each(judges)('%s', (file, judge) => {
    const { testGroups, numberOfTests } = suite.parse(
      JSON.parse(readFileSync(join(folder, `${file}_test.json`), 'utf8')),
    )
    const differing: number[] = []
    let seen = 0
    for (const group of testGroups.filter((one) => isOurs(file, one))) {
      for (const test of group.tests) {
        seen++
        const taken = judge(token, test, group)
        if (test.result !== 'acceptable' && taken !== (test.result === 'valid')) differing.push(test.tcId)
      }
    }
    const others = testGroups.filter((one) => !isOurs(file, one)).flatMap(({ tests }) => tests)
    expect(seen + others.length).toBe(numberOfTests)
    expect(differing).toEqual(numbersOf(file))
  })

  it('aes_gcm with another IV than 12 bytes or another tag than 16 is refused by the host', () => {
    const row = secretKeyRows['aes256-gcm']
    const { testGroups } = suite.parse(JSON.parse(readFileSync(join(folder, 'aes_gcm_test.json'), 'utf8')))
    const others = testGroups.filter((one) => !isOurs('aes_gcm', one)).flatMap(({ tests }) => tests)
    expect(others.length).toBeGreaterThan(50)
    for (const { key, iv, aad, ct, tag } of others) {
      const handle = token.secret(row, key)
      const ciphertext = Buffer.concat([iv, ct, tag])
      expect(token.attempt(() => decryptWith(token.session, handle, row, ciphertext, aad))).toBeUndefined()
    }
  })
})
