import { execFileSync } from 'node:child_process'
import { createCipheriv, createDecipheriv, createHmac, createPublicKey, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KeyReference } from '../../../src/hsm/hsm.ts'
import { secretKeyKinds, tokenObjectKek, vaultKek } from '../../../src/hsm/key-kind.ts'
import { destroyUnused, type Hosts, grantFor, otpDevice, policyOf, startHosts } from './hsm-kit.ts'
import { usableTokens } from './tokens-under-test.ts'
import { rawSeal } from '../../support/raw-seal.ts'
import { madeVaultKey } from '../../support/token-objects.ts'

const flipped = (bytes: Buffer, at: number, mask = 1) => {
  const copy = Buffer.from(bytes)
  copy.writeUInt8(copy.readUInt8(at) ^ mask, at)
  return copy
}

describe.each(usableTokens())('$name', ({ make }) => {
  let hosts: Hosts

  beforeAll(async () => {
    hosts = await startHosts({ count: 2, token: await make(), keeper: true })
  }, 120_000)

  afterAll(async () => {
    await hosts.close()
  })

  describe('AES-GCM', () => {
    for (const [kind, bytes] of [
      ['aes128-gcm', 16],
      ['aes256-gcm', 32],
    ] as const) {
      it(`makes with ${kind} what node:crypto opens, and opens what node:crypto makes`, async () => {
        const secret = randomBytes(bytes)
        const key = await hosts.givenSecret(kind, Buffer.from(secret))
        const plaintext = randomBytes(100)
        const aad = Buffer.from('bound to this')
        const ciphertext = await hosts.hsm.encrypt(key, plaintext, aad)
        expect(ciphertext).toHaveLength(12 + 100 + 16)

        const algorithm = bytes === 16 ? 'aes-128-gcm' : 'aes-256-gcm'
        const judge = createDecipheriv(algorithm, secret, ciphertext.subarray(0, 12))
          .setAAD(aad)
          .setAuthTag(ciphertext.subarray(-16))
        expect(Buffer.concat([judge.update(ciphertext.subarray(12, -16)), judge.final()])).toEqual(plaintext)

        const iv = randomBytes(12)
        const maker = createCipheriv(algorithm, secret, iv)
        const foreign = Buffer.concat([iv, maker.update(plaintext), maker.final(), maker.getAuthTag()])
        expect(await hosts.hsm.decrypt(key, foreign)).toEqual(plaintext)
      })
    }

    it('takes an empty plaintext, one byte, and more than a mebibyte', async () => {
      const key = await hosts.givenKey('aes256-gcm')
      for (const size of [0, 1, 16, 65_536, (1 << 20) + 7]) {
        const plaintext = randomBytes(size)
        expect((await hosts.hsm.decrypt(key, await hosts.hsm.encrypt(key, plaintext))).equals(plaintext)).toBe(true)
      }
    })

    it('never uses an IV twice', async () => {
      const key = await hosts.givenKey('aes128-gcm')
      const texts = await Promise.all(Array.from({ length: 2_000 }, () => hosts.hsm.encrypt(key, Buffer.from('x'))))
      expect(new Set(texts.map((text) => text.toString('hex', 0, 12))).size).toBe(2_000)
    })

    it('refuses every flipped byte, every truncation, other AAD and another key', async () => {
      const key = await hosts.givenKey('aes256-gcm')
      const ciphertext = await hosts.hsm.encrypt(key, Buffer.from('twelve bytes'), Buffer.from('aad'))
      const another = await hosts.givenKey('aes256-gcm')
      const attempts = [
        ...Array.from(ciphertext, (_, at) => hosts.hsm.decrypt(key, flipped(ciphertext, at), Buffer.from('aad'))),
        ...Array.from(ciphertext, (_, length) =>
          hosts.hsm.decrypt(key, ciphertext.subarray(0, length), Buffer.from('aad')),
        ),
        hosts.hsm.decrypt(key, ciphertext, Buffer.from('aaD')),
        hosts.hsm.decrypt(key, ciphertext),
        hosts.hsm.decrypt(another, ciphertext, Buffer.from('aad')),
      ]
      for (const outcome of await Promise.allSettled(attempts)) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'hsm.rejected' } })
      }
      expect(await hosts.hsm.decrypt(key, ciphertext, Buffer.from('aad'))).toEqual(Buffer.from('twelve bytes'))
    })

    it('gives each of many parallel callers his own answer', async () => {
      const keys = await Promise.all(Array.from({ length: 20 }, () => hosts.givenKey('aes256-gcm')))
      const rounds = keys.flatMap((key, caller) =>
        Array.from({ length: 50 }, async (_, round) => {
          const plaintext = Buffer.from(`caller ${caller} round ${round} `.repeat(round))
          expect((await hosts.hsm.decrypt(key, await hosts.hsm.encrypt(key, plaintext))).equals(plaintext)).toBe(true)
        }),
      )
      await Promise.all(rounds)
    })
  })

  describe('sealed records', () => {
    it('are refused with any byte of record or seal changed, used before or not', async () => {
      const used = await hosts.givenKey('aes128-gcm')
      await hosts.hsm.encrypt(used, Buffer.from('x'))
      const fresh = await hosts.givenKey('aes128-gcm')
      for (const { key } of [used, fresh]) {
        const changed: KeyReference[] = [
          ...Array.from(key.record, (_, at) => ({ key: { record: flipped(key.record, at), seal: key.seal } })),
          ...Array.from(key.seal, (_, at) => ({ key: { record: key.record, seal: flipped(key.seal, at) } })),
          { key: { record: key.record, seal: key.seal.subarray(0, 31) } },
          { key: { record: key.record, seal: Buffer.alloc(0) } },
          { key: { record: Buffer.concat([key.record, Buffer.alloc(1)]), seal: key.seal } },
        ]
        for (const reference of changed) {
          await expect(hosts.hsm.encrypt(reference, Buffer.from('x'))).rejects.toMatchObject({
            code: 'hsm.seal_broken',
          })
        }
      }
    })

    it('do not open with the blob or the seal of another', async () => {
      const [one, other] = [await hosts.givenKey('aes256-gcm'), await hosts.givenKey('aes256-gcm')]
      await hosts.hsm.encrypt(one, Buffer.from('x'))
      const crossed = { key: { record: other.key.record, seal: one.key.seal } }
      await expect(hosts.hsm.encrypt(crossed, Buffer.from('x'))).rejects.toMatchObject({ code: 'hsm.seal_broken' })
    })

    it('bind the policy too', async () => {
      const key = { ...(await hosts.givenKey('aes256-gcm')), grant: grantFor(hosts.token) }
      const policy = policyOf(hosts.token)
      const ciphertext = await hosts.hsm.encrypt({ ...key, policy }, Buffer.from('x'))
      expect(await hosts.hsm.decrypt({ ...key, policy }, ciphertext)).toEqual(Buffer.from('x'))
      const lowered = { ...policyOf(hosts.token, { minDecryptionVersion: 0 }), seal: policy.seal }
      await expect(hosts.hsm.decrypt({ ...key, policy: lowered }, ciphertext)).rejects.toMatchObject({
        code: 'hsm.seal_broken',
      })
    })

    it('are refused with a blob that this token did not wrap, even under a good seal', async () => {
      const wrapped = await hosts.hsm.generate('aes256-gcm', { exportable: false, backup: false })
      for (let at = 0; at < wrapped.blob.length; at++) {
        const reference = await hosts.reference('aes256-gcm', { kek: wrapped.kek, blob: flipped(wrapped.blob, at) })
        await expect(hosts.hsm.encrypt(reference, Buffer.from('x'))).rejects.toMatchObject({ code: 'hsm.rejected' })
      }
    })

    it('are refused under a KEK that did not wrap the blob, or none', async () => {
      const { blob, backup = { kek: '', blob: Buffer.alloc(0) } } = await hosts.hsm.generate('aes256-gcm', {
        exportable: false,
        backup: true,
      })
      const misnamed = [
        { kek: 'exportable.v1', blob },
        { kek: 'strict.v2', blob },
        { kek: '', blob },
        { kek: backup.kek, blob },
        { kek: 'strict.v1', blob: backup.blob },
      ]
      for (const wrapped of misnamed) {
        const reference = await hosts.reference('aes256-gcm', wrapped)
        await expect(hosts.hsm.encrypt(reference, Buffer.from('x'))).rejects.toMatchObject({ code: 'hsm.rejected' })
      }
    })

    it('hold one kind of key and serve no other operation', async () => {
      const seed = await hosts.givenSecret('otp-hmac-sha1', Buffer.alloc(20, 1))
      const cipher = await hosts.givenKey('aes128-gcm')
      const block = await hosts.givenSecret('otp-aes128', Buffer.alloc(16, 2))
      const misuses = [
        hosts.hsm.encrypt(seed, Buffer.from('x')),
        hosts.hsm.encrypt(block, Buffer.from('x')),
        hosts.hsm.useOtp([{ device: cipher.key, counter: 0, driftSteps: 0 }], { code: '123456' }),
        hosts.hsm.useOtp([{ device: cipher.key, counter: 0, driftSteps: 0 }], { block: Buffer.alloc(16) }),
        hosts.hsm.useOtp([{ device: block.key, counter: 0, driftSteps: 0 }], { code: '123456' }),
        hosts.hsm.useOtp([{ device: seed.key, counter: 0, driftSteps: 0 }], { block: Buffer.alloc(16) }),
        hosts.hsm.signValidation(seed.key, 'status=BAD_OTP&t=2026-01-01'),
        hosts.hsm.decrypt(block, Buffer.alloc(28)),
      ]
      for (const outcome of await Promise.allSettled(misuses)) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'hsm.rejected' } })
      }
      const record = Buffer.from('not a key record at all')
      const odd = { key: { record, seal: rawSeal(hosts.token, record) } }
      await expect(hosts.hsm.encrypt(odd, Buffer.from('x'))).rejects.toMatchObject({ code: 'hsm.rejected' })
    })

    it('verify, and fail to', async () => {
      const record = Buffer.from('a row')
      const seal = rawSeal(hosts.token, record)
      expect(seal).toHaveLength(32)
      await expect(hosts.hsm.verify({ record, seal })).resolves.toBeUndefined()
      await expect(hosts.hsm.verify({ record: Buffer.from('another'), seal })).rejects.toMatchObject({
        code: 'hsm.seal_broken',
      })
      expect(await hosts.hsm.applicationKeyChecks('a row')).not.toEqual([seal])
    })
  })

  describe('keys', () => {
    it('are wrapped under the KEK that their fate asks for', async () => {
      for (const kind of secretKeyKinds) {
        const strict = await hosts.hsm.generate(kind, { exportable: false, backup: true })
        const exportable = await hosts.hsm.generate(kind, { exportable: true, backup: false })
        expect([strict.kek, strict.backup?.kek, exportable.kek, exportable.backup]).toEqual([
          'strict.v1',
          expect.stringMatching(/^backup\.v/),
          'exportable.v1',
          undefined,
        ])
        expect(strict.blob.length).toBe(strict.backup?.blob.length ?? 0)
        expect(strict.blob).not.toEqual(strict.backup?.blob)
      }
    })

    it('of the exportable KEK serve as well', async () => {
      const made = await hosts.hsm.generate('aes256-gcm', { exportable: true, backup: false })
      const key = await hosts.reference('aes256-gcm', made)
      expect(await hosts.hsm.decrypt(key, await hosts.hsm.encrypt(key, Buffer.from('x')))).toEqual(Buffer.from('x'))
    })

    it('are imported in their own lengths only', async () => {
      for (const [kind, bytes] of [
        ['aes128-gcm', 15],
        ['aes256-gcm', 16],
        ['otp-aes128', 0],
        ['otp-hmac-sha1', 0],
        ['otp-hmac-sha1', 65],
        ['otp-hmac-sha512', 129],
      ] as const) {
        await expect(hosts.hsm.importSecret(kind, Buffer.alloc(bytes))).rejects.toMatchObject({ code: 'hsm.rejected' })
      }
    })

    it('of vaults are created and destroyed', async () => {
      const before = (await hosts.hsm.status())[0]?.token?.objects.vaultKeys
      const { id } = await madeVaultKey(hosts)
      expect(id).toMatch(/^[0-9a-f]{32}$/)
      expect((await hosts.hsm.status())[0]?.token?.objects.vaultKeys).toBe((before ?? 0) + 1)
      await destroyUnused(hosts, 'vault', id)
      await destroyUnused(hosts, 'vault', id)
      expect((await hosts.hsm.status())[1]?.token?.objects.vaultKeys).toBe(before)
    })

    it('of vaults encrypt under the name of their place, until they are destroyed', async () => {
      const { id } = await madeVaultKey(hosts)
      const wrapped = { kek: vaultKek, blob: Buffer.from(id, 'hex') }
      const key = await hosts.reference('aes256-gcm', wrapped)
      const [text, aad] = [Buffer.from('secret'), Buffer.from('vault 1, object 2')]
      const ciphertext = await hosts.hsm.encrypt(key, text, aad)
      expect(await hosts.hsm.decrypt(key, ciphertext, aad)).toEqual(text)
      await expect(hosts.hsm.decrypt(key, ciphertext, Buffer.from('vault 1, object 3'))).rejects.toMatchObject({
        code: 'hsm.rejected',
      })
      const inToken = await hosts.reference('aes256-gcm', { ...wrapped, kek: tokenObjectKek })
      await expect(hosts.hsm.encrypt(inToken, text)).rejects.toMatchObject({ code: 'hsm.rejected' })
      await destroyUnused(hosts, 'vault', id)
      await expect(hosts.hsm.decrypt(key, ciphertext, aad)).rejects.toMatchObject({ code: 'hsm.rejected' })
    })
  })

  describe('one-time passwords', () => {
    // RFC 4226, appendix D: the intermediate HMAC values for the secret 12345678901234567890.
    const rfc4226 = [
      'cc93cf18508d94934c64b65d8ba7667fb7cde4b0',
      '75a48a19d4cbe100644e8ac1397eea747a2d33ab',
      '0bacb7fa082fef30782211938bc1c5e70416ff44',
      '66c28227d03a2d5529262ff016a1e6ef76557ece',
      'a904c900a64b35909874b33e61c5938a8e15ed1c',
    ]

    /** The code of a MAC (RFC 4226 §5.3). */
    const codeOf = (mac: Buffer): string =>
      String((mac.readUInt32BE(mac.readUInt8(mac.length - 1) & 15) & 0x7fff_ffff) % 100_000_000).padStart(8, '0')

    it('agree with RFC 4226', async () => {
      const device = await otpDevice(hosts, 'otp-hmac-sha1', Buffer.from('12345678901234567890'))
      for (const [counter, expected] of rfc4226.entries()) {
        const code = codeOf(Buffer.from(expected, 'hex'))
        expect(await hosts.hsm.checkOtp([device], { code })).toMatchObject({ outcome: 'good', counter: counter + 1 })
      }
    })

    it('agree with oathtool', async () => {
      const secret = randomBytes(23)
      for (const hash of ['sha1', 'sha256', 'sha512'] as const) {
        const fields = { device: 'totp', periodSeconds: 30 }
        const device = await otpDevice(hosts, `otp-hmac-${hash}`, Buffer.from(secret), fields)
        const now = Math.floor(Date.now() / 1000)
        const args = [`--totp=${hash}`, '--digits=8', `--now=@${now}`, secret.toString('hex')]
        const code = execFileSync('oathtool', args, { encoding: 'utf8' }).trim()
        const verdict = { outcome: 'good', at: 0, counter: Math.floor(now / 30) }
        expect(await hosts.hsm.checkOtp([device], { code })).toMatchObject(verdict)
      }
    })

    it('take secrets of every length up to the hash block as they are', async () => {
      const counter = 0x636f_756e
      const data = Buffer.alloc(8)
      data.writeBigUInt64BE(BigInt(counter))
      for (const [hash, block] of [
        ['sha1', 64],
        ['sha256', 64],
        ['sha512', 128],
      ] as const) {
        for (const length of [1, 7, 16, 20, 21, 32, 63, block]) {
          const secret = randomBytes(length)
          const device = await otpDevice(hosts, `otp-hmac-${hash}`, Buffer.from(secret), { counter })
          const code = codeOf(createHmac(hash, secret).update(data).digest())
          const verdict = { outcome: 'good', counter: counter + 1 }
          expect(await hosts.hsm.checkOtp([device], { code })).toMatchObject(verdict)
        }
      }
    })

    it('of a hardware token decrypt to what ykgenerate put in, by ykparse, and are good once', async () => {
      const secret = randomBytes(16)
      const given = async (privateIdCheck: Buffer) =>
        otpDevice(hosts, 'otp-aes128', Buffer.from(secret), { device: 'hwkey_otp', privateIdCheck })
      const otp = execFileSync('ykgenerate', [secret.toString('hex'), '010203040506', '1234', '5678', '9a', 'bc'], {
        encoding: 'utf8',
      })
        .trim()
        .slice(-32)
      const block = Buffer.from(
        otp.replaceAll(/./g, (letter) => 'cbdefghijklnrtuv'.indexOf(letter).toString(16)),
        'hex',
      )
      const device = await given(await hosts.hsm.privateIdCheck(Buffer.from('010203040506', 'hex')))
      const { outcome, reading } = await hosts.hsm.checkOtp([device], { block })
      const parsed = execFileSync('ykparse', [secret.toString('hex'), otp], { encoding: 'utf8' })
      const whole = /Output:\s*([0-9a-f ]+)/.exec(parsed)?.[1]?.replaceAll(' ', '') ?? ''
      expect(whole.slice(0, 12)).toBe('010203040506')
      expect([outcome, reading.toString('hex')]).toEqual(['good', whole.slice(12)])

      const foreign = await given(await hosts.hsm.privateIdCheck(Buffer.from('010203040507', 'hex')))
      const without = await given(Buffer.alloc(0))
      for (const [bytes, of] of [
        [block, foreign],
        [block, without],
        [flipped(block, 3), device],
      ] as const)
        expect(await hosts.hsm.useOtp([of], { block: bytes })).toMatchObject({ outcome: 'wrong' })
      const short = hosts.hsm.useOtp([device], { block: block.subarray(1) })
      await expect(short).rejects.toMatchObject({ code: 'hsm.rejected' })
      for (const expected of ['good', 'used', 'used'])
        expect(await hosts.hsm.useOtp([device], { block })).toMatchObject({ outcome: expected })
    })
  })

  describe('signatures and randomness', () => {
    it('make key pairs on P-256 whose private half is a wrapped blob', async () => {
      const { publicKey, kek, blob } = await hosts.hsm.generatePair('ec-p256')
      expect(createPublicKey({ key: publicKey, format: 'der', type: 'spki' }).asymmetricKeyDetails).toEqual({
        namedCurve: 'prime256v1',
      })
      expect(kek).toBe('strict.v1')
      expect(blob.length % 8).toBe(0)
    })

    it('draw 1 to 65,536 random bytes', async () => {
      expect(await hosts.hsm.random(1)).toHaveLength(1)
      expect(await hosts.hsm.random(65_536)).toHaveLength(65_536)
      expect(await hosts.hsm.random(32)).not.toEqual(await hosts.hsm.random(32))
      for (const bytes of [0, -1, 65_537, 1.5, Number.NaN]) {
        await expect(hosts.hsm.random(bytes)).rejects.toMatchObject({ code: 'hsm.rejected' })
      }
    })
  })

  describe('the token', () => {
    it('passes every check of the conformance probe', async () => {
      for (const { state, token } of await hosts.hsm.status()) {
        expect(state).toBe('ready')
        expect(Object.keys(token?.conformance ?? {}).length).toBeGreaterThan(8)
        expect(new Set(Object.values(token?.conformance ?? {}))).toEqual(new Set(['passed']))
        // The token was reopened at most once, for the vault key that another host destroyed.
        expect([1, 2]).toContain(token?.epoch)
        expect(token?.objects.root).toHaveLength(8)
        expect(token?.mechanisms).toEqual(expect.arrayContaining(['AES_GCM', 'AES_KEY_WRAP', 'ECDSA', 'SHA256_HMAC']))
      }
    })
  })
})
