import { execFileSync } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync, constants, randomBytes, sign, verify } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Hash, hashes, type KeyPairKind, keyPairKinds, type SignatureScheme } from '../../../src/hsm/key-kind.ts'
import type { KeyReference } from '../../../src/hsm/hsm.ts'
import { type Hosts, startHosts } from './hsm-kit.ts'
import { usableTokens } from './tokens-under-test.ts'
import { madeObject } from '../../support/token-objects.ts'

interface Pair {
  readonly key: KeyReference
  readonly publicKey: Buffer
}

describe.each(usableTokens())('signatures of $name', ({ make }) => {
  let hosts: Hosts
  const pairs = new Map<KeyPairKind, Pair>()
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-signatures-'))

  beforeAll(async () => {
    hosts = await startHosts({ token: await make(), keyMaker: true })
    const support = await hosts.hsm.kindSupport()
    for (const kind of keyPairKinds) {
      if (support.get(kind)?.wrapped === undefined) {
        const pair = await hosts.hsm.generate(kind, { exportable: false, backup: false })
        pairs.set(kind, { key: await hosts.reference(kind, pair), publicKey: pair.publicKey ?? Buffer.alloc(0) })
      } else {
        const { id, publicKey } = await madeObject(hosts, kind)
        const inToken = { kek: 'token', blob: Buffer.from(id, 'hex'), publicKey }
        pairs.set(kind, { key: await hosts.reference(kind, inToken), publicKey: publicKey ?? Buffer.alloc(0) })
      }
    }
  }, 120_000)

  afterAll(() => hosts.close())

  const pairOf = (kind: KeyPairKind): Pair => {
    const pair = pairs.get(kind)
    if (pair === undefined) throw new Error(`no ${kind}`)
    return pair
  }

  /** Whether the openssl command accepts the signature of `message`. */
  const opensslAccepts = (publicKey: Buffer, message: Buffer, signature: Buffer, options: readonly string[]) => {
    const files = { key: publicKey, message, signature }
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(directory, name), bytes)
    const places = ['-keyform', 'DER', '-inkey', join(directory, 'key'), '-in', join(directory, 'message')]
    const printed = execFileSync(
      'openssl',
      ['pkeyutl', '-verify', '-pubin', ...places, '-sigfile', join(directory, 'signature'), ...options],
      { encoding: 'utf8' },
    )
    return printed.includes('Signature Verified Successfully')
  }

  const digestOf = (hash: Hash, message: Buffer) => createHash(hash).update(message).digest()
  const spoiled = (bytes: Buffer, at: number) => {
    const copy = Buffer.from(bytes)
    copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
    return copy
  }
  const keyObject = (publicKey: Buffer) => createPublicKey({ key: publicKey, format: 'der', type: 'spki' })

  const refusesChanges = async (kind: KeyPairKind, scheme: SignatureScheme, input: Buffer, signature: Buffer) => {
    const { key } = pairOf(kind)
    expect(await hosts.hsm.verifySignature(key, scheme, input, signature)).toBe(true)
    for (const changed of [
      spoiled(signature, 0),
      spoiled(signature, signature.length - 1),
      signature.subarray(1),
      Buffer.concat([signature, Buffer.alloc(1)]),
      Buffer.alloc(signature.length),
      Buffer.alloc(0),
    ]) {
      expect(await hosts.hsm.verifySignature(key, scheme, input, changed)).toBe(false)
    }
    expect(await hosts.hsm.verifySignature(key, scheme, spoiled(input, 3), signature)).toBe(false)
    expect(await hosts.hsm.verifySignature(key, scheme, input, signature)).toBe(true)
  }

  for (const [kind, bytes] of [
    ['ec-p256', 64],
    ['ec-p384', 96],
  ] as const) {
    it(`by ${kind} are what OpenSSL verifies, over every hash`, async () => {
      const { key, publicKey } = pairOf(kind)
      for (const hash of hashes) {
        const message = randomBytes(77)
        const input = digestOf(hash, message)
        const signature = await hosts.hsm.sign(key, { hash }, input)
        expect(signature).toHaveLength(bytes)
        const judge = { key: keyObject(publicKey), dsaEncoding: 'ieee-p1363' } as const
        expect(verify(hash, message, judge, signature)).toBe(true)
        await refusesChanges(kind, { hash }, input, signature)
      }
    })
  }

  it('by ed25519 are what OpenSSL verifies, over messages of any length', async () => {
    const { key, publicKey } = pairOf('ed25519')
    for (const size of [0, 4, 1_000, 100_000]) {
      const message = randomBytes(size)
      const signature = await hosts.hsm.sign(key, { hash: 'sha256' }, message)
      expect(verify(null, message, keyObject(publicKey), signature)).toBe(true)
      if (size > 3) {
        expect(opensslAccepts(publicKey, message, signature, ['-rawin'])).toBe(true)
        await refusesChanges('ed25519', { hash: 'sha256' }, message, signature)
      }
    }
  })

  for (const kind of ['rsa-2048', 'rsa-3072', 'rsa-4096'] as const) {
    it(`by ${kind} are what OpenSSL verifies, in either padding`, async () => {
      const { key, publicKey } = pairOf(kind)
      for (const hash of hashes) {
        const input = digestOf(hash, randomBytes(50))
        for (const [padding, options] of [
          ['pkcs1v15', ['rsa_padding_mode:pkcs1']],
          ['pss', ['rsa_padding_mode:pss', 'rsa_pss_saltlen:digest', `rsa_mgf1_md:${hash}`]],
        ] as const) {
          const signature = await hosts.hsm.sign(key, { hash, padding }, input)
          expect(signature).toHaveLength(Number(kind.slice(4)) / 8)
          const judge = [`digest:${hash}`, ...options].flatMap((option) => ['-pkeyopt', option])
          expect(opensslAccepts(publicKey, input, signature, judge)).toBe(true)
          await refusesChanges(kind, { hash, padding }, input, signature)
          const other = padding === 'pss' ? 'pkcs1v15' : 'pss'
          expect(await hosts.hsm.verifySignature(key, { hash, padding: other }, input, signature)).toBe(false)
        }
      }
    })
  }

  it('by PSS take the salt that is asked for', async () => {
    const { key, publicKey } = pairOf('rsa-2048')
    const message = randomBytes(9)
    const input = digestOf('sha256', message)
    for (const saltBytes of [0, 20, 222]) {
      const signature = await hosts.hsm.sign(key, { hash: 'sha256', saltBytes }, input)
      const judge = { key: keyObject(publicKey), padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: saltBytes }
      expect(verify('sha256', message, judge, signature)).toBe(true)
      expect(await hosts.hsm.verifySignature(key, { hash: 'sha256', saltBytes }, input, signature)).toBe(true)
      expect(await hosts.hsm.verifySignature(key, { hash: 'sha256' }, input, signature)).toBe(false)
    }
    for (const saltBytes of [223, -1, 1.5]) {
      await expect(hosts.hsm.sign(key, { hash: 'sha256', saltBytes }, input)).rejects.toMatchObject({
        code: 'hsm.rejected',
      })
    }
  })

  it('are made of digests in the length of their hash alone', async () => {
    for (const kind of ['ec-p256', 'rsa-2048'] as const) {
      for (const size of [0, 20, 31, 33, 64]) {
        await expect(hosts.hsm.sign(pairOf(kind).key, { hash: 'sha256' }, randomBytes(size))).rejects.toMatchObject({
          code: 'hsm.rejected',
        })
      }
    }
  })

  it('verify with the public key that the seal covers and no other', async () => {
    const { key } = pairOf('ec-p256')
    const stranger = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    const message = randomBytes(40)
    const signature = sign('sha256', message, { key: stranger.privateKey, dsaEncoding: 'ieee-p1363' })
    const input = digestOf('sha256', message)
    expect(await hosts.hsm.verifySignature(key, { hash: 'sha256' }, input, signature)).toBe(false)
    const record = Buffer.from(key.key.record)
    const spki = stranger.publicKey.export({ type: 'spki', format: 'der' })
    spki.copy(record, record.indexOf(pairOf('ec-p256').publicKey))
    await expect(
      hosts.hsm.verifySignature({ key: { record, seal: key.key.seal } }, { hash: 'sha256' }, input, signature),
    ).rejects.toMatchObject({ code: 'hsm.seal_broken' })
  })
})
