import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

const path = (name: string) => `/transparent/${vault.id}/encrypt/${name}`
const encrypt = (name: string, body: unknown) => vault.admin.post(path(name), body)

describe('POST /transparent/:vaultid/encrypt/:name', () => {
  it('makes the key where there is none, and answers in full', async () => {
    const { status, json } = await encrypt('fresh', { plaintext: 'aGVsbG8=' })
    expect(status).toBe(201)
    expect(json.CALLINFO).toEqual({
      errorcodes: 0,
      errors: 0,
      general: [],
      handler: 'EncryptionHandler',
      status: 'SUCCESS',
      token: vault.admin.token,
      key_version: '1',
      ciphertext: expect.stringMatching(/^service:v1:[A-Za-z0-9+/]{44}$/),
      name: 'fresh',
      objectid: expect.stringMatching(/^\d+$/),
      type: 'aes128-gcm96',
    })
    expect(json.DATA).toEqual({ token: vault.admin.token })
    const [key] = (await vault.admin.must('GET', vault.keyPath('fresh')))['KEYS'] as [Record<string, string>]
    expect(key).toMatchObject({
      key_version: '1',
      type: 'aes128-gcm96',
      allow_export: 'false',
      objectid: json.CALLINFO['objectid'],
    })
  })

  const sizes = [0, 1, 15, 16, 17, 1000, 1024 * 1024]
  it.each(['aes128-gcm96', 'aes256-gcm96'])('%s: IV, ciphertext and tag of every size, and back', async (type) => {
    for (const size of sizes) {
      const plaintext = randomBytes(size).toString('base64')
      const { json } = await encrypt(`sized-${type}`, { plaintext, type })
      expect(json.CALLINFO['type']).toBe(type)
      const [, encoded = ''] = /^service:v1:(.*)$/.exec(String(json.CALLINFO['ciphertext'])) ?? []
      const sealed = Buffer.from(encoded, 'base64')
      expect([sealed.length, sealed.toString('base64')]).toEqual([12 + size + 16, encoded])
      expect((await vault.decrypt(`sized-${type}`, `service:v1:${encoded}`)) === plaintext).toBe(true)
    }
  })

  it('draws another IV every time', async () => {
    const ciphertexts = await Promise.all(Array.from({ length: 200 }, () => vault.encrypt('fresh', 'AAAA')))
    expect(new Set(ciphertexts.map((ciphertext) => ciphertext.slice(11, 27)))).toHaveProperty('size', 200)
  })

  it('uses the version that is named, as text or number, and the latest when none is', async () => {
    await encrypt('versions', { plaintext: '' })
    await vault.admin.must('POST', `${vault.keyPath('versions')}/rotate`)
    for (const [key_version, expected] of [
      [1, '1'],
      ['1', '1'],
      [2, '2'],
      ['2', '2'],
      [undefined, '2'],
    ] as const) {
      const { json } = await encrypt('versions', {
        plaintext: 'AAAA',
        ...(key_version === undefined ? {} : { key_version }),
      })
      expect(json.CALLINFO['key_version']).toBe(expected)
      expect(json.CALLINFO['ciphertext']).toMatch(new RegExp(`^service:v${expected}:`))
    }
    expectFault(await encrypt('versions', { plaintext: 'AAAA', key_version: 3 }), 400, 1503)
    expectFault(await encrypt('versions', { plaintext: 'AAAA', key_version: '999999999' }), 400, 1503)
  })

  it.each([0, -1, 1.5, 2 ** 53, '0', '01', '-1', '+1', '1.0', '1e0', ' 1', '', 'latest', null, true, [1], {}])(
    'refuses the version %j: 400 1804',
    async (key_version) => {
      expectFault(await encrypt('fresh', { plaintext: 'AAAA', key_version }), 400, 1804)
    },
  )

  it('keeps the type of a key that is there', async () => {
    const { json } = await encrypt('fresh', { plaintext: 'AAAA', type: 'aes256-gcm96' })
    expect(json.CALLINFO['type']).toBe('aes128-gcm96')
    expectFault(await encrypt('fresh', { plaintext: 'AAAA', type: 'rot13' }), 400, 1502)
  })

  const forms: readonly (readonly [string, unknown])[] = [
    ['missing', undefined],
    ['null', null],
    ['a number', 1234],
    ['true', true],
    ['an object', {}],
    ['an array', ['AAAA']],
    ['no base64', 'hello, world'],
    ['the url-safe alphabet', '-_-_'],
    ['no padding', 'AAA'],
    ['half the padding', 'AA='],
    ['too much padding', 'AAA=='],
    ['padding alone', '===='],
    ['padding in the middle', 'AA==AAAA'],
    ['one letter', 'A'],
    ['bits after the end', 'AAB='],
    ['a line break inside', 'AAAA\nAAAA'],
    ['a line break at the end', 'AAAA\n'],
    ['a blank first', ' AAAA'],
    ['a letter beyond ASCII', 'AAAé'],
    ['a data URL', 'data:;base64,AAAA'],
  ]
  it.each(forms)('refuses a plaintext that is %s: 400 1804', async (_what, plaintext) => {
    expectFault(await encrypt('fresh', { plaintext }), 400, 1804)
    expectFault(await encrypt('never', { plaintext }), 400, 1804)
    expectFault(await vault.admin.get(vault.keyPath('never')), 404, 1500)
  })

  it('says which alphabet the base64 has to be of', async () => {
    expect((await encrypt('fresh', { plaintext: '-_-_' })).json.ERRORS).toEqual([
      'plaintext must be base64 of the standard alphabet (+ and /), with padding.',
    ])
  })

  it('makes no key for a version that it cannot have, or a type that is not offered', async () => {
    expectFault(await encrypt('never', { plaintext: 'AAAA', key_version: 2 }), 400, 1503)
    expectFault(await encrypt('never', { plaintext: 'AAAA', type: 'aes128-ecb' }), 400, 1502)
    expectFault(await vault.admin.get(vault.keyPath('never')), 404, 1500)
  })

  it('by Read needs the key to be there: 403 1301, and it stays absent', async () => {
    const reader = await vault.member('Read')
    expectFault(await reader.post(path('absent'), { plaintext: 'AAAA' }), 403, 1301)
    expectFault(await vault.admin.get(vault.keyPath('absent')), 404, 1500)
    expect((await reader.post(path('fresh'), { plaintext: 'AAAA' })).status).toBe(201)
    expect((await (await vault.member('Write')).post(path('absent'), { plaintext: 'AAAA' })).status).toBe(201)
    expectFault(await (await appliance.login()).post(path('fresh'), { plaintext: 'AAAA' }), 404, 1400)
  })

  it('of 20 parallel first calls makes one key', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => encrypt('one', { plaintext: Buffer.from([index]).toString('base64') })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201))
    expect(new Set(answers.map(({ json }) => json.CALLINFO['objectid'])).size).toBe(1)
    for (const [index, { json }] of answers.entries()) {
      expect(await vault.decrypt('one', String(json.CALLINFO['ciphertext']))).toBe(
        Buffer.from([index]).toString('base64'),
      )
    }
  })

  it('gives back whatever bytes it was given', async () => {
    const bytes = fc.uint8Array({ maxLength: 4096, size: 'max' })
    await fc.assert(
      fc.asyncProperty(bytes, fc.constantFrom('sized-aes128-gcm96', 'sized-aes256-gcm96'), async (data, key) => {
        const plaintext = Buffer.from(data).toString('base64')
        expect(await vault.decrypt(key, await vault.encrypt(key, plaintext))).toBe(plaintext)
      }),
      { numRuns: 150 },
    )
  })
})
