import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { base64, flipped, importBody, openIndependently } from './key-kit.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

const path = (name: string) => `/transparent/rewrap/${vault.id}/${name}`
const rewrap = (name: string, body: object) => vault.admin.post(path(name), body)

describe('POST /transparent/rewrap/:vaultid/:name', () => {
  it('encrypts anew under the latest version, shows no plaintext, and leaves the old ciphertext good', async () => {
    const old = await vault.encrypt('turned', base64('the secret itself'))
    const { CALLINFO: created } = await vault.admin.must('POST', `${vault.keyPath('turned')}/rotate`)
    const { status, json } = await rewrap('turned', { ciphertext: old })
    expect(status).toBe(200)
    expect(json.CALLINFO).toEqual({
      errorcodes: 0,
      errors: 0,
      general: [],
      handler: 'EncryptionHandler',
      status: 'SUCCESS',
      token: vault.admin.token,
      key_version: '2',
      ciphertext: expect.stringMatching(/^service:v2:/),
      name: 'turned',
      objectid: created['objectid'],
    })
    expect(JSON.stringify(json)).not.toContain(base64('the secret itself'))
    for (const ciphertext of [old, String(json.CALLINFO['ciphertext'])])
      expect(await vault.decrypt('turned', ciphertext)).toBe(base64('the secret itself'))
  })

  it('to the same version gives another ciphertext of the same text', async () => {
    const old = await vault.encrypt('turned', 'AAAA')
    const { CALLINFO } = await vault.admin.must('POST', path('turned'), { ciphertext: old })
    expect(CALLINFO['ciphertext']).not.toBe(old)
    expect(await vault.decrypt('turned', String(CALLINFO['ciphertext']))).toBe('AAAA')
  })

  it('takes a version, back or forth, and refuses one that is not there', async () => {
    const second = await vault.encrypt('turned', 'AAAA')
    for (const to_version of [1, '1', 2, '2']) {
      const { CALLINFO } = await vault.admin.must('POST', path('turned'), { ciphertext: second, to_version })
      expect(CALLINFO['key_version']).toBe(String(to_version))
      expect(await vault.decrypt('turned', String(CALLINFO['ciphertext']))).toBe('AAAA')
    }
    expectFault(await rewrap('turned', { ciphertext: second, to_version: 3 }), 400, 1503)
    for (const to_version of [0, -1, '01', 'latest', null, 1.5])
      expectFault(await rewrap('turned', { ciphertext: second, to_version }), 400, 1804)
  })

  it('keeps the aad', async () => {
    const bound = await vault.encrypt('turned', 'AAAA', { aad: 'Ym91bmQ=', key_version: 1 })
    expectFault(await rewrap('turned', { ciphertext: bound }), 400, 1507)
    expectFault(await rewrap('turned', { ciphertext: bound, aad: 'b3RoZXI=' }), 400, 1507)
    const { CALLINFO } = await vault.admin.must('POST', path('turned'), { ciphertext: bound, aad: 'Ym91bmQ=' })
    const { ciphertext } = CALLINFO
    const decryptPath = `/transparent/${vault.id}/decrypt/turned`
    expectFault(await vault.admin.post(decryptPath, { ciphertext }), 400, 1507)
    expect((await vault.admin.must('POST', decryptPath, { ciphertext, aad: 'Ym91bmQ=' })).CALLINFO['plaintext']).toBe(
      'AAAA',
    )
  })

  it.each(['aes128-gcm96', 'aes256-gcm96', 'aes128-ctr', 'aes256-ctr', 'aes128-ofb', 'aes256-ofb'])(
    'of %s is opened by OpenSSL',
    async (type) => {
      const key = randomBytes(type.includes('128') ? 16 : 32)
      await vault.admin.must(
        'POST',
        `/transparent/import/${vault.id}/${type}`,
        await importBody(vault.admin, vault.id, type, key, { type }),
      )
      for (const size of [0, 1, 16, 1000, 100_000]) {
        const plaintext = randomBytes(size)
        const { CALLINFO } = await vault.admin.must('POST', path(type), {
          ciphertext: await vault.encrypt(type, base64(plaintext)),
        })
        expect(openIndependently(type, key, String(CALLINFO['ciphertext'])).equals(plaintext)).toBe(true)
      }
    },
  )

  it('reads the prefix of the published service, and writes its own', async () => {
    const old = (await vault.encrypt('turned', 'AAAA')).replace('service:', 'storedsafe:')
    const { CALLINFO } = await vault.admin.must('POST', path('turned'), { ciphertext: old })
    expect(CALLINFO['ciphertext']).toMatch(/^service:v2:/)
  })

  it('refuses what was changed, malformed or missing', async () => {
    const ciphertext = await vault.encrypt('turned', 'AAAA')
    for (const bit of [0, 95, 96, 119, 120, 247])
      expectFault(await rewrap('turned', { ciphertext: flipped(ciphertext, bit) }), 400, 1507)
    for (const bad of ['', 'x', 'service:v2:', 'service:v0:AAAA', `${ciphertext}=`, ciphertext.slice(0, 40)])
      expectFault(await rewrap('turned', { ciphertext: bad }), 400, 1506)
    for (const body of [{}, { ciphertext: null }, { ciphertext: 7 }, { ciphertext, aad: '*' }])
      expectFault(await rewrap('turned', body), 400, 1804)
    expectFault(await rewrap('turned', { ciphertext: ciphertext.replace('v2', 'v3') }), 400, 1503)
    expectFault(await rewrap('missing', { ciphertext }), 404, 1500)
  })

  it('obeys the minimum versions of the key', async () => {
    const first = await vault.encrypt('limited', 'AAAA')
    await vault.admin.must('POST', `${vault.keyPath('limited')}/rotate`)
    await vault.admin.must('PUT', vault.keyPath('limited'), { min_encryption_version: 2 })
    expect((await vault.admin.must('POST', path('limited'), { ciphertext: first })).CALLINFO['key_version']).toBe('2')
    expectFault(await rewrap('limited', { ciphertext: first, to_version: 1 }), 400, 1503)
    await vault.admin.must('PUT', vault.keyPath('limited'), { min_decryption_version: 2 })
    expectFault(await rewrap('limited', { ciphertext: first }), 400, 1503)
  })
})
