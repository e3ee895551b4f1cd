import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TestUser } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault, type Answer, type TestClient } from '../../support/client.ts'
import { describeUpgrade } from '../../support/earlier-database.ts'
import { createObject } from '../../support/object-kit.ts'
import { recover } from '../../support/sealed-people.ts'
import { eventsOf } from '../../support/trail.ts'
import { findMember } from '../../../src/features/vaults/membership-records.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)

beforeAll(async () => {
  for (const [name, type] of [
    ['mail-a', 'aes256-gcm96'],
    ['mail-b', 'aes256-gcm96'],
    ['mail-pair', 'ecdsa-p256'],
    ['pay', 'aes256-gcm96'],
  ])
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/${name}`, { type })
})

const placeOf = ({ id }: TestUser): string => `/vault/${vault.id}/member/${id}`
const encrypt = (client: TestClient, name = 'mail-a', more: object = {}): Promise<Answer> =>
  client.post(`/transparent/${vault.id}/encrypt/${name}`, { plaintext: 'AAAA', ...more })
const sentence = ({ json }: Answer): string => json.ERRORS?.[0] ?? ''
const grantsOf = async ({ id }: TestUser): Promise<unknown> =>
  (
    (await vault.admin.must('GET', `/vault/${vault.id}/members`)).CALLINFO['vaultmembers'] as {
      id: string
      grants?: unknown
    }[]
  ).find((member) => member.id === String(id))?.grants

describe('a member with grants', () => {
  it('encrypts and never decrypts, as a mail form should', async () => {
    const { client } = await vault.narrowed([{ keys: 'mail-*', operations: ['encrypt'] }])
    const answer = await encrypt(client)
    expect(answer.status).toBe(201)
    const ciphertext = answer.json.CALLINFO['ciphertext']
    const refused = await client.post(`/transparent/${vault.id}/decrypt/mail-a`, { ciphertext })
    expectFault(refused, 403, 1301)
    expect(sentence(refused)).toBe('What is granted to you in this vault does not let you decrypt with the key mail-a.')
    expectFault(await client.post(`/transparent/rewrap/${vault.id}/mail-a`, { ciphertext }), 403, 1301)
    expect(await vault.decrypt('mail-a', String(ciphertext))).toBe('AAAA')
  })

  it('has the rights that docs/applications.md shows', async () => {
    const page = readFileSync(new URL('../../../docs/applications.md', import.meta.url), 'utf8')
    const call = /```sh\n(curl [^`]*"grants"[^`]*)```/.exec(page)?.[1] ?? ''
    const user = await appliance.addUser()
    const ca = join(mkdtempSync(join(tmpdir(), 'grants-')), 'ca.pem')
    writeFileSync(ca, appliance.ca)
    const env = {
      ...process.env,
      STRONGROOM: new URL(appliance.url).origin,
      VAULT: vault.id,
      ACCOUNT: String(user.id),
      TOKEN: vault.admin.token,
      CURL_CA_BUNDLE: ca,
    }
    for (const text of [call, call.replace('curl ', 'curl -X PUT ')]) {
      const answer = execFileSync('bash', ['-c', text], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      expect(JSON.parse(answer)).toMatchObject({ CALLINFO: { status: 'SUCCESS' } })
    }
    const client = await appliance.login(user)
    const made = await encrypt(client)
    expect(made.status).toBe(201)
    const { ciphertext } = made.json.CALLINFO
    expectFault(await client.post(`/transparent/${vault.id}/decrypt/mail-a`, { ciphertext }), 403, 1301)
  })

  it('is put on hold like others, and is as narrow when an Admin has confirmed the member', async () => {
    const entries = [{ keys: 'mail-*', operations: ['encrypt'] }]
    const { user } = await vault.narrowed(entries)
    await recover(appliance, user.id)
    const client = await appliance.login(user)
    expectFault(await encrypt(client), 403, 1302)
    await vault.admin.must('POST', `${placeOf(user)}/confirm`)
    expect((await encrypt(client)).status).toBe(201)
    expectFault(await encrypt(client, 'pay'), 403, 1301)
    expect(await grantsOf(user)).toEqual(entries)
  })

  it('is refused alike for a key that there is not and one that is not granted, and makes none', async () => {
    const { client } = await vault.narrowed([{ keys: 'mail-*', operations: ['encrypt'] }])
    const [there, missing] = [await encrypt(client, 'pay'), await encrypt(client, 'pax')]
    expectFault(there, 403, 1301)
    expectFault(missing, 403, 1301)
    expect(sentence(there).replace('pay', 'pax')).toBe(sentence(missing))
    expectFault(await encrypt(client, 'mail-new'), 403, 1301)
    expectFault(await vault.admin.get(`/transparent/${vault.id}/keys/mail-new`), 404, 1500)
  })

  it('has each item of a batch looked at by itself', async () => {
    const aad = (text: string): string => Buffer.from(text).toString('base64')
    const { client } = await vault.narrowed([{ keys: 'mail-*', operations: ['encrypt'], aad: aad('form:') }])
    expect((await encrypt(client, 'mail-a', { aad: aad('form:1') })).status).toBe(201)
    const refused = await encrypt(client, 'mail-a', { aad: aad('forms') })
    expectFault(refused, 403, 1301)
    expect(sentence(refused)).toContain('encrypt with the key mail-a and these additional data (aad)')
    expectFault(await encrypt(client), 403, 1301)
    const batch_input = [aad('form:2'), undefined, aad('x'), aad('form:')].map((one) => ({
      plaintext: 'AAAA',
      aad: one,
    }))
    const answer = await client.post(`/transparent/${vault.id}/encrypt/mail-a`, { batch_input })
    const results = answer.json.CALLINFO['batch_results'] as { ciphertext?: string; error?: { code: string } }[]
    expect(results.map(({ error }) => error?.code ?? 'done')).toEqual(['done', '1301', '1301', 'done'])
  })

  it('signs, and has data keys in the open, by grants alone, whatever the vault asks of others', async () => {
    const { client } = await vault.narrowed([{ keys: 'mail-*', operations: ['sign', 'datakey'] }])
    expect((await client.post(`/transparent/${vault.id}/sign/mail-pair`, { input: 'AAAA' })).status).toBe(200)
    const { json } = await client.post(`/transparent/${vault.id}/datakey/plaintext/mail-a`, {})
    const { plaintext, ciphertext } = json.CALLINFO
    expect(await vault.decrypt('mail-a', String(ciphertext))).toBe(plaintext)
    const wrapped = await client.post(`/transparent/${vault.id}/datakey/wrapped/mail-a`, {})
    expect(wrapped.json.CALLINFO).not.toHaveProperty('plaintext')
    expectFault(await encrypt(client), 403, 1301)
  })

  it('uses a key that rotates by itself', async () => {
    const { client } = await vault.narrowed([{ keys: 'mail-b', operations: ['encrypt'] }])
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/mail-b/rotate`)
    expect((await encrypt(client, 'mail-b')).json.CALLINFO['key_version']).toBe('2')
  })

  it('sees of lists what matches', async () => {
    const { client } = await vault.narrowed([
      { keys: 'mail-*', operations: ['read'] },
      { keys: 'pay', operations: ['encrypt'] },
    ])
    const { KEYS } = await client.must('GET', `/transparent/${vault.id}/keys`)
    expect((KEYS as { name: string }[]).map(({ name }) => name)).toEqual(['mail-a', 'mail-b', 'mail-pair'])
    expect((await client.get(`/transparent/${vault.id}/keys/mail-a`)).status).toBe(200)
    expectFault(await client.get(`/transparent/${vault.id}/keys/pay`), 403, 1301)
    const { VAULTS } = await client.must('GET', '/vault')
    const entries = [
      { keys: 'mail-*', operations: ['read'] },
      { keys: 'pay', operations: ['encrypt'] },
    ]
    expect(VAULTS).toMatchObject([{ id: vault.id, status: '1', grants: entries }])
  })

  it('sees, reads and decrypts objects as far as the grants go', async () => {
    const objectId = await createObject(vault.admin, vault.id, { host: 'needle-of-the-vault' })
    const outcomes = async (objects: readonly string[]) => {
      const { client } = await vault.narrowed([{ objects }])
      const found = (await client.must('GET', '/find?needle=needle-of-the-vault'))['OBJECT'] as unknown[]
      return [
        found.length,
        (await client.get(`/vault/${vault.id}`)).status,
        (await client.get(`/object/${objectId}`)).status,
        (await client.get(`/object/${objectId}?children=true`)).status,
        (await client.get(`/object/${objectId}?decrypt=true`)).status,
        (await client.get(`/object/${objectId}?filedata=true`)).status,
      ].join(' ')
    }
    const { client: none } = await vault.narrowed([{ keys: 'list', operations: ['read'] }, { objects: ['read'] }])
    expect((await none.must('GET', '/find?needle=needle-of-the-vault'))['OBJECT']).toEqual([])
    expect(await outcomes(['list'])).toBe('1 200 403 403 403 403')
    expect(await outcomes(['read'])).toBe('0 403 200 403 403 403')
    expect(await outcomes(['decrypt'])).toBe('0 403 403 403 403 403')
    expect(await outcomes(['read', 'decrypt'])).toBe('0 403 200 403 200 400')
    expect(await outcomes(['list', 'read', 'decrypt'])).toBe('1 200 200 200 200 400')
  })

  it('with the capability Audit sees no record of the vault', async () => {
    const { client } = await vault.narrowed([{ keys: '*', operations: ['encrypt'] }], ['read', 'audit', 'active'])
    expectFault(await client.get(`/audit?vaultid=${vault.id}`), 404, 1400)
  })

  it('has calls with unknown members refused by an entry that is strict', async () => {
    const { client } = await vault.narrowed([
      { keys: 'mail-a', operations: ['encrypt'], strict: true },
      { keys: 'mail-*', operations: ['encrypt'] },
    ])
    const refused = await encrypt(client, 'mail-a', { add: 'AAAA' })
    expectFault(refused, 400, 1804)
    expect(sentence(refused)).toContain('did you mean aad')
    expect((await encrypt(client, 'mail-b', { add: 'AAAA' })).status).toBe(201)
  })
})

describe('grants', () => {
  it('count at once, in a session that goes on', async () => {
    const { user, client } = await vault.narrowed([{ keys: 'mail-a', operations: ['encrypt'] }])
    expect((await encrypt(client)).status).toBe(201)
    await vault.admin.must('PUT', placeOf(user), { status: 1, grants: [{ keys: 'pay', operations: ['encrypt'] }] })
    expectFault(await encrypt(client), 403, 1301)
    expect((await encrypt(client, 'pay')).status).toBe(201)
    await vault.admin.must('PUT', placeOf(user), { status: 1, grants: null })
    expect((await encrypt(client)).status).toBe(201)
    expect(await grantsOf(user)).toBeUndefined()
    await vault.admin.must('PUT', placeOf(user), { status: 1, grants: [{ objects: ['list'] }] })
    expectFault(await encrypt(client), 403, 1301)
  })

  it('are listed in the one form that they have', async () => {
    const { user } = await vault.narrowed([{ operations: ['read', 'encrypt', 'read'], strict: false, keys: 'mail-*' }])
    expect(await grantsOf(user)).toEqual([{ keys: 'mail-*', operations: ['encrypt', 'read'] }])
  })

  it('are not widened by a client that does not know them', async () => {
    const entries = [{ keys: 'mail-*', operations: ['encrypt'] }]
    const { user } = await vault.narrowed(entries)
    await vault.admin.must('PUT', placeOf(user), { status: '1' })
    expect(await grantsOf(user)).toEqual(entries)
    for (const status of [2, 4]) {
      const refused = await vault.admin.call('PUT', placeOf(user), { body: { status } })
      expectFault(refused, 400, 1804)
      expect(sentence(refused)).toContain('with grants null')
    }
    await vault.admin.must('PUT', placeOf(user), { status: 2, grants: null })
    expect(await grantsOf(user)).toBeUndefined()
  })

  it('are given by an Admin alone, with Read alone', async () => {
    const grants = [{ keys: '*', operations: ['encrypt'] }]
    const { user, client } = await vault.narrowed(grants)
    for (const body of [{ status: 1, grants: null }, { status: 1 }, { status: 4 }])
      expectFault(await client.call('PUT', placeOf(user), { body }), 403, 1301)
    expectFault(await client.call('DELETE', placeOf(user)), 403, 1301)
    const other = await appliance.addUser()
    for (const status of [2, 4])
      expectFault(await vault.admin.call('POST', placeOf(other), { body: { status, grants } }), 400, 1804)
    expect(await grantsOf(other)).toBeUndefined()
  })

  it('go with the member, and are not those of a member who comes back', async () => {
    const { user, client } = await vault.narrowed([{ keys: 'mail-*', operations: ['encrypt'] }])
    await vault.admin.must('DELETE', placeOf(user))
    expectFault(await encrypt(client), 404, 1400)
    await vault.admin.must('POST', placeOf(user), { status: 1 })
    expect((await encrypt(client, 'pay')).status).toBe(201)
    await vault.admin.must('DELETE', placeOf(user))
    await vault.admin.must('POST', placeOf(user), { status: 1, grants: [{ objects: ['list'] }] })
    expectFault(await encrypt(client, 'pay'), 403, 1301)
  })

  it('stand in the audit trail with the row of the member', async () => {
    const { user } = await vault.narrowed([{ objects: ['list'] }])
    const told = eventsOf(appliance).flatMap(
      ({ rows }) => ((rows ?? {}) as Record<string, string>)[`member ${vault.id}/${user.id}`] ?? [],
    )
    expect(told).toEqual(['permission=1 recoveries=0 grants=[{"objects":["list"]}]'])
  })

  const bad: readonly (readonly [unknown, string])[] = [
    [[], 'grants must have 1 to 32 entries.'],
    [{}, 'grants must be a list.'],
    ['all', 'grants must be a list.'],
    [[{}], 'grants.0 must be an entry with keys and operations, or one with only objects.'],
    [[{ keys: 'k', operations: ['export'] }], 'grants.0 must be an entry'],
    [[{ keys: 'k', operations: ['encrypt'], add: 'AAAA' }], 'grants.0 must have no members but'],
    [[{ keys: 'k', operations: [] }], 'grants entry 0: operations must have one or more of'],
    [[{ keys: '(a+)+$', operations: ['encrypt'] }], 'grants entry 0: keys must have'],
    [[{ keys: 'k', operations: ['encrypt'], aad: '*' }], 'grants entry 0: aad must be base64'],
    [[{ keys: 'k', operations: ['encrypt'], daily: 0 }], 'grants entry 0: daily must be 1 to'],
    [[{ objects: ['write'] }], 'grants.0 must be an entry'],
  ]
  it.each(bad)('are refused with a sentence: %j', async (grants, words) => {
    const user = await appliance.addUser()
    const answer = await vault.admin.call('POST', placeOf(user), { body: { status: 1, grants } })
    expectFault(answer, 400, 1804)
    expect(sentence(answer)).toContain(words)
  })
})

describeUpgrade(
  'a member of the release before is not narrowed',
  {
    before: 'NarrowerRights1700000000035',
    statements: [
      `INSERT INTO users (id, username, fullname, email, capabilities, passphrase_salt, passphrase_check, passphrase_cost,
         passphrase_changed_at, failed_logins, key_kek, key_blob, public_key, fingerprint, created_at, search_text)
       VALUES (1, 'alice', 'Alice', 'alice@example.test', 131, '', '', 'm=8192,t=1', 5, 0, '', '', '', '', 5, 'alice')`,
      `INSERT INTO vaults (id, name, policy_id, description, key_id, created_at) VALUES (3, 'Ledgers', 16, '', 'aa', 5)`,
      `INSERT INTO vault_members (vault_id, user_id, permission, added_at) VALUES (3, 1, 4, 5)`,
    ],
  },
  async (store) => {
    expect(await findMember(store.read, { vaultId: 3, userId: 1 })).toMatchObject({ permission: 4, grants: null })
  },
)
