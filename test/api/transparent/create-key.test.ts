import { afterAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { makeVault } from '../../support/vault.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

const read = async (name: string) =>
  ((await vault.admin.must('GET', vault.keyPath(name)))['KEYS'] as Record<string, string>[])[0]

describe('POST /transparent/:vaultid/keys/:name', () => {
  it('answers with name and objectid', async () => {
    const { status, json } = await vault.admin.post(vault.keyPath('first'), {
      type: 'aes256-gcm96',
      info: 'for backups',
    })
    expect(status).toBe(201)
    expect(json.CALLINFO).toEqual({
      errorcodes: 0,
      errors: 0,
      general: [],
      handler: 'EncryptionHandler',
      status: 'SUCCESS',
      token: vault.admin.token,
      name: 'first',
      objectid: expect.stringMatching(/^\d+$/),
    })
    expect(json.DATA).toEqual({ type: 'aes256-gcm96', info: 'for backups', token: vault.admin.token })
    expect(await read('first')).toMatchObject({ objectid: json.CALLINFO['objectid'] })
  })

  it('makes a key with the defaults of the appliance when the call names none', async () => {
    await vault.admin.must('POST', vault.keyPath('plain'))
    expect(await read('plain')).toMatchObject({
      name: 'plain',
      key_version: '1',
      type: 'aes128-gcm96',
      allow_backup: 'true',
      allow_export: 'false',
      allow_delete: 'true',
      supports_signing: 'false',
      info: '',
      objectid: expect.stringMatching(/^\d+$/),
    })
  })

  it.each([
    [true, true, true],
    ['true', 'false', 'true'],
    [false, false, false],
    ['false', 'true', false],
  ])('takes the flags export %j, backup %j, delete %j', async (allow_export, allow_backup, allow_delete) => {
    const name = `flags-${String(allow_export)}-${String(allow_backup)}-${typeof allow_delete}`
    await vault.admin.must('POST', vault.keyPath(name), { allow_export, allow_backup, allow_delete })
    const texts = {
      allow_export: String(allow_export),
      allow_backup: String(allow_backup),
      allow_delete: String(allow_delete),
    }
    expect(await read(name)).toMatchObject(texts)
    expect(await vault.decrypt(name, await vault.encrypt(name, 'AAAA'))).toBe('AAAA')
  })

  it('keeps any text of 4096 characters as info', async () => {
    const info = 'Nyckel för 🔑\u0007\r\n"\\'.padEnd(4096, '\u2028')
    await vault.admin.must('POST', vault.keyPath('talkative'), { info })
    expect((await read('talkative'))?.['info']).toBe(info)
  })

  it('refuses a name that is taken: 409 1501, and leaves the key as it was', async () => {
    const before = await read('plain')
    expectFault(await vault.admin.post(vault.keyPath('plain'), { info: 'another' }), 409, 1501)
    expect(await read('plain')).toEqual(before)
  })

  it('makes one key of 20 parallel calls', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => vault.admin.post(vault.keyPath('wanted'))))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 201)) expectFault(answer, 409, 1501)
  })

  it('knows the difference between upper and lower case, and between vaults', async () => {
    await vault.admin.must('POST', vault.keyPath('Case'))
    await vault.admin.must('POST', vault.keyPath('case'))
    const other = await makeVault(appliance, 'Other')
    await other.admin.must('POST', `/transparent/${other.id}/keys/case`)
  })

  it.each(['', 'aes', 'AES128-GCM96', 'aes128-gcm96 ', 'aes512-gcm96', 'constructor', '__proto__', 'des3'])(
    'refuses the type %j: 400 1502',
    async (type) => {
      expectFault(await vault.admin.post(vault.keyPath('never'), { type }), 400, 1502)
    },
  )

  it.each([
    { type: 7 },
    { type: null },
    { type: ['aes128-gcm96'] },
    { info: 7 },
    { info: { a: 1 } },
    { info: 'x'.repeat(4097) },
    { allow_export: 1 },
    { allow_export: 'yes' },
    { allow_backup: null },
    { allow_delete: [] },
  ])('refuses %j: 400 1804', async (body) => {
    expectFault(await vault.admin.post(vault.keyPath('never'), body), 400, 1804)
  })

  it('needs Write: a Read member gets 403 1301, a stranger 404 1400', async () => {
    await (await vault.member('Write')).must('POST', vault.keyPath('by-write'))
    expectFault(await (await vault.member('Read')).post(vault.keyPath('never')), 403, 1301)
    expectFault(await (await appliance.login()).post(vault.keyPath('never')), 404, 1400)
    expectFault(await vault.admin.get(vault.keyPath('never')), 404, 1500)
  })
})
