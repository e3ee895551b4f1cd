import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { base64, bytesOf, flipped, openssl, readKey } from './key-kit.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

const call = (verb: string, name: string, body: object) =>
  vault.admin.post(`/transparent/${vault.id}/${verb}/${name}`, body)
const types = ['ecdsa-p256', 'ecdsa-p384', 'ed25519', 'rsa-2048', 'rsa-3072', 'rsa-4096']
const input = base64('a text to sign')
const hashes = { 'sha2-256': 'sha256', 'sha2-384': 'sha384', 'sha2-512': 'sha512' } as const
type HashName = keyof typeof hashes

async function sign(name: string, more: object = {}): Promise<string> {
  const { json } = await call('sign', name, { input, ...more })
  expect(json.ERRORS ?? []).toEqual([])
  return String(json.CALLINFO['signature'])
}

async function isGood(name: string, signature: string, more: object = {}): Promise<unknown> {
  const { status, json } = await call('verify', name, { input, signature, ...more })
  expect([status, json.ERRORS ?? []]).toEqual([200, []])
  return json.CALLINFO['valid']
}

const digest = (hash: HashName) =>
  openssl(['dgst', `-${hashes[hash]}`, '-binary', 'text'], { text: Buffer.from(input, 'base64') })

/** Whether openssl accepts the signature, with the public key that the interface shows. */
async function opensslFindsGood(name: string, signature: Buffer, options: readonly string[]): Promise<boolean> {
  const { VERSIONS } = await readKey(vault.admin, vault.id, name)
  const files = { key: VERSIONS.at(-1)?.['public_key'] ?? '', text: Buffer.from(input, 'base64'), signature }
  try {
    const printed = openssl(
      ['pkeyutl', '-verify', '-pubin', '-inkey', 'key', '-sigfile', 'signature', '-rawin', '-in', 'text', ...options],
      files,
    )
    return printed.toString().includes('Verified Successfully')
  } catch {
    return false
  }
}

beforeAll(async () => {
  for (const type of types)
    await vault.admin.must('POST', vault.keyPath(type), { type, ...(type === 'ed25519' ? { residency: 'token' } : {}) })
})

describe('POST /transparent/:vaultid/sign/:name', () => {
  it.each(types)('%s: answers in full, and verifies what it signed', async (type) => {
    const { status, json } = await call('sign', type, { input })
    expect(status).toBe(200)
    expect(json.CALLINFO).toEqual({
      errorcodes: 0,
      errors: 0,
      general: [],
      handler: 'EncryptionHandler',
      status: 'SUCCESS',
      token: vault.admin.token,
      signature: expect.stringMatching(/^service:v1:[A-Za-z0-9+/]+=*$/),
      key_version: '1',
      name: type,
      objectid: expect.stringMatching(/^\d+$/),
    })
    const signature = String(json.CALLINFO['signature'])
    expect(await isGood(type, signature)).toBe(true)
    expect(await isGood(type, signature, { input: base64('another text') })).toBe(false)
  })

  it('ECDSA as ASN.1 is found good by openssl, with every hash', async () => {
    for (const type of ['ecdsa-p256', 'ecdsa-p384'])
      for (const hash_algorithm of Object.keys(hashes) as HashName[]) {
        const signature = await sign(type, { hash_algorithm })
        expect(await opensslFindsGood(type, bytesOf(signature), ['-digest', hashes[hash_algorithm]])).toBe(true)
        expect(await isGood(type, signature, { hash_algorithm })).toBe(true)
      }
  })

  it('the default hash is as strong as the key', async () => {
    for (const [type, hash, options] of [
      ['ecdsa-p256', 'sha256', []],
      ['ecdsa-p384', 'sha384', []],
      ['rsa-2048', 'sha256', ['-pkeyopt', 'rsa_padding_mode:pss', '-pkeyopt', 'rsa_pss_saltlen:digest']],
    ] as const)
      expect(await opensslFindsGood(type, bytesOf(await sign(type)), ['-digest', hash, ...options])).toBe(true)
  })

  it('ECDSA as JWS is r ‖ s, and each form is good in its own only', async () => {
    for (const [type, bytes] of [
      ['ecdsa-p256', 64],
      ['ecdsa-p384', 96],
    ] as const) {
      const jws = await sign(type, { marshaling_algorithm: 'jws' })
      const asn1 = await sign(type)
      expect(bytesOf(jws)).toHaveLength(bytes)
      expect(bytesOf(asn1)[0]).toBe(0x30)
      expect(await isGood(type, jws, { marshaling_algorithm: 'jws' })).toBe(true)
      expect(await isGood(type, jws)).toBe(false)
      expect(await isGood(type, asn1, { marshaling_algorithm: 'jws' })).toBe(false)
    }
  })

  it('Ed25519 is found good by openssl', async () => {
    expect(await opensslFindsGood('ed25519', bytesOf(await sign('ed25519')), [])).toBe(true)
    expectFault(await call('sign', 'ed25519', { input, prehashed: true }), 400, 1804)
  })

  it.each(['rsa-2048', 'rsa-3072', 'rsa-4096'])(
    '%s: PSS and PKCS#1 v1.5 are found good by openssl, with every hash',
    async (type) => {
      for (const hash_algorithm of Object.keys(hashes) as HashName[]) {
        const hash = ['-digest', hashes[hash_algorithm]]
        const pss = await sign(type, { hash_algorithm, signature_algorithm: 'pss' })
        const saltOfDigest = ['-pkeyopt', 'rsa_padding_mode:pss', '-pkeyopt', 'rsa_pss_saltlen:digest']
        expect(await opensslFindsGood(type, bytesOf(pss), [...hash, ...saltOfDigest])).toBe(true)
        const pkcs1 = await sign(type, { hash_algorithm, signature_algorithm: 'pkcs1v15' })
        expect(await opensslFindsGood(type, bytesOf(pkcs1), hash)).toBe(true)
        expect(await isGood(type, pss, { hash_algorithm })).toBe(true)
        expect(await isGood(type, pkcs1, { hash_algorithm, signature_algorithm: 'pkcs1v15' })).toBe(true)
        expect(await isGood(type, pkcs1, { hash_algorithm })).toBe(false)
        expect(await isGood(type, pss, { hash_algorithm, signature_algorithm: 'pkcs1v15' })).toBe(false)
      }
    },
  )

  it('a prehashed input is the digest of the text, and must have its length', async () => {
    for (const type of types.filter((one) => one !== 'ed25519'))
      for (const hash_algorithm of Object.keys(hashes) as HashName[]) {
        const prehashed = { input: base64(digest(hash_algorithm)), prehashed: true, hash_algorithm }
        expect(await isGood(type, await sign(type, prehashed), { hash_algorithm })).toBe(true)
        expect(await isGood(type, await sign(type, { hash_algorithm }), prehashed)).toBe(true)
        const short = { ...prehashed, input: base64(digest(hash_algorithm).subarray(1)) }
        expectFault(await call('sign', type, short), 400, 1804)
        expectFault(await call('verify', type, { ...short, signature: await sign(type) }), 400, 1804)
      }
  })

  it('signs nothing and a megabyte', async () => {
    for (const text of ['', base64(Buffer.alloc(1_048_576))])
      for (const type of ['ecdsa-p256', 'ed25519', 'rsa-2048'])
        expect(await isGood(type, await sign(type, { input: text }), { input: text })).toBe(true)
  })

  it('refuses members of the wrong kind: 400 1804', async () => {
    for (const bad of [
      { input: '*' },
      { input: null },
      { hash_algorithm: 'md5' },
      { hash_algorithm: 'sha1' },
      { signature_algorithm: 'none' },
      { marshaling_algorithm: 'xml' },
      { prehashed: 'perhaps' },
      { key_version: 0 },
    ])
      expectFault(await call('sign', 'rsa-2048', { input, ...bad }), 400, 1804)
    expectFault(await call('sign', 'ecdsa-p256', { input, signature_algorithm: 'pss' }), 400, 1804)
    expectFault(await call('sign', 'rsa-2048', {}), 400, 1804)
    expectFault(await call('sign', 'missing', { input }), 404, 1500)
  })
})

describe('POST /transparent/:vaultid/verify/:name', () => {
  it.each(types)('%s: a changed signature is not good, whatever the bit', async (type) => {
    const signature = await sign(type)
    const bits = bytesOf(signature).length * 8
    for (let bit = 0; bit < bits; bit += type.startsWith('rsa') ? 61 : 7)
      expect(await isGood(type, flipped(signature, bit)), `bit ${bit}`).toBe(false)
  })

  it.each(types)('%s: one of another length is not good, and no error', async (type) => {
    const bytes = bytesOf(await sign(type))
    const others = [
      Buffer.of(0),
      bytes.subarray(1),
      bytes.subarray(0, -1),
      Buffer.concat([bytes, Buffer.of(0)]),
      Buffer.concat([bytes, bytes]),
      Buffer.alloc(bytes.length),
      Buffer.alloc(bytes.length, 255),
      Buffer.alloc(2000, 0x30),
    ]
    for (const other of others) {
      expect(await isGood(type, `service:v1:${base64(other)}`)).toBe(false)
      if (type.startsWith('ecdsa'))
        expect(await isGood(type, `service:v1:${base64(other)}`, { marshaling_algorithm: 'jws' })).toBe(false)
    }
    expect(await isGood(type, 'service:v1:')).toBe(false)
  })

  it('belongs to one key, and to one version of it', async () => {
    await vault.admin.must('POST', vault.keyPath('turning'), { type: 'ecdsa-p256' })
    const first = await sign('turning')
    await vault.admin.must('POST', `${vault.keyPath('turning')}/rotate`)
    const second = await sign('turning')
    expect([first.slice(0, 11), second.slice(0, 11)]).toEqual(['service:v1:', 'service:v2:'])
    expect(await sign('turning', { key_version: 1 })).toMatch(/^service:v1:/)
    expect([await isGood('turning', first), await isGood('turning', second)]).toEqual([true, true])
    expect(await isGood('turning', first.replace('v1', 'v2'))).toBe(false)
    expect(await isGood('ecdsa-p256', first)).toBe(false)
    expectFault(await call('verify', 'turning', { input, signature: first.replace('v1', 'v3') }), 400, 1503)
    expectFault(await call('sign', 'turning', { input, key_version: 3 }), 400, 1503)
    const { VERSIONS } = await readKey(vault.admin, vault.id, 'turning')
    expect(new Set(VERSIONS.map(({ public_key }) => public_key)).size).toBe(2)
  })

  it('refuses what has not the form of a signature: 400 1517', async () => {
    const signature = await sign('ecdsa-p256')
    for (const bad of [
      '',
      'x',
      bytesOf(signature).toString('base64'),
      'service:v0:AAAA',
      `${signature}=`,
      `${signature} `,
    ])
      expectFault(await call('verify', 'ecdsa-p256', { input, signature: bad }), 400, 1517)
    for (const body of [{ input }, { signature }, { input, signature: null }, { input: '*', signature }])
      expectFault(await call('verify', 'ecdsa-p256', body), 400, 1804)
  })
})

describe('PUT /transparent/:vaultid/settings', () => {
  it('says who may sign, at once; verifying takes Read always', async () => {
    const clients = { Read: await vault.member('Read'), Write: await vault.member('Write'), Admin: vault.admin }
    const path = `/transparent/${vault.id}/sign/ecdsa-p256`
    const allowed = async () => {
      const statuses = await Promise.all(
        Object.values(clients).map(async (client) => (await client.post(path, { input })).status),
      )
      return statuses.join(' ')
    }
    expect(await allowed()).toBe('403 200 200')
    for (const [signing_permission, expected] of [
      ['Admin', '403 403 200'],
      ['Read', '200 200 200'],
      ['Write', '403 200 200'],
    ]) {
      const { CALLINFO } = await vault.admin.must('PUT', `/transparent/${vault.id}/settings`, { signing_permission })
      expect(CALLINFO).toMatchObject({ signing_permission, create_on_encrypt: true })
      expect(await allowed()).toBe(expected)
    }
    expectFault(await clients.Read.post(path, { input }), 403, 1301)
    const signature = await sign('ecdsa-p256')
    const verified = await clients.Read.post(`/transparent/${vault.id}/verify/ecdsa-p256`, { input, signature })
    expect(verified.json.CALLINFO['valid']).toBe(true)
  })

  it('switches the making of keys on first use, at once', async () => {
    const path = `/transparent/${vault.id}/settings`
    await vault.admin.must('PUT', path, { create_on_encrypt: false })
    expectFault(await call('encrypt', 'unmade', { plaintext: 'AAAA' }), 404, 1500)
    expectFault(await call('encrypt', 'unmade', { batch_input: [{ plaintext: 'AAAA' }] }), 404, 1500)
    await vault.admin.must('POST', vault.keyPath('made'))
    expect((await call('encrypt', 'made', { plaintext: 'AAAA' })).status).toBe(201)
    await vault.admin.must('PUT', path, { create_on_encrypt: true })
    expect((await call('encrypt', 'unmade', { plaintext: 'AAAA' })).status).toBe(201)
  })

  it('needs Admin, and values that mean something', async () => {
    const path = `/transparent/${vault.id}/settings`
    expectFault(
      await (await vault.member('Write')).call('PUT', path, { body: { create_on_encrypt: false } }),
      403,
      1301,
    )
    for (const body of [
      { signing_permission: 'None' },
      { signing_permission: 4 },
      { create_on_encrypt: 'perhaps' },
      { create_on_encrypt: null },
    ])
      expectFault(await vault.admin.call('PUT', path, { body }), 400, 1804)
  })
})
