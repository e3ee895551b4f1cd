import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { base64, bytesOf, flipped, importBody, openIndependently, openssl, readKey } from './key-kit.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

const path = (verb: string, name: string) => `/transparent/${vault.id}/${verb}/${name}`
const must = async (verb: string, name: string, body: object) =>
  (await vault.admin.must('POST', path(verb, name), body)).CALLINFO

const ciphers = ['aes128-gcm96', 'aes256-gcm96', 'aes128-ctr', 'aes256-ctr', 'aes128-ofb', 'aes256-ofb']
const aead = ciphers.slice(0, 2)
const signers = ['ecdsa-p256', 'ecdsa-p384', 'ed25519', 'rsa-2048', 'rsa-3072', 'rsa-4096']
const all = [...ciphers, 'hmac-sha256', ...signers]

beforeAll(async () => {
  // SoftHSM2 cannot wrap Ed25519 keys, but can store them.
  const residency = (type: string) => (type === 'ed25519' ? { residency: 'token' } : {})
  for (const type of all) await must('keys', type, { type, ...residency(type) })
})

describe('GET /transparent/types', () => {
  it('says of every type what it does, and what this token makes of it', async () => {
    const { TYPES } = (await vault.admin.must('GET', '/transparent/types')) as unknown as {
      TYPES: Record<string, string>[]
    }
    expect(TYPES.map(({ type }) => type)).toEqual(all)
    for (const row of TYPES) {
      const { type = '' } = row
      const isOnlyResident = type === 'ed25519'
      expect(row).toEqual({
        type,
        available: String(!isOnlyResident),
        available_in_token: 'true',
        ...(isOnlyResident ? { missing_mechanism: expect.stringMatching(/^\w[\w ]+/) } : {}),
        supports_encryption: String(ciphers.includes(type)),
        supports_aad: String(aead.includes(type)),
        supports_signing: String(signers.includes(type)),
        supports_hmac: String(type === 'hmac-sha256'),
      })
    }
  })

  it('needs a session and no vault', async () => {
    expectFault(await appliance.client().get('/transparent/types'), 403, 1200)
    expect((await (await appliance.login()).get('/transparent/types')).status).toBe(200)
  })
})

describe('a key of each type', () => {
  it.each(all)('%s is read back as it was made, with a public key where there is one', async (type) => {
    const { KEYS, VERSIONS } = await readKey(vault.admin, vault.id, type)
    expect(KEYS[0]).toMatchObject({
      name: type,
      type,
      key_version: '1',
      supports_signing: String(signers.includes(type)),
    })
    expect(VERSIONS).toHaveLength(1)
    expect(VERSIONS[0]).toMatchObject({ key_version: '1', enabled: 'true' })
    if (!signers.includes(type)) return expect(VERSIONS[0]).not.toHaveProperty('public_key')
    const text = openssl(['pkey', '-pubin', '-in', 'key', '-noout', '-text'], {
      key: VERSIONS[0]?.['public_key'] ?? '',
    })
    const words = { 'ecdsa-p256': 'prime256v1', 'ecdsa-p384': 'secp384r1', ed25519: 'ED25519' }[type]
    expect(text.toString()).toContain(words ?? `${type.slice(4)} bit`)
  })

  it.each(ciphers)('%s encrypts, with all of its format', async (type) => {
    const { ciphertext } = await must('encrypt', type, { plaintext: base64('twelve bytes') })
    expect(bytesOf(ciphertext)).toHaveLength(12 + (aead.includes(type) ? 12 + 16 : 16))
    expect(await vault.decrypt(type, String(ciphertext))).toBe(base64('twelve bytes'))
  })

  it.each(all.filter((type) => !ciphers.includes(type)))('%s does not encrypt: 400 1508', async (type) => {
    const ciphertext = `service:v1:${base64(randomBytes(64))}`
    expectFault(await vault.admin.post(path('encrypt', type), { plaintext: 'AAAA' }), 400, 1508)
    expectFault(await vault.admin.post(path('encrypt', 'first-use'), { plaintext: 'AAAA', type }), 400, 1508)
    expectFault(await vault.admin.post(path('decrypt', type), { ciphertext }), 400, 1508)
    expectFault(await vault.admin.post(`/transparent/rewrap/${vault.id}/${type}`, { ciphertext }), 400, 1508)
    expectFault(await vault.admin.post(path('datakey/wrapped', type), {}), 400, 1508)
    const batch_input = [{ plaintext: 'AAAA' }, { plaintext: 'AAAA' }]
    expectFault(await vault.admin.post(path('encrypt', type), { batch_input }), 400, 1508)
    expectFault(await vault.admin.get(path('keys', 'first-use')), 404, 1500)
  })

  it.each(all.filter((type) => !signers.includes(type)))('%s does not sign: 400 1508', async (type) => {
    const signature = `service:v1:${base64(randomBytes(64))}`
    expectFault(await vault.admin.post(path('sign', type), { input: 'AAAA' }), 400, 1508)
    expectFault(await vault.admin.post(path('verify', type), { input: 'AAAA', signature }), 400, 1508)
  })

  it.each(all.filter((type) => type !== 'hmac-sha256'))('%s makes no HMAC: 400 1508', async (type) => {
    const hmac = `service:v1:${base64(randomBytes(32))}`
    expectFault(await vault.admin.post(path('hmac', type), { input: 'AAAA' }), 400, 1508)
    expectFault(await vault.admin.post(path('verify', type), { input: 'AAAA', hmac }), 400, 1508)
  })

  it('that does not exist is refused, with the names of those that do: 400 1502', async () => {
    for (const type of ['aes128-ecb', 'AES128-GCM96', '', 'constructor', '__proto__', 'toString']) {
      const answer = await vault.admin.post(path('keys', 'unknown'), { type })
      expectFault(answer, 400, 1502)
      for (const known of all) expect(answer.json.ERRORS?.[0]).toContain(known)
    }
    for (const type of [null, 1, ['aes128-gcm96']])
      expectFault(await vault.admin.post(path('keys', 'unknown'), { type }), 400, 1804)
    expectFault(await vault.admin.get(path('keys', 'unknown')), 404, 1500)
  })

  it('that the token cannot wrap is refused with the name of what it lacks, and leaves no key', async () => {
    const answer = await vault.admin.post(path('keys', 'lacking'), { type: 'ed25519' })
    expectFault(answer, 400, 1904)
    const { TYPES } = (await vault.admin.must('GET', '/transparent/types')) as unknown as {
      TYPES: Record<string, string>[]
    }
    const lacking = TYPES.find(({ type }) => type === 'ed25519')?.['missing_mechanism'] ?? 'nothing'
    expect(answer.json.ERRORS?.[0]).toContain(lacking)
    expectFault(await vault.admin.get(path('keys', 'lacking')), 404, 1500)
  })
})

describe('what others read', () => {
  const sizes = [0, 1, 15, 16, 17, 31, 32, 33, 4096, 65_536, 1_048_576]

  it.each(ciphers)('%s: every ciphertext is opened by OpenSSL with the imported key', async (type) => {
    const key = randomBytes(type.includes('128') ? 16 : 32)
    const name = `known-${type}`
    await vault.admin.must(
      'POST',
      `/transparent/import/${vault.id}/${name}`,
      await importBody(vault.admin, vault.id, name, key, { type }),
    )
    for (const size of sizes) {
      const plaintext = randomBytes(size)
      const ciphertext = await vault.encrypt(name, base64(plaintext))
      expect(openIndependently(type, key, ciphertext).equals(plaintext), `${size} bytes`).toBe(true)
    }
    if (!aead.includes(type)) return
    const aad = randomBytes(33)
    const bound = await vault.encrypt(name, base64('bound'), { aad: base64(aad) })
    expect(openIndependently(type, key, bound, aad).toString()).toBe('bound')
    expect(() => openIndependently(type, key, bound)).toThrow()
  })

  it('an HMAC is the one that openssl makes', async () => {
    const key = randomBytes(32)
    const body = await importBody(vault.admin, vault.id, 'known-hmac', key, { type: 'hmac-sha256' })
    await vault.admin.must('POST', `/transparent/import/${vault.id}/known-hmac`, body)
    for (const size of [0, 1, 63, 64, 65, 10_000]) {
      const input = randomBytes(size)
      const { hmac } = await must('hmac', 'known-hmac', { input: base64(input) })
      const args = ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${key.toString('hex')}`, '-binary', 'input']
      expect(bytesOf(hmac)).toEqual(openssl(args, { input }))
    }
  })
})

describe('any data', () => {
  const edges = [0, 1, 15, 16, 17, 31, 32, 33, 255, 256, 257, 4095, 4096]
  const data = fc.oneof(
    fc.uint8Array({ maxLength: 4096, size: 'max' }),
    fc.constantFrom(...edges).chain((length) => fc.uint8Array({ minLength: length, maxLength: length, size: 'max' })),
  )

  it.each(ciphers)('%s: comes back as it was', async (type) => {
    await fc.assert(
      fc.asyncProperty(data, async (bytes) => {
        const plaintext = base64(bytes)
        expect(await vault.decrypt(type, await vault.encrypt(type, plaintext))).toBe(plaintext)
      }),
      { numRuns: 60 },
    )
    for (const size of [65_535, 65_537, 1_048_575, 1_048_576]) {
      const plaintext = base64(randomBytes(size))
      expect((await vault.decrypt(type, await vault.encrypt(type, plaintext))) === plaintext).toBe(true)
    }
  })

  it.each(aead)('%s: every single bit that changes is noticed', async (type) => {
    const ciphertext = await vault.encrypt(type, base64('seventeen bytes..'))
    const bits = bytesOf(ciphertext).length * 8
    expect(bits).toBe((12 + 17 + 16) * 8)
    const batch_input = Array.from({ length: bits }, (_, bit) => ({ ciphertext: flipped(ciphertext, bit) }))
    const { batch_results } = await must('decrypt', type, { batch_input })
    const codes = (batch_results as { error?: { code: string } }[]).map(({ error }) => error?.code)
    expect(codes).toEqual(batch_input.map(() => '1507'))
    await fc.assert(
      fc.asyncProperty(data, fc.nat(), async (bytes, anywhere) => {
        const sealed = await vault.encrypt(type, base64(bytes))
        const altered = flipped(sealed, anywhere % (bytesOf(sealed).length * 8))
        expectFault(await vault.admin.post(path('decrypt', type), { ciphertext: altered }), 400, 1507)
      }),
      { numRuns: 40 },
    )
  })

  it.each(ciphers.filter((type) => !aead.includes(type)))(
    '%s: too short for its IV is refused: 400 1506',
    async (type) => {
      for (const bytes of [1, 15])
        expectFault(
          await vault.admin.post(path('decrypt', type), { ciphertext: `service:v1:${base64(randomBytes(bytes))}` }),
          400,
          1506,
        )
    },
  )
})
