import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KeyReference } from '../../../src/hsm/hsm.ts'
import { type Hosts, startHosts } from './hsm-kit.ts'
import { usableTokens } from './tokens-under-test.ts'

const ciphers = [
  ['aes128-gcm', 'aes-128-gcm', 16, 12, 16],
  ['aes256-gcm', 'aes-256-gcm', 32, 12, 16],
  ['aes128-ctr', 'aes-128-ctr', 16, 16, 0],
  ['aes256-ctr', 'aes-256-ctr', 32, 16, 0],
  ['aes128-ofb', 'aes-128-ofb', 16, 16, 0],
  ['aes256-ofb', 'aes-256-ofb', 32, 16, 0],
] as const

type Algorithm = (typeof ciphers)[number][1]

const isGcm = (algorithm: Algorithm): algorithm is 'aes-128-gcm' | 'aes-256-gcm' =>
  algorithm === 'aes-128-gcm' || algorithm === 'aes-256-gcm'

function sealWithOpenssl(algorithm: Algorithm, secret: Buffer, iv: Buffer, plaintext: Buffer): Buffer {
  if (!isGcm(algorithm)) {
    const maker = createCipheriv(algorithm, secret, iv)
    return Buffer.concat([iv, maker.update(plaintext), maker.final()])
  }
  const maker = createCipheriv(algorithm, secret, iv)
  return Buffer.concat([iv, maker.update(plaintext), maker.final(), maker.getAuthTag()])
}

function openWithOpenssl(
  algorithm: Algorithm,
  secret: Buffer,
  { ciphertext, ivBytes, tagBytes }: { ciphertext: Buffer; ivBytes: number; tagBytes: number },
): Buffer {
  const iv = ciphertext.subarray(0, ivBytes)
  const end = ciphertext.length - tagBytes
  const body = ciphertext.subarray(ivBytes, end)
  if (!isGcm(algorithm)) {
    const judge = createDecipheriv(algorithm, secret, iv)
    return Buffer.concat([judge.update(body), judge.final()])
  }
  const judge = createDecipheriv(algorithm, secret, iv).setAuthTag(ciphertext.subarray(end))
  return Buffer.concat([judge.update(body), judge.final()])
}

/** Sizes at the limits of blocks, buffers and frames, and others between them. */
const sizes = fc.oneof(
  { weight: 6, arbitrary: fc.nat(80) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.integer({ min: 4, max: 16 }), fc.integer({ min: -1, max: 1 }))
      .map(([log, off]) => 2 ** log + off),
  },
  { weight: 1, arbitrary: fc.constantFrom((1 << 20) - 1, 1 << 20) },
)

describe.each(usableTokens())('ciphers of $name', ({ make }) => {
  let hosts: Hosts

  beforeAll(async () => {
    hosts = await startHosts({ count: 2, token: await make() })
  }, 120_000)

  afterAll(async () => {
    await hosts.close()
  })

  describe.each(ciphers)('%s', (kind, algorithm, keyBytes, ivBytes, tagBytes) => {
    const secret = randomBytes(keyBytes)
    let key: KeyReference

    beforeAll(async () => {
      key = await hosts.givenSecret(kind, Buffer.from(secret))
    })

    const judged = (ciphertext: Buffer) => openWithOpenssl(algorithm, secret, { ciphertext, ivBytes, tagBytes })
    const foreign = (plaintext: Buffer, iv = randomBytes(ivBytes)) => sealWithOpenssl(algorithm, secret, iv, plaintext)

    it('makes what OpenSSL opens and opens what OpenSSL makes, in every size', async () => {
      await fc.assert(
        fc.asyncProperty(sizes, async (size) => {
          const plaintext = randomBytes(size)
          const ciphertext = await hosts.hsm.encrypt(key, plaintext)
          expect(ciphertext).toHaveLength(ivBytes + size + tagBytes)
          expect(judged(ciphertext).equals(plaintext)).toBe(true)
          expect((await hosts.hsm.decrypt(key, ciphertext)).equals(plaintext)).toBe(true)
          expect((await hosts.hsm.decrypt(key, foreign(plaintext))).equals(plaintext)).toBe(true)
        }),
        { numRuns: 60, examples: [[0], [1], [15], [16], [17], [1 << 20]] },
      )
    })

    it('carries its counter beyond 64 bits', async () => {
      const plaintext = Buffer.alloc(100, 7)
      const ciphertext = foreign(plaintext, Buffer.concat([Buffer.alloc(1), Buffer.alloc(ivBytes - 1, 0xff)]))
      expect(await hosts.hsm.decrypt(key, ciphertext)).toEqual(plaintext)
    })

    it('refuses what is too short to be a ciphertext', async () => {
      for (const length of [0, ivBytes - 1, ivBytes + tagBytes - 1]) {
        await expect(hosts.hsm.decrypt(key, Buffer.alloc(length))).rejects.toMatchObject({ code: 'hsm.rejected' })
      }
    })

    it(tagBytes > 0 ? 'refuses every single flipped bit' : 'takes no additional data', async () => {
      const ciphertext = await hosts.hsm.encrypt(key, Buffer.from('payload'))
      if (tagBytes === 0) {
        const aad = Buffer.from('x')
        await expect(hosts.hsm.encrypt(key, Buffer.from('payload'), aad)).rejects.toMatchObject({
          code: 'hsm.rejected',
        })
        await expect(hosts.hsm.decrypt(key, ciphertext, aad)).rejects.toMatchObject({ code: 'hsm.rejected' })
        return
      }
      const flips = Array.from({ length: ciphertext.length * 8 }, (_, bit) => {
        const copy = Buffer.from(ciphertext)
        copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
        return { key, ciphertext: copy }
      })
      for (const outcome of await hosts.hsm.decryptMany(flips))
        expect(outcome).toMatchObject({ fault: { code: 'hsm.rejected' } })
    })

    it('never uses an IV twice', async () => {
      const items = Array.from({ length: 1_000 }, () => ({ key, plaintext: Buffer.from('x') }))
      const ivs = (await hosts.hsm.encryptMany(items)).map((outcome) =>
        'result' in outcome ? outcome.result.toString('hex', 0, ivBytes) : '',
      )
      expect(new Set(ivs).size).toBe(1_000)
    })
  })

  describe('hmac-sha256', () => {
    it('gives what OpenSSL gives, and verifies it whole', async () => {
      const secret = randomBytes(32)
      const key = await hosts.givenSecret('hmac-sha256', Buffer.from(secret))
      for (const size of [0, 1, 63, 64, 65, 100_000]) {
        const data = randomBytes(size)
        const mac = createHmac('sha256', secret).update(data).digest()
        expect(await hosts.hsm.hmac(key, data)).toEqual(mac)
        expect(await hosts.hsm.verifyHmac(key, data, mac)).toBe(true)
        expect(await hosts.hsm.verifyHmac(key, data, mac.subarray(0, 31))).toBe(false)
        expect(await hosts.hsm.verifyHmac(key, data, Buffer.alloc(0))).toBe(false)
        expect(await hosts.hsm.verifyHmac(key, Buffer.concat([data, Buffer.from('x')]), mac)).toBe(false)
        mac.writeUInt8(mac.readUInt8(31) ^ 1, 31)
        expect(await hosts.hsm.verifyHmac(key, data, mac)).toBe(false)
      }
    })

    it('does not encrypt, and ciphers make no HMAC', async () => {
      const mac = await hosts.givenKey('hmac-sha256')
      const cipher = await hosts.givenKey('aes256-ctr')
      const pair = await hosts.givenKey('ec-p256')
      const misuses = [
        hosts.hsm.encrypt(mac, Buffer.from('x')),
        hosts.hsm.verifyValidation(mac.key, 'x', Buffer.alloc(20)),
        hosts.hsm.hmac(cipher, Buffer.from('x')),
        hosts.hsm.hmac(pair, Buffer.from('x')),
        hosts.hsm.encrypt(pair, Buffer.from('x')),
        hosts.hsm.sign(cipher, { hash: 'sha256' }, Buffer.alloc(32)),
        hosts.hsm.verifySignature(mac, { hash: 'sha256' }, Buffer.alloc(32), Buffer.alloc(64)),
      ]
      for (const outcome of await Promise.allSettled(misuses)) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'hsm.rejected' } })
      }
    })
  })
})
