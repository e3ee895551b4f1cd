import { beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault, type Answer } from '../../support/client.ts'
import { describeUpgrade } from '../../support/earlier-database.ts'
import { eventsOf } from '../../support/trail.ts'
import { findVault } from '../../../src/features/vaults/records.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)

beforeAll(async () => {
  await vault.encrypt('k', 'AAAA')
  await setStrict(true)
})

const setStrict = async (strict: boolean) =>
  (await vault.admin.must('PUT', `/transparent/${vault.id}/settings`, { strict })).CALLINFO['strict']
const encrypt = (body: object, name = 'k'): Promise<Answer> =>
  vault.admin.post(`/transparent/${vault.id}/encrypt/${name}`, body)
const sentence = ({ json }: Answer): string => json.ERRORS?.[0] ?? ''

describe('a strict vault', () => {
  const misspelt: readonly (readonly [body: object, sentence: string])[] = [
    [
      { plaintext: 'AAAA', add: 'AAAA' },
      'add is not a member of this call, and unknown ones are refused here: did you mean aad',
    ],
    [{ plaintext: 'AAAA', AAD: 'AAAA' }, 'did you mean aad? Else leave it out.'],
    [{ plaintext: 'AAAA', keyversion: 1 }, 'did you mean key_version? Else leave it out.'],
    [{ plaintext: 'AAAA', something_else: 1 }, 'refused here: leave it out.'],
    [{ batch_input: [{ plaintext: 'AAAA' }, { plaintext: 'AAAA', add: 'AAAA' }] }, 'batch_input.1.add is not a member'],
    [{ plaintext: 'AAAA', constructor: 1 }, 'constructor is not a member'],
    [{ plaintext: 'AAAA', ['x'.repeat(4_000)]: 1 }, `${'x'.repeat(64)}… is not a member`],
  ]
  it.each(misspelt)('refuses what it does not know (case %#)', async (body, words) => {
    const answer = await encrypt(body)
    expectFault(answer, 400, 1804)
    expect(sentence(answer)).toContain(words)
  })

  it('takes what the interface knows, and the session token wherever it may stand', async () => {
    const { token } = vault.admin
    const whole = { plaintext: 'AAAA', aad: 'AAAA', key_version: 1, type: 'aes256-gcm96', token }
    expect((await encrypt(whole)).status).toBe(201)
    const batch = [{ plaintext: 'AAAA', aad: 'AAAA', key_version: 1, reference: 'r' }]
    expect((await encrypt({ batch_input: batch })).status).toBe(201)
    const form = new URLSearchParams({ plaintext: 'AAAA', aad: 'AAAA' }).toString()
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const posted = await vault.admin.call('POST', `/transparent/${vault.id}/encrypt/k`, { raw: form, headers })
    expect(posted.status).toBe(201)
  })

  it('refuses them in queries too: those of a POST would bind nothing', async () => {
    const inQuery = await vault.admin.post(`/transparent/${vault.id}/encrypt/k?add=AAAA`, { plaintext: 'AAAA' })
    expectFault(inQuery, 400, 1804)
    expectFault(await vault.admin.get(`/transparent/${vault.id}/keys?afterwards=k`), 400, 1804)
    expect((await vault.admin.get(`/transparent/${vault.id}/keys?after=a`)).status).toBe(200)
  })

  it('makes no key on first use, and leaves no trace of the call', async () => {
    expectFault(await encrypt({ plaintext: 'AAAA' }, 'unmade'), 404, 1500)
    expectFault(await vault.admin.get(`/transparent/${vault.id}/keys/unmade`), 404, 1500)
  })

  it('takes the fields of objects, which templates name', async () => {
    const members = { groupid: vault.id, templateid: '1', host: 'h', username: 'u', password: 'p' }
    expect((await vault.admin.post('/object', members)).status).toBe(200)
  })

  it('is one for its members alone who may see it: a stranger is refused before', async () => {
    const stranger = await appliance.login()
    expectFault(await stranger.post(`/transparent/${vault.id}/encrypt/k`, { add: 1 }), 404, 1400)
  })

  it('is strict at once and no longer than its Admin wants, and the trail says so', async () => {
    const reader = await vault.member('Write')
    expectFault(await reader.call('PUT', `/transparent/${vault.id}/settings`, { body: { strict: false } }), 403, 1301)
    for (const strict of [false, true, false]) {
      expect(await setStrict(strict)).toBe(strict)
      expect((await encrypt({ plaintext: 'AAAA', add: 'AAAA' })).status).toBe(strict ? 400 : 201)
    }
    expect((await encrypt({ plaintext: 'AAAA' }, 'made')).status).toBe(201)
    const states = eventsOf(appliance)
      .filter(
        ({ operation, outcome, vault: id }) =>
          outcome === 'allowed' && operation === 'transparent.settings' && id === vault.id,
      )
      .map(({ rows }) => String((rows as Record<string, string>)[`vault ${vault.id}`]))
    expect(states.map((state) => state.endsWith(' strict'))).toEqual([true, false, true, false])
  })
})

describeUpgrade(
  'a vault of the release before is not strict',
  {
    before: 'NarrowerRights1700000000035',
    statements: [
      `INSERT INTO vaults (id, name, policy_id, description, key_id, created_at) VALUES (3, 'Ledgers', 16, '', 'aa', 5)`,
    ],
  },
  async (store) => {
    expect(await findVault(store.read, 3)).toMatchObject({ name: 'Ledgers', strict: 0 })
  },
)
