import { afterAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

describe('POST /transparent/:vaultid/keys/:name/rotate', () => {
  it('answers with the latest version, and new data goes to it', async () => {
    const created = await vault.admin.must('POST', vault.keyPath('turning'), { type: 'aes256-gcm96' })
    const old = await vault.encrypt('turning', 'b2xk')
    const { status, json } = await vault.admin.post(`${vault.keyPath('turning')}/rotate`)
    expect(status).toBe(201)
    expect(json.CALLINFO).toEqual({
      errorcodes: 0,
      errors: 0,
      general: [],
      handler: 'EncryptionHandler',
      status: 'SUCCESS',
      token: vault.admin.token,
      name: 'turning',
      key_version: '2',
      objectid: created.CALLINFO['objectid'],
    })
    expect(await vault.encrypt('turning', 'bmV3')).toMatch(/^service:v2:/)
    expect(await vault.encrypt('turning', 'bmV3', { key_version: 1 })).toMatch(/^service:v1:/)
    expect(await vault.decrypt('turning', old)).toBe('b2xk')
  })

  it('makes new material: a ciphertext is not good under another version', async () => {
    const old = await vault.encrypt('turning', 'b2xk', { key_version: '1' })
    expectFault(
      await vault.admin.post(`/transparent/${vault.id}/decrypt/turning`, { ciphertext: old.replace('v1', 'v2') }),
      400,
      1507,
    )
  })

  it('keeps what ten versions encrypted', async () => {
    const ciphertexts: string[] = []
    for (let version = 1; version <= 10; version++) {
      ciphertexts.push(await vault.encrypt('decade', Buffer.from(`text ${version}`).toString('base64')))
      await vault.admin.must('POST', `${vault.keyPath('decade')}/rotate`)
    }
    for (const [index, ciphertext] of ciphertexts.entries()) {
      expect(ciphertext.startsWith(`service:v${index + 1}:`)).toBe(true)
      expect(Buffer.from(await vault.decrypt('decade', ciphertext), 'base64').toString()).toBe(`text ${index + 1}`)
    }
  })

  it('of 20 parallel calls gives consecutive versions and loses none', async () => {
    await vault.admin.must('POST', vault.keyPath('race'))
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => vault.admin.post(`${vault.keyPath('race')}/rotate`)),
    )
    for (const { status, json } of answers) expect({ status, errors: json.ERRORCODES }).toEqual({ status: 201 })
    const given = answers.map(({ json }) => Number(json.CALLINFO['key_version']))
    expect(given.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 2))
    const plaintexts = await Promise.all(
      Array.from({ length: 21 }, async (_, index) =>
        vault.decrypt('race', await vault.encrypt('race', 'AAAA', { key_version: index + 1 })),
      ),
    )
    expect(new Set(plaintexts)).toEqual(new Set(['AAAA']))
  })

  it('while others encrypt: whatever version a ciphertext names decrypts it', async () => {
    await vault.admin.must('POST', vault.keyPath('busy'))
    const encrypted = Promise.all(Array.from({ length: 60 }, () => vault.encrypt('busy', 'YnVzeQ==')))
    for (let turn = 0; turn < 5; turn++) await vault.admin.must('POST', `${vault.keyPath('busy')}/rotate`)
    for (const ciphertext of await encrypted) expect(await vault.decrypt('busy', ciphertext)).toBe('YnVzeQ==')
  })

  it('needs Write: a Read member gets 403 1301, a stranger 404 1400, a missing key 404 1500', async () => {
    const before = await vault.admin.must('GET', vault.keyPath('turning'))
    expectFault(await (await vault.member('Read')).post(`${vault.keyPath('turning')}/rotate`), 403, 1301)
    expectFault(await (await vault.member('Read')).post(`${vault.keyPath('missing')}/rotate`), 403, 1301)
    expectFault(await (await appliance.login()).post(`${vault.keyPath('turning')}/rotate`), 404, 1400)
    expectFault(await vault.admin.post(`${vault.keyPath('missing')}/rotate`), 404, 1500)
    expect((await vault.admin.must('GET', vault.keyPath('turning')))['KEYS']).toEqual(before['KEYS'])
    expect((await (await vault.member('Write')).post(`${vault.keyPath('turning')}/rotate`)).status).toBe(201)
  })
})
