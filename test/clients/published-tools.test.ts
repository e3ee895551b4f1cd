import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCertificate, makeSamples, type Samples } from '../support/file-samples.ts'
import type { TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { totpCode } from '../support/hardware-token.ts'
import { startForClients } from './client-kit.ts'
import { keysOf, must, mustFail, only, python, pythonForm, records, speaker, type Say } from './published-kit.ts'

/**
 * The command line tools. They take a token from the file that tokenhandler writes, check it, and go on with it: in the query, in the
 * JSON or in the form, never in a header. JSON goes without Content-Type. The appliance replaces tokens here with every third call,
 * and none of them but tokenhandler ever reads a new one.
 */

const tool = { headers: python.headers }
const behindProxy = { headers: { ...tool.headers, Authorization: 'Basic cHJveHk6cHJveHk=' } }
const fields = { host: 'db1.example.test', username: 'netops', password: 'S3cret-pass.phrase' }

const appliance = applianceForTests(() => startForClients({ session: { rotateAfterUses: 3 }, http: { workers: 1 } }))
let user: TestUser
let say: Say
let proxied: Say
/** As it stands in the file. */
let token: string
let vaultId: string
let objectId: string

beforeAll(async () => {
  user = await appliance.addUser()
  say = speaker(appliance, tool)
  proxied = speaker(appliance, behindProxy)
  token = await freshToken()
})

async function freshToken(): Promise<string> {
  const { CALLINFO } = await must(say('POST', '/auth', keysOf(user, appliance.applicationKey)))
  // The tools refuse any other.
  expect(CALLINFO.token).toMatch(/^[a-zA-Z0-9]{42}$/)
  return CALLINFO.token ?? ''
}

/** How every run of a tool begins. */
async function checked(): Promise<string> {
  const { DATA } = await must(say('POST', '/auth/check', { token }))
  expect(DATA).toEqual({ token })
  return `token=${token}`
}

describe('csv-importer', () => {
  it('makes a vault for a user who has none, and reads its id behind VAULTS', async () => {
    const query = await checked()
    expect((await must(proxied('GET', `/vault?${query}`)))['VAULTS']).toEqual([])
    const fields = { token, groupname: 'Imported', policy: '7', description: '' }
    const created = await must(proxied('POST', '/vault', fields))
    expect(created.DATA).toEqual(fields)
    expect(records(created, 'VAULTS')).toHaveLength(1)
    vaultId = String(only(created, 'VAULT')['id'])
    const listed = only(await must(proxied('GET', `/vault?${query}`)), 'VAULTS')
    // It puts ids together with texts.
    expect(listed).toMatchObject({ id: vaultId, groupname: 'Imported', policy: '7', status: '4', description: '' })
    await mustFail(proxied('GET', `/vault/${vaultId}9?${query}`), 404, 1400)
  })

  it('maps columns by the order of a template, one row to an object, and prints why a row is refused', async () => {
    const query = await checked()
    const all = records(await must(proxied('GET', `/template?${query}`)), 'TEMPLATE') as { INFO: { id: string } }[]
    const { TEMPLATE } = await must(proxied('GET', `/template/1?${query}`))
    const one = TEMPLATE as { INFO: object; STRUCTURE: Record<string, object> }
    expect([one.INFO, one]).toEqual([
      { id: '1', name: 'Server', ico: 'ico_server', active: true, wb: true },
      all.find(({ INFO }) => INFO.id === '1'),
    ])
    expect(Object.keys(one.STRUCTURE)).toEqual(['host', 'username', 'password', 'info', 'cryptedinfo'])
    const traits = ['encrypted', 'show', 'policy', 'alarm', 'opt', 'cc', 'nc']
    for (const field of Object.values(one.STRUCTURE))
      expect(field).toMatchObject(Object.fromEntries(traits.map((trait) => [trait, expect.any(Boolean)])))
    expect(one.STRUCTURE['password']).toMatchObject({
      type: 'text-passwdgen',
      encrypted: true,
      translation: 'Password',
    })

    const row = { token, groupid: vaultId, templateid: '1', parentid: '0', objectname: 'db1', ...fields }
    const { CALLINFO, DATA } = await must(proxied('POST', '/object', row))
    expect([CALLINFO, DATA]).toMatchObject([{ status: 'SUCCESS', objectid: expect.stringMatching(/^\d+$/) }, { token }])
    objectId = String(CALLINFO['objectid'])
    const contents = await must(proxied('GET', `/vault/${vaultId}?${query}`))
    const { password: _, ...open } = fields
    expect(only(contents, 'OBJECTS')).toMatchObject({
      objectname: 'db1',
      groupid: vaultId,
      public: { ...open, info: '' },
    })
    const refused = await mustFail(proxied('POST', '/object', { ...row, host: '' }), 400, 1611)
    expect(refused.ERRORS?.[0]).toMatch(/^host must not be empty/)
    expect((await mustFail(proxied('GET', `/template/987?${query}`), 404, 1600)).ERRORS).toEqual(['NO SUCH TEMPLATE'])
  })
})

describe('x509-vacuumer', () => {
  let samples: Samples
  let pem: Buffer

  beforeAll(() => {
    samples = makeSamples()
    const names = [
      '-addext',
      'subjectAltName=DNS:www.example.test,DNS:example.test',
      '-addext',
      'keyUsage=digitalSignature',
    ]
    pem = makeCertificate(samples, 'www', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], ...names)
  })
  afterAll(() => samples.cleanup())

  it('has a certificate read, stores what was read without a name, and knows it again', async () => {
    const query = await checked()
    const file1 = 'www.example.test.crt'
    const file = { part: 'file', filename: file1, content: pem, type: 'application/x-x509-ca-cert' }
    const collected = await must(proxied('POST', '/filecollect', ...pythonForm({ file1, token }, file)))
    const data = collected.DATA as Record<string, string>
    // All of it goes into a form next, which takes texts only.
    expect(Object.values(data).filter((value) => typeof value !== 'string')).toEqual([])
    expect(data).toEqual({
      token,
      file1,
      templateid: expect.stringMatching(/^\d+$/),
      cn: 'www.example.test',
      issuer: expect.stringContaining('www.example.test'),
      validfrom: expect.any(String),
      validto: expect.any(String),
      algorithm: 'EC',
      keylength: '256',
      keyusage: expect.any(String),
      altnamedns: expect.stringContaining('example.test'),
    })
    expect(collected['STRUCTURE']).toMatchObject({ cn: { val: data['cn'], alarmed: '', ischanged: false } })

    const more = { info: 'www.example.test:443\nfound by the nightly run', parentid: '0', groupid: vaultId }
    const { CALLINFO } = await must(proxied('POST', '/object', ...pythonForm({ ...data, ...more }, file)))
    const contents = await must(proxied('GET', `/vault/${vaultId}?${query}`))
    const stored = records(contents, 'OBJECTS').find(({ id }) => id === CALLINFO['objectid'])
    const { token: _token, templateid, ...open } = data
    expect(stored).toMatchObject({
      objectname: 'www.example.test',
      groupid: vaultId,
      templateid,
      filename: file1,
      public: { ...open, info: more.info },
    })
    expect(records(contents, 'TEMPLATES').map(({ id }) => id)).toContain(templateid)
  })
})

describe('vault-client, ssssh and the ansible lookup', () => {
  it('find one object, and print its password', async () => {
    const query = await checked()
    const found = await must(say('GET', `/find?${query}&needle=db1.example.test`))
    expect(found.DATA).toEqual({ token, needle: 'db1.example.test' })
    const { id, public: open } = only(found, 'OBJECT')
    expect([id, open]).toEqual([objectId, { host: fields.host, username: fields.username, info: '' }])
    const read = await must(say('GET', `/object/${objectId}?${query}&decrypt=true`))
    expect(only(read, 'OBJECT')['crypted']).toEqual({ password: fields.password, cryptedinfo: '' })
    expect(read.DATA).toEqual({ token, decrypt: 'true' })
  })

  it('look several terms up, in objects and files', async () => {
    const file = { part: 'upload', filename: 'key.txt', content: 'five\xff\xfe bytes' }
    const about = { token, groupid: vaultId, parentid: '0', description: 'of the lookup' }
    const { CALLINFO } = await must(say('POST', '/object', ...pythonForm(about, file)))
    const query = await checked()
    const terms = await Promise.all([
      must(say('GET', `/object/${objectId}?${query}&decrypt=true`)),
      must(say('GET', `/object/${String(CALLINFO['objectid'])}?${query}&decrypt=true&filedata=true`)),
    ])
    const [login, upload] = terms.map((term) => only(term, 'OBJECT'))
    expect([login, upload]).toMatchObject([
      { crypted: { password: fields.password }, public: { username: 'netops' }, objectname: 'db1' },
      { crypted: {}, public: { description: about.description, file1: 'key.txt' } },
    ])
    expect(login).not.toHaveProperty('fileinfo')
    expect(terms[0]).not.toHaveProperty('FILEDATA')
    expect(Buffer.from(String(terms[1]?.['FILEDATA']), 'base64').toString()).toBe(file.content)
  })

  it('log in again behind a 403 with 1200', async () => {
    const dead = await mustFail(say('POST', '/auth/check', { token: 'x'.repeat(42) }), 403, 1200)
    expect(dead.ERRORS?.length).toBeGreaterThan(0)
    await mustFail(say('GET', `/object/${objectId}?decrypt=true`), 403, 1200)
  })
})

describe('tokenhandler', () => {
  it('logs in with the keys, or with a code that it calls TOTP, and saves the token that a check answers with', async () => {
    const { username, passphrase } = user
    const totp = { username, passphrase, otp: totpCode(user.totpSecret), logintype: 'totp' }
    await must(say('POST', '/auth', { ...totp, apikey: appliance.applicationKey }))
    let saved = await freshToken()
    const seen = new Set<string>()
    for (let run = 0; run < 8; run++) {
      const { CALLINFO, DATA } = await must(say('POST', '/auth/check', { token: saved }))
      expect((DATA as { token: string }).token).toBe(saved)
      saved = CALLINFO.token ?? ''
      seen.add(saved)
    }
    expect(seen.size).toBeGreaterThan(2)
    expect((await must(say('GET', `/auth/logout?token=${saved}`))).CALLINFO['logout']).toEqual(expect.any(String))
    for (const dead of seen) await mustFail(say('POST', '/auth/check', { token: dead }), 403, 1200)
  })

  it('finds ERRORCODES and a status in every refusal, and none of them tells which factor was wrong', async () => {
    const good = keysOf(user, appliance.applicationKey)
    const bad = [
      { ...good, username: 'nobody' },
      { ...good, keys: `x${good.keys}` },
      { ...keysOf(user, 'x'.repeat(10)) },
      { ...good, keys: good.keys.slice(0, -1) + (good.keys.endsWith('c') ? 'b' : 'c') },
    ]
    const told = []
    for (const body of bad) told.push(await mustFail(say('POST', '/auth', body), 403, 1201))
    expect(new Set(told.map(({ ERRORS }) => JSON.stringify(ERRORS))).size).toBe(1)
    await mustFail(say('POST', '/auth', '{"username"'), 400, 1800)
    await mustFail(say('POST', '/auth/check', { token: 'none' }), 403, 1200)
  })
})
