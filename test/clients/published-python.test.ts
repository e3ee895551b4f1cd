import { beforeAll, expect, it } from 'vitest'
import type { TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { totpCode } from '../support/hardware-token.ts'
import { startForClients } from './client-kit.ts'
import { libraryLogin, must, mustFail, only, python, pythonForm, speaker, type Say } from './published-kit.ts'

/** The library for Python: its requests, header by header, and what its users read of the answers. */

const decimal: unknown = expect.stringMatching(/^[1-9]\d*$/)
const fields = { host: 'core1.example.test', username: 'netops', password: 'S3cret-pass.phrase', info: 'rack 4' }

const appliance = applianceForTests(startForClients)
let user: TestUser
let say: Say
let vaultId: string
let objectId: string

beforeAll(async () => {
  user = await appliance.addUser(['read', 'createVault', 'admin', 'active'])
  const login = libraryLogin(user, appliance.applicationKey)
  const { CALLINFO } = await must(speaker(appliance, python)('POST', '/auth', login))
  say = speaker(appliance, python, CALLINFO.token)
})

it('logs in with either factor, and finds a token behind exactly 200', async () => {
  const anonymous = speaker(appliance, python)
  const { username, passphrase } = user
  const totp = { username, passphrase, logintype: 'totp', apikey: appliance.applicationKey }
  const byTotp = await must(anonymous('POST', '/auth', { ...totp, otp: totpCode(user.totpSecret) }))
  for (const { CALLINFO } of [
    byTotp,
    await must(anonymous('POST', '/auth', libraryLogin(user, appliance.applicationKey))),
  ])
    expect(CALLINFO).toMatchObject({
      handler: 'AuthHandler',
      token: expect.stringMatching(/^[A-Za-z0-9]{42}$/),
      fingerprint: expect.stringMatching(/^[0-9A-F]{40}$/),
      userid: String(user.id),
      userstatus: expect.stringMatching(/^\d+$/),
      username,
      fullname: expect.any(String),
      timeout: 3_600_000,
      filesupport: 3,
      version: expect.any(String),
      password: expect.any(String),
      audit: { violations: [], warnings: expect.anything() },
    })
  const refused = await mustFail(anonymous('POST', '/auth', { ...totp, otp: '000000' }), 403, 1201)
  expect(refused.CALLINFO).not.toHaveProperty('token')
})

it('sends {} to /auth/check and reads the bare envelope', async () => {
  expect(await must(say('POST', '/auth/check', {}))).toEqual({
    CALLINFO: {
      errorcodes: 0,
      errors: 0,
      general: [],
      handler: 'AuthHandler',
      status: 'SUCCESS',
      token: expect.any(String),
    },
    DATA: { token: expect.any(String) },
    HEADERS: expect.objectContaining({ 'User-Agent': 'python-requests/2.31.0', 'X-Http-Token': expect.any(String) }),
    PARAMS: [],
  })
})

it('makes, lists, edits and shares vaults', async () => {
  const created = await must(say('POST', '/vault', { vaultname: 'Routers' }))
  const vault = { id: decimal, groupname: 'Routers', policy: '16', description: 'Routers', status: '4' }
  expect([created.CALLINFO, created['VAULT'], created['VAULTS']]).toEqual([
    expect.objectContaining({ message: 'Vault created', handler: 'VaultHandler' }),
    [{ ...vault, statustext: 'Admin' }],
    created['VAULT'],
  ])
  vaultId = String(only(created, 'VAULT')['id'])
  const edited = await must(say('PUT', `/vault/${vaultId}`, { policy: 7 }))
  expect(edited.CALLINFO).toMatchObject({ message: 'Vault updated', handler: 'VaultHandler' })
  expect(edited['VAULT']).toEqual([{ ...vault, policy: '7', statustext: 'Admin' }])
  const listed = await must(say('GET', '/vault'))
  expect([listed.CALLINFO.handler, listed['VAULTS']]).toEqual(['GroupHandler', edited['VAULT']])

  const member = await appliance.addUser()
  const place = `/vault/${vaultId}/member/${member.id}`
  const handler = 'VaultmembersHandler'
  expect((await must(say('POST', place, { status: '1' }))).CALLINFO).toMatchObject({ message: 'User added', handler })
  expect((await must(say('PUT', place, { status: 2 }))).CALLINFO).toMatchObject({ message: 'User updated', handler })
  const { CALLINFO } = await must(say('GET', `/vault/${vaultId}/members`))
  expect(CALLINFO['vaultmembers']).toContainEqual({
    id: String(member.id),
    username: member.username,
    fullname: expect.any(String),
    email: `${member.username}@example.test`,
    groupstatus: '2',
    status: '131',
  })
  const removed = await must(say('DELETE', place))
  expect([removed.CALLINFO['message'], (removed.DATA as { userid: unknown }).userid]).toEqual([
    'User removed from vault',
    member.id,
  ])
})

it('makes an object, and finds in its record every member with the type it knows', async () => {
  const form = { templateid: 1, groupid: vaultId, parentid: 0, objectname: 'core1', ...fields }
  const created = await must(say('POST', '/object', { ...form, password: 'weak' }))
  expect([created.CALLINFO.general, created.CALLINFO['message']]).toEqual([['BAD_POLICY'], 'Object successfully saved'])
  objectId = String(created.CALLINFO['objectid'])
  const { password, ...open } = fields
  const record = {
    id: objectId,
    parentid: '0',
    templateid: '1',
    groupid: vaultId,
    status: '1152',
    objectname: 'core1',
    filename: '',
    children: '0',
    notes: false,
    tags: '',
    version: '1',
    alarmed: false,
    public: open,
  }
  const read = await must(say('GET', `/object/${objectId}?decrypt=false&children=false`))
  expect([read['OBJECT'], read['BREADCRUMB'], only(read, 'TEMPLATES')['id']]).toEqual([[record], [], '1'])
  const edited = await must(say('PUT', `/object/${objectId}`, { password }))
  expect(edited.CALLINFO.general).toEqual([])
  expect((await must(say('GET', `/object/${objectId}?decrypt=true`)))['OBJECT']).toEqual([
    { ...record, version: '2', status: '128', crypted: { password, cryptedinfo: '' } },
  ])
  const contents = await must(say('GET', `/vault/${vaultId}`))
  expect([contents.CALLINFO.handler, only(contents, 'OBJECTS')]).toEqual([
    'GroupHandler',
    { ...record, version: '2', status: '128' },
  ])
})

it('finds what it looks for with + or %20 for a space, and a % that nobody encoded, and the vault of it beside', async () => {
  await must(say('PUT', `/object/${objectId}`, { info: 'rack 4 + ö, 100%' }))
  for (const needle of ['RACK+4', 'rack%204', 'rack+4+%2B+%C3%B6', '100%', '100%25']) {
    const found = await must(say('GET', `/find?needle=${needle}`))
    expect([found.CALLINFO.handler, only(found, 'OBJECT')['id'], only(found, 'VAULTS')['id']]).toEqual([
      'FindHandler',
      objectId,
      vaultId,
    ])
  }
  expect((await must(say('GET', '/find?needle=nowhere')))['OBJECT']).toEqual([])
})

it('shows the first 64 bytes of a file, uploads it as the part "upload" and gets all of it back', async () => {
  const content = Buffer.from(Array.from({ length: 256 }, (_, at) => at))
  const filename = 'all bytes ö.bin'
  const part = { part: 'upload', filename }
  const type = { data: content.subarray(0, 64).toString('base64'), extension: '.bin', size: 256 }
  expect((await must(say('POST', '/utils/get_mime_type', type)))['RESULT']).toEqual({
    mimetype: 'application/octet-stream',
    size: 256,
    max_file_size: expect.any(Number),
  })
  const about = { templateid: '3', groupid: vaultId, parentid: '0', description: '' }
  const [sample, sampleHeaders] = pythonForm(about, { ...part, content: content.subarray(0, 64) })
  const collected = await must(say('POST', '/filecollect', sample, sampleHeaders))
  expect(collected.CALLINFO.handler).toBe('FilecollectHandler')
  expect(collected.DATA).toMatchObject({ templateid: 3 })
  expect(collected['STRUCTURE']).toMatchObject({ file1: { val: filename, alarmed: '', ischanged: false } })
  const [file, headers] = pythonForm(about, { ...part, content })
  const { CALLINFO } = await must(say('POST', '/object', file, headers))
  const id = String(CALLINFO['objectid'])
  const got = await must(say('GET', `/object/${id}?decrypt=true&filedata=true`))
  expect(got['FILEDATA']).toBe(content.toString('base64'))
  expect(only(got, 'OBJECT')).toMatchObject({
    objectname: filename,
    filename,
    fileinfo: {
      objectid: id,
      name: filename,
      size: '256',
      type: 'application/octet-stream',
      filepath: expect.any(String),
      created: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      ext: 'bin',
      iconpath: expect.any(String),
    },
  })
  await must(say('DELETE', `/object/${id}`))
})

it('manages users by id and by a text to search for', async () => {
  const bob = { username: 'bob01', fullname: 'Bob Example', email: 'bob@example.test', status: [2, 3, 7] }
  const passphrase = 'seven wooden lanterns on the quay'
  const { CALLINFO: created } = await must(say('POST', '/user', { ...bob, passphrase, totp: true }), 201)
  expect(created).toMatchObject({ calculated_status: 140, user_created: 'Bob Example', handler: 'UserHandler' })
  const { CALLINFO: searched } = await must(say('GET', '/user/bo'))
  const [found] = searched['users'] as { id: string }[]
  const shown = {
    ...bob,
    id: decimal,
    status: '140',
    otpprefix: '',
    fingerprint: expect.any(String),
    tags: [],
    bits: { 2: 'Admin', 3: 'Audit', 7: 'Active' },
  }
  expect([searched['users'], created['user']]).toEqual([[shown], [shown]])
  expect((await must(say('GET', `/user/${found?.id}`))).CALLINFO['users']).toEqual([found])
  const edited = await must(say('PUT', `/user/${found?.id}`, { fullname: 'Bob Changed' }))
  expect(edited.CALLINFO).toMatchObject({ calculated_status: 140, user_created: 'Bob Changed' })
  expect((await must(say('DELETE', `/user/${found?.id}`))).CALLINFO['calculated_status']).toBe(12)
})

it('reads bits, policies, the version and a password', async () => {
  const callinfo = async (path: string) => (await must(say('GET', `/utils/${path}`))).CALLINFO
  expect(await callinfo('statusvalues')).toMatchObject({
    handler: 'UtilsHandler',
    statusbits: {
      userbits: { Active: 7, Admin: 2, Audit: 3, Changepass: 6, Read: 0, Write: 1 },
      vaultbits: { Admin: 2, Read: 0, Write: 1 },
    },
  })
  expect((await callinfo('policies'))['policies']).toContainEqual({ id: 16, name: expect.any(String), rules: {} })
  expect((await callinfo('version'))['version']).toMatch(/^\d+\.\d+\.\d+-build\d+$/)
  expect(await callinfo('pwgen?type=pin&length=6')).toMatchObject({
    passphrase: expect.stringMatching(/^\d{6}$/),
    length: 6,
    type: 'pin',
  })
})

it('sends the name of a file as older versions of its parts write it', async () => {
  const [form, headers] = pythonForm({ groupid: vaultId }, { part: 'upload', filename: 'FILE', content: 'a file' })
  const body = form.toString().replace('filename="FILE"', "filename*=utf-8''%C3%B6.txt")
  const { CALLINFO } = await must(say('POST', '/object', body, headers))
  const read = await must(say('GET', `/object/${String(CALLINFO['objectid'])}`))
  expect(only(read, 'OBJECT')).toMatchObject({ filename: 'ö.txt', templateid: '3', fileinfo: { ext: 'txt' } })
})

it('is told what the first 64 bytes of a certificate show, in texts', async () => {
  const pem = `-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ0b1qk4Dd2mXyZx9`
  const part = { part: 'upload', filename: 'www.pem', content: pem.slice(0, 64) }
  const { DATA, STRUCTURE } = await must(say('POST', '/filecollect', ...pythonForm({}, part)))
  expect(DATA).toMatchObject({ templateid: expect.stringMatching(/^\d+$/), file1: 'www.pem', cn: '', keylength: '' })
  expect(STRUCTURE).toMatchObject({ file1: { val: 'www.pem' }, cn: { val: '' } })
})
