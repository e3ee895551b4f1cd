import { beforeAll, describe, expect, it } from 'vitest'
import { toLegacyResponse } from '../../../src/http/contract/legacy-response.ts'
import { strongroom } from '../../support/console-kit.ts'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { makeVault } from '../../support/vault.ts'
import { curl } from '../../support/wire.ts'

type Members = Record<string, Record<string, unknown>>

const appliance = applianceForTests(() => TestAppliance.own())
let user: TestUser
let token: string
let applicationKey: string

const ask = async (...args: string[]) =>
  JSON.parse((await strongroom(appliance.configFile, ['--json', ...args])).stdout)

beforeAll(async () => {
  user = await appliance.addUser()
  applicationKey = (await ask('apikey', 'create', 'old', '--shapes', '2.0.5')).key
})

async function call(method: string, path: string, body?: object): Promise<{ status: number; json: Members }> {
  const sent = body === undefined ? [] : ['--data', JSON.stringify(body)]
  const [head = '', text = ''] = (await curl(appliance, path, '--http1.1', '-X', method, ...sent)).split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), json: JSON.parse(text) as Members }
}
const at = (path: string): string => `${path}?token=${token}`

describe('an application of release 2.0.5', () => {
  it('logs in, and the login has no audit', async () => {
    const credentials = { ...appliance.credentials(user), apikey: applicationKey }
    const { status, json } = await call('POST', '/auth', credentials)
    expect(status).toBe(200)
    expect(Object.keys(json).toSorted()).toEqual(['CALLINFO', 'DATA', 'PARAMS'])
    expect(json['CALLINFO']).toMatchObject({
      status: 'SUCCESS',
      errors: 0,
      username: user.username,
      version: '2.0.5',
    })
    for (const later of ['audit', 'errorcodes']) expect(json['CALLINFO']).not.toHaveProperty(later)
    token = String(json['CALLINFO']?.['token'])
  })

  it('reads vaults as GROUP, objects as OBJECT and templates as TEMPLATESINFO, keyed by id', async () => {
    const made = await call('POST', at('/vault'), { groupname: 'Routers' })
    const [id = ''] = Object.keys(made.json['GROUP'] ?? {})
    const record = { id, groupname: 'Routers', policy: '16', description: 'Routers', status: '4', statustext: 'Admin' }
    expect(made.json['GROUP']).toEqual({ [id]: record })
    expect((await call('GET', at('/vault'))).json['GROUP']).toEqual({ [id]: record })
    const read = await call('GET', at(`/vault/${id}`))
    expect(Object.keys(read.json).toSorted()).toEqual([
      'CALLINFO',
      'DATA',
      'GROUP',
      'OBJECT',
      'PARAMS',
      'TEMPLATESINFO',
    ])
    expect(read.json).toMatchObject({ GROUP: { [id]: record }, OBJECT: {}, TEMPLATESINFO: {} })
  })

  it('reads an object as OBJECT with its template as TEMPLATESINFO, and no BREADCRUMB', async () => {
    const [id = ''] = Object.keys((await call('GET', at('/vault'))).json['GROUP'] ?? {})
    const fields = { host: 'core1', username: 'netops', password: 'seven-Wooden-lanterns-7' }
    const made = await call('POST', at('/object'), { templateid: '4', groupid: id, parentid: '0', ...fields })
    const objectId = String(made.json['CALLINFO']?.['objectid'])
    const { json } = await call('GET', at(`/object/${objectId}`))
    expect(Object.keys(json).toSorted()).toEqual(['CALLINFO', 'DATA', 'OBJECT', 'PARAMS', 'TEMPLATESINFO'])
    expect(json['OBJECT']).toMatchObject({ [objectId]: { id: objectId, public: { host: 'core1' } } })
    expect(json['TEMPLATESINFO']).toMatchObject({
      4: { INFO: { id: '4', name: 'Login' }, STRUCTURE: { password: { encrypted: true } } },
    })
    expect((await call('GET', at(`/vault/${id}`))).json['OBJECT']).toHaveProperty(objectId)
  })

  it('reads templates keyed by id, and a single one in the same way, as csv-importer 1.0.4 takes its columns', async () => {
    for (const path of ['/template', '/template/4']) {
      const { TEMPLATE = {} } = (await call('GET', at(path))).json
      const { INFO, STRUCTURE = {} } = TEMPLATE['4'] as Members
      expect([INFO?.['name'], Object.keys(STRUCTURE)]).toEqual(['Login', ['host', 'username', 'password']])
    }
  })

  it('reads failures without ERRORCODES', async () => {
    const { status, json } = await call('GET', at('/vault/999'))
    expect(status).toBe(404)
    expect(Object.keys(json).toSorted()).toEqual(['CALLINFO', 'DATA', 'ERRORS', 'PARAMS'])
    expect(json['CALLINFO']).toMatchObject({ status: 'FAIL', errors: 1, token })
  })

  it('is answered in the shapes of 2.1.0 where it cannot be told that it is one', async () => {
    const credentials = { ...appliance.credentials(user), apikey: applicationKey, passphrase: 'wrong, and long enough' }
    for (const { status, json } of [await call('POST', '/auth', credentials), await call('GET', '/vault')]) {
      expect(status).toBe(403)
      expect(json).toMatchObject({ CALLINFO: { errorcodes: 1 }, ERRORCODES: { 2000: expect.any(String) }, HEADERS: {} })
    }
  })

  it('is changed, listed and recorded by the console, and the change counts at the next call', async () => {
    expect(await ask('apikey', 'list')).toMatchObject([
      { name: 'tests', shapes: '2.1.0' },
      { name: 'old', shapes: '2.0.5' },
    ])
    expect(await ask('apikey', 'shapes', 'old', '2.1.0')).toEqual({ name: 'old', shapes: '2.1.0' })
    expect((await call('GET', at('/vault'))).json).toMatchObject({ VAULTS: [{ groupname: 'Routers' }], HEADERS: {} })
    expect(await ask('apikey', 'shapes', 'old', '2.0.5')).toEqual({ name: 'old', shapes: '2.0.5' })
    expect((await call('GET', at('/vault'))).json).not.toHaveProperty('VAULTS')
    const run = async (...args: string[]) => (await strongroom(appliance.configFile, args)).status
    expect(await run('apikey', 'shapes', 'unknown', '2.0.5')).toBe(1)
    expect(await run('apikey', 'shapes', 'old', '2.0.4')).toBe(2)
    expect(await run('apikey', 'create', 'other', '--shapes', '3')).toBe(2)
  })

  it('changes nothing for other applications', async () => {
    const { admin } = await makeVault(appliance)
    expect(await admin.must('GET', '/vault')).toHaveProperty('VAULTS')
  })
})

describe('the shapes of 2.0.5', () => {
  const callinfo = { status: 'SUCCESS', errors: 0, errorcodes: 0, general: ['BAD_POLICY'], objectid: '7' }
  const old = (members: object) => toLegacyResponse({ CALLINFO: callinfo, ...members })

  it('key each list of records by id, and drop what came later', () => {
    const objects = [
      { id: '12', objectname: 'b', public: { host: 'x' } },
      { id: '7', objectname: 'a' },
    ]
    const byId = { 12: objects[0], 7: objects[1] }
    expect(old({ OBJECT: objects, BREADCRUMB: [{ objectid: '1' }], HEADERS: {}, FILEDATA: 'AAAA' })).toEqual({
      CALLINFO: { status: 'SUCCESS', errors: 0, general: ['BAD_POLICY'], objectid: '7' },
      OBJECT: byId,
      FILEDATA: 'AAAA',
    })
    expect(old({ OBJECTS: objects })).toMatchObject({ OBJECT: byId })
    expect(old({ OBJECT: [] })).toMatchObject({ OBJECT: {} })
  })

  it('write templates in the notation of /template', () => {
    const structure = [
      { fieldname: 'host', type: 'text', encrypted: false },
      { fieldname: 'password', type: 'text-passwdgen', encrypted: true },
    ]
    const { CALLINFO: _, ...members } = old({ TEMPLATES: [{ id: '4', info: { id: '4', name: 'Login' }, structure }] })
    expect(members).toEqual({
      TEMPLATESINFO: {
        4: {
          INFO: { id: '4', name: 'Login' },
          STRUCTURE: {
            host: { type: 'text', encrypted: false },
            password: { type: 'text-passwdgen', encrypted: true },
          },
        },
      },
    })
  })

  it('key the list of templates, and a single one', () => {
    const entry = { INFO: { id: '20', name: 'Login Info' }, STRUCTURE: {} }
    for (const TEMPLATE of [[entry], entry]) expect(old({ TEMPLATE })['TEMPLATE']).toEqual({ 20: entry })
  })

  it('leave keys of the encryption facility alone, which release 2.0.5 did not have', () => {
    expect(old({ KEYS: [{ name: 'k' }] })).toMatchObject({ KEYS: [{ name: 'k' }] })
  })
})
