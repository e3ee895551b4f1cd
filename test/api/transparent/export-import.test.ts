import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { makeVault } from '../../support/vault.ts'
import { rsaAesUnwrap, rsaAesWrap } from '../../support/rsa-aes-wrap.ts'
import { base64, bytesOf, importBody, importJob, openIndependently, openssl, readKey } from './key-kit.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

const importPath = (name: string) => `/transparent/import/${vault.id}/${name}`
const recipient = generateKeyPairSync('rsa', { modulusLength: 2048 })
const p256 = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()
const pkcs8 = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'der' })
const exportPath = (name: string, publicKey?: string, version = '') =>
  `/transparent/export/${vault.id}/${name}${version && `/${version}`}${publicKey === undefined ? '' : `?public_key=${encodeURIComponent(publicKey)}`}`

type ExportedKey = Record<'name' | 'key_version' | 'type', string> & {
  readonly wrapped_key?: string
  readonly key?: string
}

async function exported(name: string, publicKey?: string, version?: string): Promise<readonly ExportedKey[]> {
  return (await vault.admin.must('GET', exportPath(name, publicKey, version)))['KEYS'] as ExportedKey[]
}

const unwrap = ({ wrapped_key = '' }: ExportedKey) =>
  rsaAesUnwrap(recipient.privateKey, Buffer.from(wrapped_key, 'base64'))

describe('GET /transparent/export/:vaultid/:name', () => {
  it.each(['aes128-gcm96', 'aes256-gcm96', 'aes128-ctr', 'aes256-ofb'])(
    'of %s: each version, unwrapped by OpenSSL, opens what it had encrypted',
    async (type) => {
      const name = `leaving-${type}`
      await vault.admin.must('POST', vault.keyPath(name), { type, allow_export: true })
      const ciphertexts = [await vault.encrypt(name, base64('one'))]
      await vault.admin.must('POST', `${vault.keyPath(name)}/rotate`)
      ciphertexts.push(await vault.encrypt(name, base64('two')))
      const der = recipient.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
      for (const publicKey of [pem(recipient.publicKey), der]) {
        const keys = await exported(name, publicKey)
        expect(keys).toEqual(
          ['1', '2'].map((key_version) => ({ name, key_version, type, wrapped_key: expect.any(String) })),
        )
        const texts = keys.map((key, n) => openIndependently(type, unwrap(key), ciphertexts[n] ?? '').toString())
        expect(texts).toEqual(['one', 'two'])
      }
      const [second] = await exported(name, pem(recipient.publicKey), '2')
      expect(second?.key_version).toBe('2')
      expectFault(await vault.admin.get(exportPath(name, pem(recipient.publicKey), '3')), 400, 1503)
      expectFault(await vault.admin.get(exportPath(name, pem(recipient.publicKey), 'x')), 400, 1804)
    },
  )

  it('of HMAC and pairs: the material makes the same, and fits the public key', async () => {
    await vault.admin.must('POST', vault.keyPath('mac'), { type: 'hmac-sha256', allow_export: true })
    const [mac] = await exported('mac', pem(recipient.publicKey))
    const { CALLINFO } = await vault.admin.must('POST', `/transparent/${vault.id}/hmac/mac`, { input: 'AAAA' })
    const hexkey = mac ? unwrap(mac).toString('hex') : ''
    const args = ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${hexkey}`, '-binary', 'input']
    expect(bytesOf(CALLINFO['hmac'])).toEqual(openssl(args, { input: Buffer.alloc(3) }))
    for (const type of ['ecdsa-p256', 'ecdsa-p384', 'rsa-2048']) {
      await vault.admin.must('POST', vault.keyPath(type), { type, allow_export: true })
      const [pair] = await exported(type, pem(recipient.publicKey))
      const { VERSIONS } = await readKey(vault.admin, vault.id, type)
      const derived = openssl(['pkey', '-inform', 'DER', '-in', 'key', '-pubout'], { key: pair ? unwrap(pair) : '' })
      expect(derived.toString()).toBe(VERSIONS[0]?.['public_key'])
    }
  })

  it('in plain needs allow_plaintext_export', async () => {
    await vault.admin.must('POST', vault.keyPath('open'), { allow_export: true, allow_plaintext_export: true })
    const ciphertext = await vault.encrypt('open', base64('plain'))
    const [key] = await exported('open')
    expect(key).toEqual({
      name: 'open',
      key_version: '1',
      type: 'aes128-gcm96',
      key: expect.stringMatching(/^[A-Za-z0-9+/]{22}==$/),
    })
    expect(openIndependently('aes128-gcm96', Buffer.from(key?.key ?? '', 'base64'), ciphertext).toString()).toBe(
      'plain',
    )
    expect((await exported('open', pem(recipient.publicKey)))[0]).not.toHaveProperty('key')
    await vault.admin.must('POST', vault.keyPath('wrapped-only'), { allow_export: true })
    const refused = await vault.admin.get(exportPath('wrapped-only'))
    expectFault(refused, 409, 1513)
    expect(refused.json.ERRORS).toEqual([expect.stringMatching(/allow_plaintext_export.*send public_key/)])
    expectFault(await vault.admin.get(exportPath('wrapped-only', undefined, '1')), 409, 1513)
    expectFault(await vault.admin.post(vault.keyPath('contradiction'), { allow_plaintext_export: true }), 409, 1510)
  })

  it('needs a key that is exportable: 409 1513, and Admin', async () => {
    await vault.encrypt('strict', 'AAAA')
    for (const path of [
      exportPath('strict', pem(recipient.publicKey)),
      exportPath('strict'),
      exportPath('strict', pem(recipient.publicKey), '1'),
    ])
      expectFault(await vault.admin.get(path), 409, 1513)
    await vault.admin.must('POST', vault.keyPath('closing'), { allow_export: true, allow_plaintext_export: true })
    for (const permission of ['Read', 'Write'] as const)
      expectFault(
        await (await vault.member(permission)).get(exportPath('closing', pem(recipient.publicKey))),
        403,
        1301,
      )
    await vault.admin.must('PUT', vault.keyPath('closing'), { allow_export: false })
    for (const path of [exportPath('closing', pem(recipient.publicKey)), exportPath('closing')])
      expectFault(await vault.admin.get(path), 409, 1513)
    expectFault(await vault.admin.get(exportPath('missing', pem(recipient.publicKey))), 404, 1500)
  })

  it('leaves disabled versions out', async () => {
    await vault.admin.must('POST', vault.keyPath('partial'), { allow_export: true })
    await vault.admin.must('POST', `${vault.keyPath('partial')}/rotate`)
    await vault.admin.must('PUT', `${vault.keyPath('partial')}/versions/1`, { enabled: false })
    expect((await exported('partial', pem(recipient.publicKey))).map(({ key_version }) => key_version)).toEqual(['2'])
    expectFault(await vault.admin.get(exportPath('partial', pem(recipient.publicKey), '1')), 409, 1509)
  })

  it('refuses what is no RSA public key of 2048 bits or more: 400 1804', async () => {
    await vault.admin.must('POST', vault.keyPath('careful'), { allow_export: true, allow_plaintext_export: true })
    const pss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 })
    const bad = [
      pem(p256().publicKey),
      pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey),
      pem(pss.publicKey),
      pem(generateKeyPairSync('ed25519').publicKey),
      recipient.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      recipient.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
      pkcs8(recipient.privateKey).toString('base64'),
      pem(recipient.publicKey).replace(/[A-Za-z]{8}/, 'AAAAAAAA'),
      pem(recipient.publicKey).slice(0, 200),
      appliance.ca,
      '-----BEGIN PUBLIC KEY-----',
      '-----',
      'garbage',
      '',
      'A'.repeat(4000),
    ]
    for (const publicKey of bad) expectFault(await vault.admin.get(exportPath('careful', publicKey)), 400, 1804)
  })
})

describe('POST /transparent/import_job/:vaultid/:name', () => {
  it('gives a public key that is signed with all that the job fixes, as OpenSSL finds by the key of the operator', async () => {
    const flags = { type: 'aes256-gcm96', info: 'né', allow_export: true }
    const { CALLINFO } = await vault.admin.must('POST', `/transparent/import_job/${vault.id}/signed`, flags)
    const statement = String(CALLINFO['statement'])
    const said: Record<string, unknown> = JSON.parse(statement)
    expect(said).toEqual({
      ...flags,
      import_job: CALLINFO['job'],
      vaultid: vault.id,
      name: 'signed',
      allow_plaintext_export: false,
      allow_backup: true,
      allow_delete: true,
      auto_rotate_period_ms: 0,
      expires: CALLINFO['expires'],
      public_key_der: CALLINFO['public_key_der'],
      key: expect.stringMatching(/^[0-9a-f]{16}$/),
    })
    const pinned = readFileSync(join(appliance.config.audit.directory, 'audit-public.pem'))
    expect(CALLINFO['signer']).toBe(pinned.toString())
    const verify = (text: string) =>
      openssl(['dgst', '-sha256', '-verify', 'key.pem', '-signature', 'job.sig', 'job.json'], {
        'key.pem': pinned,
        'job.sig': Buffer.from(String(CALLINFO['signature']), 'base64'),
        'job.json': text,
      }).toString()
    expect(verify(statement)).toBe('Verified OK\n')
    const substitute = recipient.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    expect(() => verify(JSON.stringify({ ...said, public_key_der: substitute }))).toThrow('openssl dgst')
  })
})

describe('POST /transparent/import/:vaultid/:name', () => {
  const bodyOf = (name: string, value: Uint8Array, policy: Readonly<Record<string, string | boolean | undefined>>) =>
    importBody(vault.admin, vault.id, name, value, policy)
  const post = (name: string, body: object) => vault.admin.post(importPath(name), body)

  it('takes an AES key with its flags as version 1; it rotates like any other', async () => {
    const key = randomBytes(32)
    const flags = { type: 'aes256-gcm96', info: 'brought along', allow_export: true, allow_delete: false }
    const { status, json } = await post('brought', await bodyOf('brought', key, flags))
    expect([status, json.CALLINFO['name']]).toEqual([201, 'brought'])
    const { KEYS } = await readKey(vault.admin, vault.id, 'brought')
    expect(KEYS[0]).toMatchObject({
      info: 'brought along',
      allow_export: 'true',
      allow_backup: 'true',
      allow_delete: 'false',
      key_version: '1',
    })
    const [back] = await exported('brought', pem(recipient.publicKey))
    expect(back && unwrap(back).equals(key)).toBe(true)
    await vault.admin.must('POST', `${vault.keyPath('brought')}/rotate`)
    const second = await vault.encrypt('brought', 'AAAA')
    expect(() => openIndependently('aes256-gcm96', key, second)).toThrow()
    await vault.admin.must('POST', `/transparent/restore/${vault.id}/brought-back`, {
      backup: ((await vault.admin.must('GET', `/transparent/backup/${vault.id}/brought`))['KEYS'] as { backup: string })
        .backup,
    })
    expect(await vault.decrypt('brought-back', second)).toBe('AAAA')
  })

  it('takes pairs as PKCS#8: what they sign is good under the public key from outside', async () => {
    const pairs = {
      'ecdsa-p256': p256(),
      'ecdsa-p384': generateKeyPairSync('ec', { namedCurve: 'P-384' }),
      'rsa-2048': generateKeyPairSync('rsa', { modulusLength: 2048 }),
      'rsa-3072': generateKeyPairSync('rsa', { modulusLength: 3072 }),
      'rsa-4096': generateKeyPairSync('rsa', { modulusLength: 4096 }),
    }
    for (const [type, { privateKey, publicKey }] of Object.entries(pairs)) {
      const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
      const body = await bodyOf(`brought-${type}`, pkcs8(privateKey), { type, public_key: spki })
      const answer = await post(`brought-${type}`, body)
      expect(answer.json.ERRORS ?? [], type).toEqual([])
      const { VERSIONS } = await readKey(vault.admin, vault.id, `brought-${type}`)
      expect(VERSIONS[0]?.['public_key']).toBe(pem(publicKey))
      const { CALLINFO } = await vault.admin.must('POST', `/transparent/${vault.id}/sign/brought-${type}`, {
        input: 'AAAA',
        ...(type.startsWith('rsa') ? { signature_algorithm: 'pkcs1v15' } : {}),
      })
      const files = { key: pem(publicKey), input: Buffer.alloc(3), signature: bytesOf(CALLINFO['signature']) }
      const hash = type === 'ecdsa-p384' ? '-sha384' : '-sha256'
      expect(openssl(['dgst', hash, '-verify', 'key', '-signature', 'signature', 'input'], files).toString()).toContain(
        'Verified OK',
      )
    }
  })

  it('refuses a pair whose public key is another one, is missing, or is none: no key is made', async () => {
    const [one, other] = [p256(), p256()]
    const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'der' }).toString('base64')
    const value = pkcs8(one.privateKey)
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
    for (const public_key of [
      undefined,
      spki(other.publicKey),
      spki(p384.publicKey),
      spki(recipient.publicKey),
      base64(randomBytes(91)),
    ])
      expectFault(
        await post('mismatch', await bodyOf('mismatch', value, { type: 'ecdsa-p256', public_key })),
        400,
        1516,
      )
    expectFault(
      await post('mismatch', await bodyOf('mismatch', value, { type: 'ecdsa-p256', public_key: '*' })),
      400,
      1804,
    )
    for (const type of ['ecdsa-p384', 'rsa-2048'])
      expectFault(
        await post('mismatch', await bodyOf('mismatch', value, { type, public_key: spki(one.publicKey) })),
        400,
        1516,
      )
    expectFault(await vault.admin.get(vault.keyPath('mismatch')), 404, 1500)
  })

  it('refuses values of another length, or that are no private key: 400 1516', async () => {
    const lengths: readonly (readonly [string, readonly number[]])[] = [
      ['aes128-gcm96', [15, 17, 24, 32]],
      ['aes256-gcm96', [16, 24, 31, 33]],
      ['aes256-ctr', [16, 64]],
      ['aes128-ofb', [32]],
      ['ecdsa-p256', [32, 121]],
      ['hmac-sha256', [31, 33, 64]],
      ['rsa-2048', [256]],
    ]
    for (const [type, sizes] of lengths) {
      const { job, publicKey } = await importJob(vault.admin, vault.id, 'misfit', { type })
      for (const size of sizes) {
        const wrapped_key = base64(rsaAesWrap(publicKey, randomBytes(size)))
        expectFault(await post('misfit', { job, wrapped_key }), 400, 1516)
      }
    }
    expectFault(await vault.admin.get(vault.keyPath('misfit')), 404, 1500)
  })

  it('refuses what was altered, is wrapped to another key, or not wrapped at all: 400 1516', async () => {
    const { job, publicKey } = await importJob(vault.admin, vault.id, 'altered', {})
    const wrapped = rsaAesWrap(publicKey, randomBytes(16))
    const bad = [
      randomBytes(16),
      Buffer.alloc(0),
      Buffer.alloc(wrapped.length),
      wrapped.subarray(1),
      wrapped.subarray(0, -1),
      wrapped.subarray(0, -8),
      Buffer.concat([wrapped, Buffer.alloc(8)]),
    ]
    bad.push(rsaAesWrap(recipient.publicKey.export({ type: 'spki', format: 'der' }), randomBytes(16)))
    for (let at = 0; at < wrapped.length; at += 23) {
      const altered = Buffer.from(wrapped)
      altered.writeUInt8(altered.readUInt8(at) ^ 1, at)
      bad.push(altered)
    }
    for (const one of bad) expectFault(await post('altered', { job, wrapped_key: base64(one) }), 400, 1516)
    for (const wrapped_key of ['*', null, 7, undefined])
      expectFault(await post('altered', { job, wrapped_key }), 400, 1804)
    expectFault(await vault.admin.get(vault.keyPath('altered')), 404, 1500)
    expect((await post('altered', { job, wrapped_key: base64(wrapped) })).status).toBe(201)
  })

  const jobPath = (name: string) => `/transparent/import_job/${vault.id}/${name}`

  it('needs Write and a free name', async () => {
    const body = await bodyOf('accepted', randomBytes(16), {})
    const [reader, writer] = [await vault.member('Read'), await vault.member('Write')]
    expectFault(await reader.post(importPath('accepted'), body), 403, 1301)
    expectFault(await post('altered', body), 409, 1501)
    expect((await writer.post(importPath('accepted'), body)).status).toBe(201)
    expectFault(await reader.post(jobPath('refused'), {}), 403, 1301)
    expectFault(await writer.post(jobPath('accepted'), {}), 409, 1501)
  })

  it('needs a job, and says how to get one: 409 1518', async () => {
    const { wrapped_key } = await bodyOf('jobless', randomBytes(16), {})
    for (const job of [undefined, '', 'ab'.repeat(16)]) {
      const answer = await post('jobless', { job, wrapped_key })
      expectFault(answer, 409, 1518)
      expect(answer.json.ERRORS).toEqual([expect.stringContaining('the call import_job makes one')])
    }
    expectFault(await vault.admin.get(vault.keyPath('jobless')), 404, 1500)
  })

  it('has a job for a type that there is, in the database, with flags that fit each other', async () => {
    const jobFault = async (body: object, status: number, number: number) =>
      expectFault(await vault.admin.post(jobPath('refused'), body), status, number)
    await jobFault({ type: 'aes192-gcm96' }, 400, 1502)
    await jobFault({ residency: 'token', allow_backup: false }, 400, 1511)
    await jobFault({ allow_plaintext_export: true }, 409, 1510)
  })

  it('wraps to a public key of 3072 bits that no other job has, as PEM and DER, for a day', async () => {
    const jobs = [
      await vault.admin.must('POST', jobPath('one'), {}),
      await vault.admin.must('POST', jobPath('one'), {}),
    ].map(({ CALLINFO }) => CALLINFO)
    for (const { public_key, public_key_der, expires } of jobs) {
      const text = openssl(['pkey', '-pubin', '-in', 'key', '-noout', '-text'], { key: String(public_key) })
      expect(text.toString()).toMatch(/Public-Key: \(3072 bit\)/)
      expect(() => createPrivateKey(String(public_key))).toThrow()
      expect(pem(createPublicKey(String(public_key)))).toBe(public_key)
      const der = createPublicKey(String(public_key)).export({ type: 'spki', format: 'der' })
      expect(der.toString('base64')).toBe(public_key_der)
      const hours = (Date.parse(String(expires)) - Date.now()) / 3_600_000
      expect(Math.round(hours)).toBe(24)
    }
    expect(new Set(jobs.map(({ public_key }) => public_key)).size).toBe(2)
    expect(new Set(jobs.map(({ job }) => job)).size).toBe(2)
  })

  it('leaves no job in the way of a vault that is deleted', async () => {
    const short = await makeVault(appliance, 'Short')
    await importJob(short.admin, short.id, 'never', {})
    await short.admin.must('DELETE', `/vault/${short.id}`)
    const left = await appliance.store.query('SELECT id FROM import_jobs WHERE vault_id = $1', [short.id])
    expect(left).toEqual([])
  })
})
