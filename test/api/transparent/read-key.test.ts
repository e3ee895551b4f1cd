import { afterAll, describe, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { makeVault } from '../../support/vault.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

describe('GET /transparent/:vaultid/keys/:name', () => {
  it('tells every permission what is known of the key, and nothing else', async () => {
    const { CALLINFO } = await vault.admin.must('POST', vault.keyPath('shown'), {
      type: 'aes256-gcm96',
      info: 'for backups',
    })
    await vault.admin.must('POST', `${vault.keyPath('shown')}/rotate`)
    const { objectid } = CALLINFO
    for (const client of [vault.admin, await vault.member('Write'), await vault.member('Read')]) {
      const { status, json } = await client.get(vault.keyPath('shown'))
      expect(status).toBe(200)
      expect(json.CALLINFO).toEqual({
        errorcodes: 0,
        errors: 0,
        general: [],
        handler: 'EncryptionHandler',
        status: 'SUCCESS',
        token: client.token,
        version: '2',
        objectid,
      })
      expect(json['KEYS']).toMatchObject([
        {
          name: 'shown',
          key_version: '2',
          type: 'aes256-gcm96',
          allow_backup: 'true',
          allow_export: 'false',
          allow_delete: 'true',
          supports_signing: 'false',
          info: 'for backups',
          objectid,
        },
      ])
      expect(json.DATA).toEqual({ token: client.token })
    }
  })

  it('never shows key material, wrapped or not', async () => {
    const versions = await appliance.store.query<{ blob: string; seal: string }>(
      'SELECT blob, seal FROM key_versions',
      [],
    )
    const { json } = await vault.admin.get(vault.keyPath('shown'))
    for (const { blob, seal } of versions) {
      expect(JSON.stringify(json)).not.toContain(blob)
      expect(JSON.stringify(json)).not.toContain(seal)
    }
  })

  it('says 404 1500 for a key that is not there, and 404 1400 to strangers for either', async () => {
    expectFault(await vault.admin.get(vault.keyPath('missing')), 404, 1500)
    const stranger = await appliance.login()
    const answers = [await stranger.get(vault.keyPath('shown')), await stranger.get(vault.keyPath('missing'))]
    for (const answer of answers) expectFault(answer, 404, 1400)
    expect(answers[0]?.json.ERRORS).toEqual(answers[1]?.json.ERRORS)
  })

  it('ends at once for a member who was removed', async () => {
    const user = await appliance.addUser()
    await vault.share(String(user.id), 'Admin')
    const client = await appliance.login(user)
    await client.must('GET', vault.keyPath('shown'))
    await vault.share(String(user.id), undefined)
    expectFault(await client.get(vault.keyPath('shown')), 404, 1400)
    expectFault(await client.post(`/transparent/${vault.id}/encrypt/shown`, { plaintext: 'AAAA' }), 404, 1400)
    await vault.share(String(user.id), 'Read')
    expect((await client.get(vault.keyPath('shown'))).status).toBe(200)
  })
})

it('reads and exports a key with more versions than may wait for the token at once', async () => {
  const narrow = await TestAppliance.own({ hsm: { queue: 64 } })
  try {
    const { admin, id } = await makeVault(narrow)
    const key = `/transparent/${id}/keys/many`
    await admin.must('POST', key, { type: 'aes256-gcm96', allow_export: true, allow_plaintext_export: true })
    for (let version = 2; version <= 100; version++) await admin.must('POST', `${key}/rotate`)
    await admin.must('GET', key)
    expect((await admin.must('GET', `/transparent/export/${id}/many`))['KEYS']).toHaveLength(100)
  } finally {
    await narrow.close()
  }
})
