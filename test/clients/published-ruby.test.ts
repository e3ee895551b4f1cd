import { operatorId } from '../../src/access/confirmation.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { hotpCodes } from '../support/hardware-token.ts'
import { startForClients } from './client-kit.ts'
import { exchanged, libraryLogin, must, mustFail, only, records, speaker, type Say } from './published-kit.ts'

/** The library for Ruby, what is built on it, and what holds for every client. */

const ruby = {
  headers: {
    'Accept-Encoding': 'gzip;q=1.0,deflate;q=0.6,identity;q=0.3',
    Accept: '*/*',
    'User-Agent': 'Ruby',
    Connection: 'close',
  },
  withJson: { 'Content-Type': 'application/json' },
}

const appliance = applianceForTests(startForClients)
let user: TestUser
let say: Say
let vaultId: string

beforeAll(async () => {
  user = await appliance.addUser(['read', 'createVault', 'admin', 'active'])
  say = speaker(appliance, ruby, await freshToken())
  const created = await must(say('POST', '/vault', { groupname: 'Routers', policy: 7, description: 'x' }))
  vaultId = String(only(created, 'VAULT')['id'])
})

async function freshToken(): Promise<string> {
  const login = libraryLogin(user, appliance.applicationKey)
  return (await must(speaker(appliance, ruby)('POST', '/auth', login))).CALLINFO.token ?? ''
}

describe('storedsafe-ruby', () => {
  it('asks with an empty query, and sends a body with DELETE', async () => {
    expect((await must(say('GET', '/vault?')))['VAULTS']).toHaveLength(1)
    expect((await must(say('GET', '/auth/check?'))).CALLINFO.handler).toBe('AuthHandler')
    expect((await must(say('GET', '/template/1?')))['TEMPLATE']).toMatchObject({ INFO: { id: '1', name: 'Server' } })
    const { CALLINFO } = await must(say('POST', '/vault', { groupname: 'Passing', policy: 8, description: 'x' }))
    expect(CALLINFO['message']).toBe('Vault created')
    const passing = records(await must(say('GET', '/vault?')), 'VAULTS').find((vault) => vault['policy'] === '8')
    expect((await must(say('DELETE', `/vault/${String(passing?.['id'])}`, {}))).CALLINFO['message']).toBe(
      'Vault deleted',
    )
  })

  it('logs in with an HOTP code, be it called TOTP or the end of the keys', async () => {
    const anonymous = speaker(appliance, ruby)
    const holder = await appliance.addUser()
    const { username, passphrase } = holder
    const { secret } = await appliance.services.enrolments.enrolCodes(
      holder,
      { kind: 'hotp' },
      operatorId,
      appliance.commit,
    )
    const [first = '', second = ''] = hotpCodes(secret, 0, { count: 2 })
    const apikey = appliance.applicationKey
    await must(anonymous('POST', '/auth', { username, passphrase, otp: first, logintype: 'totp', apikey }))
    const split = { username, keys: `${passphrase}${apikey}${second}`, apikey }
    await must(anonymous('POST', '/auth', split))
    await mustFail(anonymous('POST', '/auth', split), 403, 1201)
  })

  it('forgets its token after logging out', async () => {
    const passing = speaker(appliance, ruby, await freshToken())
    expect((await must(passing('GET', '/auth/logout?'))).CALLINFO['logout']).toEqual(expect.any(String))
    const dead = await mustFail(passing('GET', '/vault?'), 403, 1200)
    expect(dead.CALLINFO).not.toHaveProperty('token')
  })

  it('reads a folder with what lies in it, and the way up from there', async () => {
    const made = async (members: object) => {
      const { CALLINFO } = await must(say('POST', '/object', { templateid: 2, groupid: vaultId, ...members }))
      return String(CALLINFO['objectid'])
    }
    const folder = await made({ parentid: 0, objectname: 'Folder', name: 'Folder' })
    const inside = await made({ parentid: folder, objectname: 'Inside', name: 'Inside' })
    const read = await must(say('GET', `/object/${folder}?children=true`))
    expect(records(read, 'OBJECT').map(({ id, parentid, children }) => [id, parentid, children])).toEqual([
      [folder, '0', '1'],
      [inside, folder, '0'],
    ])
    expect((await must(say('GET', `/object/${inside}?children=false`)))['BREADCRUMB']).toEqual([
      { objectid: folder, objectname: 'Folder', icon: 'ico_folder' },
    ])
    expect((await must(say('DELETE', `/object/${inside}`, {}))).CALLINFO['message']).toBe('DELETED')
    expect((await must(say('DELETE', `/object/${folder}`, {}))).CALLINFO['message']).toBe('DELETED')
  })

  it('hiera finds a field in the template, and decrypts where that says so', async () => {
    const fields = { host: 'core1.example.test', username: 'netops', password: 'S3cret-pass.phrase' }
    const created = await must(say('POST', '/object', { templateid: 1, groupid: vaultId, parentid: 0, ...fields }))
    const id = String(created.CALLINFO['objectid'])
    const read = await must(say('GET', `/object/${id}?children=false`))
    const { templateid } = only(read, 'OBJECT')
    const template = records(read, 'TEMPLATES').find((one) => one['id'] === templateid) as {
      structure: { fieldname: string; encrypted: boolean }[]
    }
    const encrypted = Object.fromEntries(template.structure.map((field) => [field.fieldname, field.encrypted]))
    expect(encrypted).toEqual({ host: false, username: false, password: true, info: false, cryptedinfo: true })
    const decrypted = only(await must(say('GET', `/object/${id}?decrypt=true`)), 'OBJECT')
    expect(decrypted['crypted']).toMatchObject({ password: fields.password })
    const refused = await mustFail(say('GET', '/object/999999?children=false'), 404, 1610)
    expect(refused.ERRORS?.join(', ')).toMatch(/\.$/)
    // A good token is named in refusals too.
    expect(refused.CALLINFO.token).toMatch(/^[A-Za-z0-9]{42}$/)
  })

  it('ldap-utils turns a user off and on by the bitmap itself', async () => {
    const carol = await appliance.addUser()
    for (const active of [false, true]) {
      const { CALLINFO } = await must(say('GET', `/user?searchstring=${carol.username.slice(0, 15)}`))
      const [found] = CALLINFO['users'] as { id: string; status: string; email: string }[]
      expect(found?.email).toBe(`${carol.username}@example.test`)
      const status = Number.parseInt(found?.status ?? '', 10) ^ 128
      expect((status & 128) !== 0).toBe(active)
      expect((await must(say('PUT', `/user/${found?.id}`, { status }))).CALLINFO).toMatchObject({
        calculated_status: status,
      })
    }
  })
})

describe('whatever the client', () => {
  const sent = (method: string, path: string, more = {}, body?: string) =>
    exchanged(appliance, method, path, { Host: new URL(appliance.url).host, Connection: 'close', ...more }, body)

  it('the token may stand in a header of any case, and Basic authentication is for somebody else', async () => {
    const token = await freshToken()
    for (const name of ['x-http-token', 'X-HTTP-TOKEN', 'X-Http-Token']) {
      const more = { [name]: token, Authorization: 'Basic cHJveHk6cHJveHk=' }
      const { HEADERS } = await must(speaker(appliance, ruby)('GET', '/vault', undefined, more))
      expect(HEADERS).toMatchObject({ 'X-Http-Token': token })
      expect(HEADERS).not.toHaveProperty('Authorization')
    }
  })

  it('JSON is JSON in pieces of no known length, under any Content-Type and under none', async () => {
    const token = { 'X-Http-Token': await freshToken() }
    const json = JSON.stringify({ description: 'Vault of the länder' })
    const length = { 'Content-Length': String(Buffer.byteLength(json)) }
    const ways = [
      { 'Transfer-Encoding': 'chunked' },
      { 'Transfer-Encoding': 'chunked', 'Content-Type': 'application/json' },
      { ...length, 'Content-Type': 'text/plain;charset=UTF-8' },
      { ...length, 'Content-Type': 'application/x-www-form-urlencoded' },
      length,
    ]
    for (const way of ways) {
      const { status, text } = await sent('PUT', `/vault/${vaultId}`, { ...token, ...way }, json)
      expect([status, text.includes('"description":"Vault of the l\\u00e4nder"')]).toEqual([200, true])
    }
    expect((await sent('POST', '/auth/check', { ...token, 'Content-Length': '0' })).status).toBe(200)
  })

  it('nothing sent is an empty array in DATA', async () => {
    const { CALLINFO, DATA } = await must(speaker(appliance, ruby)('GET', '/authinfo/logintypes?'))
    expect([DATA, CALLINFO['enabled_login_types'], CALLINFO.handler]).toEqual([
      [],
      [['totp', 'hwkey_otp']],
      'AuthInfoHandler',
    ])
    expect(CALLINFO).not.toHaveProperty('token')
  })

  it('HEAD and OPTIONS are what they are elsewhere, and an unknown address is answered with JSON', async () => {
    const options = await sent('OPTIONS', '/vault')
    expect([options.status, String(options.headers['allow']).split(', ').toSorted(), options.text]).toEqual([
      204,
      ['GET', 'HEAD', 'OPTIONS', 'POST'],
      '',
    ])
    const head = await sent('HEAD', '/authinfo/logintypes')
    const get = await sent('GET', '/authinfo/logintypes/')
    expect([head.status, head.text, get.status]).toEqual([200, '', 200])
    expect(head.headers['content-type']).toBe(get.headers['content-type'])
    await mustFail(speaker(appliance, ruby)('GET', '/no/such/place'), 404, 1801)
  })
})
