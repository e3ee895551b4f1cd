import { afterAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

const path = (type: string, name: string) => `/transparent/${vault.id}/datakey/${type}/${name}`

describe('POST /transparent/:vaultid/datakey/:type/:name', () => {
  it('plaintext: gives the key in the open, and as a ciphertext of it', async () => {
    const { CALLINFO: created } = await vault.admin.must('POST', vault.keyPath('master'), { type: 'aes256-gcm96' })
    const { status, json } = await vault.admin.post(path('plaintext', 'master'), {})
    expect(status).toBe(200)
    expect(json.CALLINFO).toEqual({
      errorcodes: 0,
      errors: 0,
      general: [],
      handler: 'EncryptionHandler',
      status: 'SUCCESS',
      token: vault.admin.token,
      plaintext: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      ciphertext: expect.stringMatching(/^service:v1:/),
      key_version: '1',
      name: 'master',
      objectid: created['objectid'],
    })
    expect(await vault.decrypt('master', String(json.CALLINFO['ciphertext']))).toBe(json.CALLINFO['plaintext'])
  })

  it('wrapped: gives the ciphertext alone', async () => {
    const { CALLINFO } = await vault.admin.must('POST', path('wrapped', 'master'), {})
    expect(CALLINFO).not.toHaveProperty('plaintext')
    expect(Buffer.from(await vault.decrypt('master', String(CALLINFO['ciphertext'])), 'base64')).toHaveLength(32)
  })

  it('has 128, 256 or 512 bits, as number or text', async () => {
    for (const bits of [128, 256, 512, '128', '256', '512']) {
      const { CALLINFO } = await vault.admin.must('POST', path('plaintext', 'master'), { bits })
      expect(Buffer.from(String(CALLINFO['plaintext']), 'base64')).toHaveLength(Number(bits) / 8)
      expect(await vault.decrypt('master', String(CALLINFO['ciphertext']))).toBe(CALLINFO['plaintext'])
    }
    for (const bits of [0, 64, 192, 1024, '0256', 'many', null, true, [256], -256])
      expectFault(await vault.admin.post(path('plaintext', 'master'), { bits }), 400, 1804)
  })

  it('is another one every time', async () => {
    const made = await Promise.all(
      Array.from({ length: 100 }, () => vault.admin.must('POST', path('plaintext', 'master'), { bits: 128 })),
    )
    expect(new Set(made.map(({ CALLINFO }) => CALLINFO['plaintext'])).size).toBe(100)
    expect(new Set(made.map(({ CALLINFO }) => CALLINFO['ciphertext'])).size).toBe(100)
  })

  it('takes a key version and aad', async () => {
    await vault.admin.must('POST', `${vault.keyPath('master')}/rotate`)
    for (const [key_version, expected] of [
      [1, '1'],
      ['2', '2'],
      [undefined, '2'],
    ] as const) {
      const { CALLINFO } = await vault.admin.must(
        'POST',
        path('wrapped', 'master'),
        key_version === undefined ? {} : { key_version },
      )
      expect(CALLINFO['key_version']).toBe(expected)
    }
    expectFault(await vault.admin.post(path('wrapped', 'master'), { key_version: 3 }), 400, 1503)
    const { CALLINFO } = await vault.admin.must('POST', path('plaintext', 'master'), { aad: 'AAAA' })
    const { ciphertext, plaintext } = CALLINFO
    const decryptPath = `/transparent/${vault.id}/decrypt/master`
    expectFault(await vault.admin.post(decryptPath, { ciphertext }), 400, 1507)
    expect((await vault.admin.must('POST', decryptPath, { ciphertext, aad: 'AAAA' })).CALLINFO['plaintext']).toBe(
      plaintext,
    )
  })

  it('needs Write for a data key in plaintext, and Read for a wrapped one', async () => {
    const reader = await vault.member('Read')
    expectFault(await reader.post(path('plaintext', 'master'), {}), 403, 1301)
    expect((await reader.post(path('wrapped', 'master'), {})).status).toBe(200)
    expect((await (await vault.member('Write')).post(path('plaintext', 'master'), {})).status).toBe(200)
  })

  it('makes no key, and knows two forms', async () => {
    expectFault(await vault.admin.post(path('wrapped', 'missing'), {}), 404, 1500)
    expectFault(await vault.admin.get(vault.keyPath('missing')), 404, 1500)
    for (const form of ['open', 'PLAINTEXT', 'plain'])
      expectFault(await vault.admin.post(path(form, 'master'), {}), 400, 1804)
  })
})
