import { execFileSync } from 'node:child_process'
import {
  type KeyObject,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  verify,
} from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KeyReference, SealedRecord } from '../../../src/hsm/hsm.ts'
import type { GeneratedPair, GenerateOptions } from '../../../src/hsm/made-key.ts'
import { type KeyKind, type KeyPairKind, secretKeyKinds } from '../../../src/hsm/key-kind.ts'
import { destroyUnused, type Hosts, inside, startHosts, vaultKeyOf } from './hsm-kit.ts'
import { usableTokens } from './tokens-under-test.ts'
import { newKeyPolicy, sealedJob } from '../../support/import-job.ts'
import { rsaAesUnwrap, rsaAesWrap } from '../../support/rsa-aes-wrap.ts'
import { madeObject, madeVaultKey } from '../../support/token-objects.ts'

const options = { exportable: true, backup: true }
const strictly = { exportable: false, backup: false }

const generators = {
  'ec-p256': () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
  'ec-p384': () => generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
  'rsa-2048': () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
} satisfies Partial<Record<KeyPairKind, () => { publicKey: KeyObject; privateKey: KeyObject }>>

const spkiOf = (key: KeyObject) => key.export({ type: 'spki', format: 'der' })
const pkcs8Of = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'der' })

describe.each(usableTokens())('keys of $name', ({ make }) => {
  let hosts: Hosts
  let pair: GeneratedPair
  let transport: Buffer
  let vaultKey: SealedRecord
  const recipient = generateKeyPairSync('rsa', { modulusLength: 2048 })

  beforeAll(async () => {
    hosts = await startHosts({ count: 2, token: await make(), keyMaker: true })
    pair = await hosts.hsm.generatePair('rsa-3072')
    transport = pair.publicKey
    vaultKey = await vaultKeyOf(hosts.token, hosts.hsm)
  }, 120_000)

  afterAll(async () => {
    await hosts.close()
  })

  const jobFor = (kind: KeyKind, policy: GenerateOptions) => sealedJob(hosts.token, pair, kind, policy)
  async function takeIn(kind: KeyKind, flags: GenerateOptions, wrapped: Buffer, publicKey?: Buffer) {
    const to = { policy: newKeyPolicy(hosts.token, flags), vaultKey }
    return inside(hosts.token, vaultKey, await hosts.hsm.importKey(jobFor(kind, flags), wrapped, to, publicKey))
  }
  const rejected = { code: 'hsm.rejected' }

  describe('that go out', () => {
    it('are unwrapped by OpenSSL, for every kind of secret but those of one-time passwords', async () => {
      for (const kind of secretKeyKinds) {
        const key = await hosts.reference(kind, await hosts.hsm.generate(kind, options))
        if (kind.startsWith('otp-')) {
          await expect(hosts.hsm.exportPlain(key)).rejects.toMatchObject(rejected)
          continue
        }
        const out = rsaAesUnwrap(recipient.privateKey, await hosts.hsm.exportKey(key, spkiOf(recipient.publicKey)))
        expect(await hosts.hsm.exportPlain(key)).toEqual(out)
        if (kind !== 'aes256-gcm') continue
        const again = await hosts.givenSecret('aes256-gcm', Buffer.from(out))
        const ciphertext = await hosts.hsm.encrypt(key, Buffer.from('the same key'))
        expect(await hosts.hsm.decrypt(again, ciphertext)).toEqual(Buffer.from('the same key'))
      }
    })

    it('are PKCS#8 where they are private keys', async () => {
      for (const kind of ['ec-p256', 'ec-p384', 'rsa-2048'] as const) {
        const pair = await hosts.hsm.generate(kind, options)
        const key = await hosts.reference(kind, pair)
        const out = rsaAesUnwrap(recipient.privateKey, await hosts.hsm.exportKey(key, spkiOf(recipient.publicKey)))
        const read = createPrivateKey({ key: out, format: 'der', type: 'pkcs8' })
        expect(spkiOf(createPublicKey(read))).toEqual(pair.publicKey)
        const plain = await hosts.hsm.exportPlain(key)
        expect(out.subarray(0, plain.length)).toEqual(plain)
        expect(out.subarray(plain.length)).toEqual(Buffer.alloc(out.length - plain.length))
        const exact = execFileSync('openssl', ['asn1parse', '-inform', 'DER'], { input: plain, encoding: 'utf8' })
        expect(Number(/hl=(\d+)/.exec(exact)?.[1]) + Number(/ l=\s*(\d+)/.exec(exact)?.[1])).toBe(plain.length)
      }
    })

    it('are those alone that were born exportable', async () => {
      const strict = await hosts.givenKey('aes256-gcm')
      const wrapped = await hosts.hsm.generate('aes256-gcm', strictly)
      const renamed = await hosts.reference('aes256-gcm', { ...wrapped, kek: 'exportable.v1' })
      const { id } = await madeObject(hosts, 'aes256-gcm')
      const inToken = await hosts.reference('aes256-gcm', { kek: 'token', blob: Buffer.from(id, 'hex') })
      for (const key of [strict, renamed, inToken]) {
        await expect(hosts.hsm.exportKey(key, spkiOf(recipient.publicKey))).rejects.toMatchObject(rejected)
        await expect(hosts.hsm.exportPlain(key)).rejects.toMatchObject(rejected)
      }
      await destroyUnused(hosts, 'token', id)
    })

    it('are sealed, and go to RSA keys of 2048 bits or more', async () => {
      const key = await hosts.reference('aes256-gcm', await hosts.hsm.generate('aes256-gcm', options))
      const edited: KeyReference = { key: { record: key.key.record, seal: randomBytes(32) } }
      await expect(hosts.hsm.exportKey(edited, spkiOf(recipient.publicKey))).rejects.toMatchObject({
        code: 'hsm.seal_broken',
      })
      await expect(hosts.hsm.exportPlain(edited)).rejects.toMatchObject({ code: 'hsm.seal_broken' })
      const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
      const curve = generators['ec-p256']().publicKey
      for (const bad of [spkiOf(short), spkiOf(curve), Buffer.from('no key'), Buffer.alloc(0)]) {
        await expect(hosts.hsm.exportKey(key, bad)).rejects.toMatchObject(rejected)
      }
    })
  })

  describe('that come in', () => {
    it('serve as if born here, for every kind of secret', async () => {
      for (const [kind, bytes] of [
        ['aes128-gcm', 16],
        ['aes256-gcm', 32],
        ['aes256-ctr', 32],
        ['aes128-ofb', 16],
      ] as const) {
        const value = randomBytes(bytes)
        const key = await hosts.reference(kind, await takeIn(kind, strictly, rsaAesWrap(transport, value)))
        const judge = await hosts.givenSecret(kind, Buffer.from(value))
        const ciphertext = await hosts.hsm.encrypt(key, Buffer.from('payload'))
        expect(await hosts.hsm.decrypt(judge, ciphertext)).toEqual(Buffer.from('payload'))
        await expect(hosts.hsm.exportPlain(key)).rejects.toMatchObject(rejected)
      }
      const value = randomBytes(32)
      const imported = await takeIn('hmac-sha256', options, rsaAesWrap(transport, value))
      expect(await hosts.hsm.exportPlain(await hosts.reference('hmac-sha256', imported))).toEqual(value)
      expect([imported.kek, imported.backup?.kek]).toEqual([
        'exportable.v1',
        expect.stringMatching(/^backup-exportable\.v/),
      ])
    })

    for (const kind of ['ec-p256', 'ec-p384', 'rsa-2048'] as const) {
      it(`serve as if born here: ${kind}`, async () => {
        const { publicKey, privateKey } = generators[kind]()
        const wrapped = rsaAesWrap(transport, pkcs8Of(privateKey))
        const imported = await takeIn(kind, strictly, wrapped, spkiOf(publicKey))
        expect(imported.publicKey).toEqual(spkiOf(publicKey))
        const key = await hosts.reference(kind, imported)
        const message = randomBytes(30)
        const digest = createHash('sha256').update(message).digest()
        const scheme = { hash: 'sha256', padding: 'pkcs1v15' } as const
        const signature = await hosts.hsm.sign(key, scheme, digest)
        expect(verify('sha256', message, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true)
        const outside = sign('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' })
        expect(await hosts.hsm.verifySignature(key, scheme, digest, outside)).toBe(true)
      })
    }

    it('need no public key where the private one tells it', async () => {
      const { publicKey, privateKey } = generators['rsa-2048']()
      const wrapped = rsaAesWrap(transport, pkcs8Of(privateKey))
      const imported = await takeIn('rsa-2048', strictly, wrapped)
      expect(imported.publicKey).toEqual(spkiOf(publicKey))
    })

    it('are refused with a public key that is missing or of another pair', async () => {
      const rsa = rsaAesWrap(transport, pkcs8Of(generators['rsa-2048']().privateKey))
      const curve = rsaAesWrap(transport, pkcs8Of(generators['ec-p256']().privateKey))
      const stranger = (kind: keyof typeof generators) => spkiOf(generators[kind]().publicKey)
      for (const [kind, wrapped, publicKey] of [
        ['ec-p256', curve, undefined],
        ['ec-p256', curve, stranger('ec-p256')],
        ['ec-p256', curve, stranger('ec-p384')],
        ['ec-p256', curve, stranger('rsa-2048')],
        ['ec-p256', curve, Buffer.from('no key')],
        ['rsa-2048', rsa, stranger('rsa-2048')],
      ] as const) {
        await expect(takeIn(kind, strictly, wrapped, publicKey)).rejects.toMatchObject(rejected)
      }
    })

    it('are refused in another kind or length', async () => {
      const ec = generators['ec-p384']()
      const bytes = (length: number) => rsaAesWrap(transport, randomBytes(length))
      const publicKey = spkiOf(ec.publicKey)
      for (const [kind, wrapped] of [
        ['aes128-gcm', bytes(32)],
        ['aes256-gcm', bytes(16)],
        ['aes256-gcm', bytes(24)],
        ['aes256-gcm', bytes(25)],
        ['aes256-ctr', bytes(31)],
        ['aes128-ofb', bytes(15)],
        ['otp-aes128', bytes(9)],
        ['hmac-sha256', bytes(31)],
        ['hmac-sha256', bytes(24)],
        ['hmac-sha256', bytes(40)],
        ['ec-p256', bytes(32)],
        ['rsa-2048', bytes(32)],
        ['ec-p256', rsaAesWrap(transport, pkcs8Of(ec.privateKey))],
        ['rsa-2048', rsaAesWrap(transport, pkcs8Of(ec.privateKey))],
        ['aes256-gcm', rsaAesWrap(transport, pkcs8Of(ec.privateKey))],
        ['rsa-3072', rsaAesWrap(transport, pkcs8Of(generators['rsa-2048']().privateKey))],
      ] as const) {
        await expect(takeIn(kind, strictly, wrapped, publicKey), `${kind} ${wrapped.length}`).rejects.toMatchObject(
          rejected,
        )
      }
    })

    it('are refused with a byte altered, a part missing, or wrapped to another recipient', async () => {
      const wrapped = rsaAesWrap(transport, randomBytes(32))
      const changed = [0, 100, 383, 384, wrapped.length - 1].map((at) => {
        const copy = Buffer.from(wrapped)
        copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
        return copy
      })
      const others = rsaAesWrap(spkiOf(recipient.publicKey), randomBytes(32))
      for (const bad of [...changed, wrapped.subarray(1), wrapped.subarray(0, 384), Buffer.alloc(0), others]) {
        await expect(takeIn('aes256-gcm', strictly, bad)).rejects.toMatchObject(rejected)
      }
    })

    it('come by a job that is sealed, is one, and whose time has not passed', async () => {
      const wrapped = rsaAesWrap(transport, randomBytes(32))
      const good = jobFor('aes256-gcm', strictly)
      const edited = { record: jobFor('aes256-gcm', options).record, seal: good.seal }
      const to = { policy: newKeyPolicy(hosts.token, strictly), vaultKey }
      await expect(hosts.hsm.importKey(edited, wrapped, to)).rejects.toMatchObject({ code: 'hsm.seal_broken' })
      const { key } = await hosts.reference('rsa-3072', pair)
      const late = sealedJob(hosts.token, pair, 'aes256-gcm', strictly, Date.now())
      for (const bad of [key, late]) await expect(hosts.hsm.importKey(bad, wrapped, to)).rejects.toMatchObject(rejected)
      // The key pair of a job cannot be used as a key either.
      await expect(hosts.hsm.sign({ key: good }, { hash: 'sha256' }, randomBytes(32))).rejects.toMatchObject(rejected)
      expect((await hosts.hsm.importKey(good, wrapped, to)).kek).toBe('strict.v1')
    })
  })

  describe('that stay in the token', () => {
    it('serve by their id, on every host, until they are destroyed', async () => {
      const { id, publicKey } = await madeObject(hosts, 'aes256-gcm')
      expect([id, publicKey]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), undefined])
      const key = await hosts.reference('aes256-gcm', { kek: 'token', blob: Buffer.from(id, 'hex') })
      const ciphertext = await hosts.hsm.encrypt(key, Buffer.from('x'))
      const opened = await Promise.all(Array.from({ length: 20 }, () => hosts.hsm.decrypt(key, ciphertext)))
      for (const plaintext of opened) expect(plaintext).toEqual(Buffer.from('x'))
      expect((await hosts.hsm.status())[0]?.token?.objects.residentKeys).toBe(1)
      await destroyUnused(hosts, 'token', id)
      await destroyUnused(hosts, 'token', id)
      for (let round = 0; round < 4; round++)
        await expect(hosts.hsm.decrypt(key, ciphertext)).rejects.toMatchObject(rejected)
    })

    it('are pairs as well, of which the private half stays', async () => {
      for (const kind of ['ec-p256', 'ed25519', 'rsa-2048'] as const) {
        const { id, publicKey } = await madeObject(hosts, kind)
        const key = await hosts.reference(kind, { kek: 'token', blob: Buffer.from(id, 'hex'), publicKey })
        const digest = randomBytes(32)
        const signature = await hosts.hsm.sign(key, { hash: 'sha256' }, digest)
        expect(await hosts.hsm.verifySignature(key, { hash: 'sha256' }, digest, signature)).toBe(true)
        await destroyUnused(hosts, 'token', id)
      }
    })

    it('are not found under another kind of key, nor root objects and vault keys under their ids', async () => {
      const { id } = await madeObject(hosts, 'aes256-gcm')
      const { id: vault } = await madeVaultKey(hosts)
      const blobs = [Buffer.from(vault, 'hex'), Buffer.from('strongroom.kek.strict.v1'), Buffer.alloc(0)]
      const crossed = [
        await hosts.reference('hmac-sha256', { kek: 'token', blob: Buffer.from(id, 'hex') }),
        ...(await Promise.all(blobs.map((blob) => hosts.reference('aes256-gcm', { kek: 'token', blob })))),
      ]
      for (const key of crossed) {
        await expect(hosts.hsm.encrypt(key, Buffer.from('x'))).rejects.toMatchObject(rejected)
        await expect(hosts.hsm.hmac(key, Buffer.from('x'))).rejects.toMatchObject(rejected)
      }
      await destroyUnused(hosts, 'token', vault)
      // Including the data keys of the vaults that keys are imported to and belong to.
      expect((await hosts.hsm.status())[0]?.token?.objects).toMatchObject({ vaultKeys: 3, residentKeys: 1 })
      await destroyUnused(hosts, 'vault', vault)
      await destroyUnused(hosts, 'token', id)
    })
  })
})

describe('the support of SoftHSM2', () => {
  it('names what each kind lacks', async () => {
    const hosts = await startHosts()
    const missing = [...(await hosts.hsm.kindSupport())].filter(
      ([, { wrapped, tokenObject }]) => wrapped ?? tokenObject,
    )
    expect(missing).toEqual([['ed25519', { wrapped: 'AES_KEY_WRAP_PAD of ed25519 keys', tokenObject: undefined }]])
    await expect(hosts.hsm.generate('ed25519', strictly)).rejects.toMatchObject({
      code: 'hsm.unsupported',
      detail: expect.stringContaining('AES_KEY_WRAP_PAD'),
    })
    await hosts.close()
  })
})
