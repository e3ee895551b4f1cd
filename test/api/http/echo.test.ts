import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import type { CallOptions, Envelope } from '../../support/client.ts'
import { strongroom } from '../../support/console-kit.ts'
import { createObject, formWith } from '../../support/object-kit.ts'
import { curl } from '../../support/wire.ts'

const secret = 'never to be repeated'

// A separate appliance, because a template of the site is added.
const appliance = applianceForTests(() => TestAppliance.own())
const vault = vaultForTests(appliance)
let objectId: string

beforeAll(async () => {
  objectId = await createObject(vault.admin, vault.id)
})

/**
 * The members of DATA other than the token. The body is sent as raw text, because the test client would expect all of
 * it in the echo.
 */
async function echoed(method: string, path: string, body: unknown, options: CallOptions = {}): Promise<object> {
  const { json } = await vault.admin.call(method, path, { raw: JSON.stringify(body), ...options })
  expect(JSON.stringify(json)).not.toContain(secret)
  const { token: _token, ...data } = json.DATA as Record<string, unknown>
  return data
}

const server = { templateid: '1', host: 'h', username: 'u', unknown: 'kept' }

describe('secret fields of objects', () => {
  const secrets = { password: secret, cryptedinfo: secret }

  it('are not echoed by what makes and changes an object', async () => {
    const members = { ...server, groupid: vault.id }
    expect(await echoed('POST', '/object', { ...members, ...secrets })).toEqual(members)
    expect(await echoed('PUT', `/object/${objectId}`, { host: 'other', ...secrets })).toEqual({ host: 'other' })
    expect(await echoed('POST', '/object', { groupid: vault.id, templateid: 5, name: 'n', note: secret })).toEqual({
      groupid: vault.id,
      templateid: 5,
      name: 'n',
    })
  })

  it('are not echoed of forms and queries', async () => {
    const form = formWith({ groupid: vault.id, templateid: 33, password: secret }, Buffer.from('x'), 'a.p12')
    expect(await echoed('POST', '/object', undefined, form)).toEqual({ groupid: vault.id, templateid: '33' })
    const raw = new URLSearchParams({ host: 'third', password: secret }).toString()
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    expect(await echoed('PUT', `/object/${objectId}`, undefined, { raw, headers })).toEqual({ host: 'third' })
    const query = new URLSearchParams({ password: secret, colour: 'red' }).toString()
    expect(await echoed('PUT', `/object/${objectId}?${query}`, {})).toEqual({ colour: 'red' })
  })

  it('are not echoed by refusals', async () => {
    for (const members of [{ groupid: '99999' }, { groupid: vault.id, templateid: 2 }, {}])
      expect(await echoed('POST', '/object', { ...members, ...secrets })).toEqual(members)
    expect(await echoed('POST', '/object', { ...server, ...secrets }, { token: 'not a token' })).toEqual(server)
    expect(await echoed('PUT', '/object/99999', { host: 'h', ...secrets })).toEqual({ host: 'h' })
  })

  it('are told by the flags of the templates of the site as well', async () => {
    const document = JSON.parse(
      readFileSync(new URL('../../../config/template.example.json', import.meta.url), 'utf8'),
    ) as { INFO: Record<string, unknown>; STRUCTURE: Record<string, Record<string, unknown>> }
    document.INFO['id'] = '1077'
    const field = document.STRUCTURE['password']
    document.STRUCTURE = { host: document.STRUCTURE['host'] ?? {}, door_code: { ...field } }
    const file = join(appliance.directory, 'site-template.json')
    writeFileSync(file, JSON.stringify(document))
    const members = { groupid: vault.id, templateid: 1077, host: 'h' }
    expect(await echoed('POST', '/object', { ...members, door_code: 'open' })).toHaveProperty('door_code')
    expect(await strongroom(appliance.configFile, ['template', 'add', file])).toMatchObject({ status: 0 })
    expect(await echoed('POST', '/object', { ...members, door_code: secret })).toEqual(members)
  })
})

describe('the plaintext of an encryption', () => {
  const plaintext = Buffer.from(secret).toString('base64')
  const path = (): string => `/transparent/${vault.id}/encrypt/echo`

  it('is not echoed, alone or of many', async () => {
    expect(await echoed('POST', path(), { plaintext, aad: 'AAAA' })).toEqual({ aad: 'AAAA' })
    const batch = { batch_input: [{ plaintext, aad: 'AAAA' }, { plaintext }] }
    const { json } = await vault.admin.call('POST', path(), { raw: JSON.stringify(batch) })
    expect(json.CALLINFO['batch_results']).toHaveLength(2)
    expect(json.DATA).toEqual({ batch_input: [{ aad: 'AAAA' }, {}], token: vault.admin.token })
    expect(JSON.stringify(json)).not.toContain(plaintext)
  })

  it('is not echoed by a refusal', async () => {
    const refused = await vault.admin.call('POST', path(), { raw: JSON.stringify({ plaintext, key_version: 77 }) })
    expect([refused.json.CALLINFO.status, refused.json.DATA]).toEqual([
      'FAIL',
      { key_version: 77, token: vault.admin.token },
    ])
  })
})

describe('HEADERS', () => {
  it.each(['--http1.1', '--http2'])('repeats the headers under their customary names (%s)', async (version) => {
    const token = String(vault.admin.token)
    const shown = [`x-http-token: ${token}`, 'x-oddly-NAMED: yes', 'user-agent: odd/1', 'X-Twice: a', 'X-Twice: b']
    const credentials = ['Authorization: Basic dTpw', 'Proxy-Authorization: Basic dTpw', 'Cookie: other=dTpw']
    const headers = [...shown, ...credentials].flatMap((line) => ['-H', line])
    const answer = await curl(appliance, '/vault', version, ...headers)
    const { HEADERS } = JSON.parse(answer.slice(answer.indexOf('{'))) as Envelope
    expect(HEADERS).toEqual({
      Host: new URL(appliance.url).host,
      Accept: '*/*',
      'X-Http-Token': token,
      'X-Oddly-Named': 'yes',
      'User-Agent': 'odd/1',
      'X-Twice': 'a, b',
    })
    expect(answer).not.toContain('dTpw')
  })
})

describe('calls with an echo of their own', () => {
  it('the login echoes what was sent, as the specification says', async () => {
    const body = { username: 'nobody', passphrase: 'wrong', apikey: 'wrong', otp: '123456', logintype: 'totp' }
    expect((await vault.admin.call('POST', '/auth', { body, token: null })).json.DATA).toEqual(body)
  })

  it('the login types echo nothing, whatever is sent', async () => {
    const token = String(vault.admin.token)
    const answers: Envelope[] = [
      (await vault.admin.get('/authinfo/logintypes')).json,
      (await vault.admin.get(`/authinfo/logintypes?token=${token}&a=1`, { token: null })).json,
      (await vault.admin.call('GET', '/authinfo/logintypes', { raw: JSON.stringify({ token }) })).json,
    ]
    for (const { CALLINFO, DATA, PARAMS } of answers) {
      expect([CALLINFO.status, DATA, PARAMS]).toEqual(['SUCCESS', [], []])
      expect(CALLINFO).not.toHaveProperty('token')
    }
  })

  it('JSON sent to a call that needs a form is echoed, but for secrets', async () => {
    const body = { file1: 'a', password: secret, passphrase: secret }
    expect(await echoed('POST', '/filecollect', body)).toEqual({ file1: 'a' })
    expect(await echoed('POST', '/usercert/1', { comment: 'mine' })).toEqual({ comment: 'mine' })
    const { status, json } = await vault.admin.call('POST', '/usercert/1', { raw: '{"token":', token: null })
    expect([status, Object.keys(json.ERRORCODES ?? {})]).toEqual([400, ['1812', '2000']])
  })
})
