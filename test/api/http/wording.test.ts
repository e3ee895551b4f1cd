import { beforeAll, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import type { TestClient } from '../../support/client.ts'

/**
 * Sends members that should be numbers and are not. The refusal says what to send, and reveals nothing about the check.
 */

const appliance = applianceForTests(() => TestAppliance.own())
let client: TestClient
let places: Readonly<Record<string, string>>

beforeAll(async () => {
  const user = await appliance.addUser(['read', 'createVault', 'admin', 'active'])
  client = await appliance.login(user)
  const [{ id }] = (await client.must('POST', '/vault', { vaultname: 'Words' }))['VAULT'] as [{ id: string }]
  places = { vault: id, user: String(user.id) }
  await client.must('POST', `/transparent/${id}/keys/known`)
})

const wrongNumbers = ['', 'x', '-1', '1e3', '0x10', ' 7', '9'.repeat(30), -1, 1.5, 1e30, true, null, [], {}]

it.each([
  ['POST', '/object', 'groupid', { templateid: '1' }],
  ['POST', '/object', 'templateid', { groupid: ':vault' }],
  ['POST', '/object', 'parentid', { groupid: ':vault', templateid: '1' }],
  ['POST', '/vault', 'policy', { vaultname: 'x' }],
  ['PUT', '/user/:user', 'status', {}],
  ['POST', '/user/:user/otp', 'digits', { kind: 'totp' }],
  ['POST', '/utils/get_mime_type', 'size', { data: '', extension: 'txt' }],
  ['POST', '/transparent/random', 'bytes', {}],
  ['POST', '/transparent/:vault/datakey/wrapped/known', 'bits', {}],
  ['POST', '/transparent/:vault/encrypt/known', 'key_version', { plaintext: 'AAAA' }],
  ['POST', '/transparent/:vault/keys/other', 'rotation_period', {}],
  ['POST', '/vault/:vault/member/:user', 'status', {}],
])('%s %s: %s', async (method, path, member, others) => {
  const filled = (text: string): string => text.replaceAll(/:(vault|user)/g, (_all, name: string) => places[name] ?? '')
  const body = JSON.parse(filled(JSON.stringify(others))) as object
  for (const wrong of wrongNumbers) {
    const { status, json } = await client.call(method, filled(path), { body: { ...body, [member]: wrong } })
    // An empty list of bits is a valid status, and some numbers are ids of others.
    if (status < 300) continue
    const told = `${JSON.stringify(wrong)}: ${json.ERRORS?.[0]}`
    expect([status >= 400 && status < 500, told]).toEqual([true, expect.not.stringMatching(/Invalid|pattern|NaN|\\d/)])
    if (typeof wrong === 'number') expect(told).not.toMatch(/characters/)
  }
})

it('GET /utils/pwgen: the types are listed, but for the empty text that stands for none', async () => {
  const { json } = await client.get('/utils/pwgen?type=x')
  expect(json.ERRORS).toEqual(['type must be one of secure, pin, pronounceable, pronouncable, bytes, opie, diceword.'])
})

it.each(['length', 'policyid', 'words', 'min_char'])('GET /utils/pwgen: %s', async (member) => {
  for (const wrong of ['x', '-1', '1.5', '0x10', '99999', '9'.repeat(30)]) {
    const { status, json } = await client.get(`/utils/pwgen?type=diceword&${member}=${wrong}`)
    expect([status, json.ERRORS?.[0]]).toEqual([400, expect.not.stringMatching(/Invalid|pattern|\\d/)])
  }
})
