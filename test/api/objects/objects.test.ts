import { beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { makeVault } from '../../support/vault.ts'
import { createObject, formWith, objectsIn, readObject, recordsAbout, server } from '../../support/object-kit.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance, 'Objects')
let admin: TestClient

beforeAll(async () => {
  ;({ admin } = vault)
})

const create = (members: object) => admin.post('/object', { groupid: vault.id, ...members })
const decrypted = async (id: string) => (await readObject(admin, id, '?decrypt=true')).crypted

describe('POST /object', () => {
  it('creates an object whose secrets are shown only on demand', async () => {
    const { status, json } = await create({ ...server, parentid: '0', info: 'rack 4', unknown: { of: ['no', 1] } })
    expect(status).toBe(200)
    expect(json.CALLINFO).toMatchObject({
      handler: 'ObjectHandler',
      objectid: expect.stringMatching(/^[1-9]\d*$/),
      message: 'Object successfully saved',
      general: [],
    })
    const id = String(json.CALLINFO['objectid'])
    const record = {
      id,
      parentid: '0',
      templateid: '1',
      groupid: vault.id,
      status: '128',
      objectname: 'core1.example.test',
      filename: '',
      children: '0',
      version: '1',
      notes: false,
      tags: '',
      alarmed: false,
      public: { host: 'core1.example.test', username: 'netops', info: 'rack 4' },
    }
    const read = await admin.must('GET', `/object/${id}`)
    expect(read.CALLINFO.handler).toBe('ObjectHandler')
    expect(read['OBJECT']).toEqual([record])
    expect(read['BREADCRUMB']).toEqual([])
    expect(read['TEMPLATES']).toMatchObject([{ id: '1', info: { id: '1', name: 'Server' } }])
    expect(read).not.toHaveProperty('FILEDATA')
    const crypted = { password: server.password, cryptedinfo: '' }
    expect(await readObject(admin, id, '?decrypt=true')).toEqual({ ...record, crypted })
  })

  const names: readonly (readonly [string, object, string])[] = [
    ['the first field', { templateid: 20, name: 'Router login', username: 'a', password: 'b' }, 'Router login'],
    ['what the caller says', { ...server, objectname: '  Core  ' }, 'Core'],
    ['the first field, for an empty name', { ...server, objectname: '' }, 'core1.example.test'],
    ['a number', { ...server, host: 42 }, '42'],
    ['four-byte characters', { ...server, host: '\u{1f511} Schlüssel' }, '\u{1f511} Schlüssel'],
    ['a long first field, cut', { ...server, host: 'x'.repeat(300) }, `${'x'.repeat(254)}…`],
    ['255 four-byte characters', { ...server, host: '\u{1f511}'.repeat(255) }, '\u{1f511}'.repeat(255)],
    ['more of them, cut', { ...server, host: '\u{1f511}'.repeat(256) }, `${'\u{1f511}'.repeat(254)}…`],
  ]
  it.each(names)('names an object after %s, and takes the name back', async (_what, members, name) => {
    const { json } = await create(members)
    const id = String(json.CALLINFO['objectid'])
    const { objectname } = await readObject(admin, id)
    expect(objectname).toBe(name)
    await admin.must('PUT', `/object/${id}`, { objectname })
    expect((await readObject(admin, id)).objectname).toBe(name)
  })

  it('keeps values as they were sent, blanks and all', async () => {
    const password = ' \u{1f511} "quoted" \\ $1 ü '
    const id = await createObject(admin, vault.id, { password, info: ' line\r\n\tline ' })
    expect(await decrypted(id)).toMatchObject({ password })
    expect((await readObject(admin, id)).public).toMatchObject({ info: ' line\r\n\tline ' })
  })

  it('counts a four-byte character once, in values and in names of files', async () => {
    const info = '\u{1f511}'.repeat(65_536)
    const id = await createObject(admin, vault.id, { info })
    expect((await readObject(admin, id)).public).toMatchObject({ info })
    expectFault(await create({ ...server, info: `${info}x` }), 400, 1611)
    const filename = `${'\u{1f511}'.repeat(251)}.txt`
    const file = (name: string) =>
      admin.call('POST', '/object', formWith({ groupid: vault.id }, Buffer.from('x'), name))
    const { CALLINFO } = (await file(filename)).json
    expect(await readObject(admin, String(CALLINFO['objectid']))).toMatchObject({ objectname: filename, filename })
    expectFault(await file(`\u{1f511}${filename}`), 400, 1804)
  })

  it('saves what breaks the policy of the vault, and says so', async () => {
    const [{ id: strict }] = (await admin.must('POST', '/vault', { vaultname: 'Strict', policy: 7 }))['VAULT'] as [
      { id: string },
    ]
    const { json } = await admin.post('/object', { ...server, groupid: strict, password: 'weak' })
    expect([json.CALLINFO.status, json.CALLINFO.general]).toEqual(['SUCCESS', ['BAD_POLICY']])
    const path = `/object/${String(json.CALLINFO['objectid'])}`
    const status = async () => objectsIn(await admin.must('GET', path))[0]?.['status']
    expect(await status()).toBe('1152')
    expect((await admin.must('PUT', path, { info: 'still weak' })).CALLINFO.general).toEqual(['BAD_POLICY'])
    expect((await admin.must('PUT', path, { password: 'Str0ng-enough.phrase' })).CALLINFO.general).toEqual([])
    expect(await status()).toBe('128')
  })

  it('makes two objects of the same name at once', async () => {
    const ids = await Promise.all([createObject(admin, vault.id), createObject(admin, vault.id)])
    expect(new Set(ids).size).toBe(2)
  })
})

describe('folders', () => {
  it('hold objects, which name what they lie in', async () => {
    const top = await createObject(admin, vault.id, { templateid: 2, name: 'Top' })
    const inner = await createObject(admin, vault.id, { templateid: 2, name: 'Inner', parentid: Number(top) })
    const leaves = await Promise.all(
      [1, 2, 3].map((n) => createObject(admin, vault.id, { parentid: inner, host: `h${n}` })),
    )
    const read = await admin.must('GET', `/object/${inner}?children=true`)
    expect(objectsIn(read).map(({ id }) => id)).toEqual([inner, ...leaves.toSorted((a, b) => Number(a) - Number(b))])
    expect(objectsIn(read)[0]).toMatchObject({ children: '3' })
    expect((read['TEMPLATES'] as { id: string }[]).map(({ id }) => id)).toEqual(['1', '2'])
    expect(read['BREADCRUMB']).toEqual([{ objectid: top, objectname: 'Top', icon: 'ico_folder' }])
    const { BREADCRUMB, OBJECT } = await admin.must('GET', `/object/${leaves[0]}?children=false`)
    expect(BREADCRUMB).toMatchObject([{ objectid: top }, { objectid: inner, objectname: 'Inner' }])
    expect(OBJECT).toMatchObject([{ parentid: inner }])
  })

  it('cannot be deleted while something lies in them', async () => {
    const folder = await createObject(admin, vault.id, { templateid: 2, name: 'Folder' })
    const leaf = await createObject(admin, vault.id, { parentid: folder })
    expectFault(await admin.call('DELETE', `/object/${folder}`), 409, 1613)
    await admin.must('DELETE', `/object/${leaf}`)
    expect((await readObject(admin, folder))['children']).toBe('0')
    await admin.must('DELETE', `/object/${folder}`)
    expectFault(await create({ ...server, parentid: folder }), 400, 1612)
  })

  it('take part in a race of their deletion and a new child with one winner', async () => {
    for (let round = 0; round < 6; round++) {
      const folder = await createObject(admin, vault.id, { templateid: 2, name: 'Race' })
      const [made, gone] = await Promise.all([
        create({ ...server, parentid: folder }),
        admin.call('DELETE', `/object/${folder}`),
      ])
      expect([
        [200, 409],
        [400, 200],
      ]).toContainEqual([made.status, gone.status])
    }
  })
})

describe('PUT /object/:objectid', () => {
  it('changes what is given and keeps the rest', async () => {
    const id = await createObject(admin, vault.id, { info: 'rack 4', cryptedinfo: 'kept' })
    const { status, json } = await admin.call('PUT', `/object/${id}`, { body: { password: 'new', username: 'root' } })
    expect([status, json.CALLINFO['message']]).toEqual([200, 'Object successfully saved'])
    expect(await readObject(admin, id, '?decrypt=true')).toMatchObject({
      objectname: 'core1.example.test',
      public: { host: 'core1.example.test', username: 'root', info: 'rack 4' },
      crypted: { password: 'new', cryptedinfo: 'kept' },
    })
  })

  it('derives the name anew, until somebody chooses one', async () => {
    const id = await createObject(admin, vault.id)
    const renamed = async (body: object) => {
      await admin.must('PUT', `/object/${id}`, body)
      return (await readObject(admin, id)).objectname
    }
    expect(await renamed({ host: 'core2' })).toBe('core2')
    expect(await renamed({ objectname: 'Chosen' })).toBe('Chosen')
    expect(await renamed({ host: 'core3' })).toBe('Chosen')
  })

  it('takes back what a client has read, and moves nothing', async () => {
    const id = await createObject(admin, vault.id)
    const same = { ...server, groupid: vault.id, parentid: '0', templateid: 1, id, info: '' }
    await admin.must('PUT', `/object/${id}`, same)
    for (const other of [{ groupid: '1000' }, { parentid: id }, { templateid: '4' }])
      expectFault(await admin.call('PUT', `/object/${id}`, { body: { ...same, ...other } }), 400, 1611)
    const { json } = await admin.call('PUT', `/object/${id}`, { body: { parentid: '1000' } })
    expect(json.ERRORS?.[0]).toContain('POST /object/:objectid/move')
  })

  it('empties an optional secret, and no other', async () => {
    const id = await createObject(admin, vault.id, { cryptedinfo: 'something' })
    await admin.must('PUT', `/object/${id}`, { cryptedinfo: '' })
    expect(await decrypted(id)).toEqual({ password: server.password, cryptedinfo: '' })
    expectFault(await admin.call('PUT', `/object/${id}`, { body: { password: '' } }), 400, 1611)
    expect(await decrypted(id)).toMatchObject({ password: server.password })
  })

  it('lets edits of different fields at once all have their way', async () => {
    const id = await createObject(admin, vault.id)
    const edits = [{ username: 'a' }, { info: 'b' }, { password: 'c' }, { cryptedinfo: 'd' }, { objectname: 'e' }]
    await Promise.all(edits.map((body) => admin.must('PUT', `/object/${id}`, body)))
    expect(await readObject(admin, id, '?decrypt=true')).toMatchObject({
      objectname: 'e',
      public: { host: server.host, username: 'a', info: 'b' },
      crypted: { password: 'c', cryptedinfo: 'd' },
    })
  })

  it('finds nothing that was deleted in the same moment', async () => {
    for (let round = 0; round < 6; round++) {
      const id = await createObject(admin, vault.id)
      const [edited, gone] = await Promise.all([
        admin.call('PUT', `/object/${id}`, { body: { password: `p${round}` } }),
        admin.call('DELETE', `/object/${id}`),
      ])
      expect(gone.status).toBe(200)
      expect([200, 404]).toContain(edited.status)
      expectFault(await admin.get(`/object/${id}`), 404, 1610)
    }
  })
})

describe('DELETE /object/:objectid', () => {
  it('takes an object out of everybody’s sight, once', async () => {
    const id = await createObject(admin, vault.id, { host: 'vanishing.example.test' })
    expect((await admin.must('DELETE', `/object/${id}`)).CALLINFO['message']).toBe('DELETED')
    expectFault(await admin.get(`/object/${id}`), 404, 1610)
    expectFault(await admin.call('PUT', `/object/${id}`, { body: { host: 'x' } }), 404, 1610)
    expectFault(await admin.call('DELETE', `/object/${id}`), 404, 1610)
    expect((await admin.must('GET', '/find?needle=vanishing'))['OBJECT']).toEqual([])
    const [row] = await appliance.store.query<{ status: number }>('SELECT status FROM vault_objects WHERE id = $1', [
      id,
    ])
    expect(row?.status).toBe(0)
  })
})

describe('permissions', () => {
  it('follow the vault: Read allows reading, Write changes, and without membership nothing is visible', async () => {
    const [id, doomed] = [await createObject(admin, vault.id), await createObject(admin, vault.id)]
    const calls = (client: TestClient) => [
      client.get(`/object/${id}`),
      client.get(`/object/${id}?decrypt=true`),
      client.call('PUT', `/object/${id}`, { body: { info: 'x' } }),
      client.post('/object', { groupid: vault.id, ...server }),
      client.call('DELETE', `/object/${doomed}`),
    ]
    const statuses = async (client: TestClient) => (await Promise.all(calls(client))).map(({ status }) => status)
    expect(await statuses(await vault.member('Read'))).toEqual([200, 200, 403, 403, 403])
    expect(await statuses(await vault.member('Write'))).toEqual([200, 200, 200, 200, 200])
    const stranger = await appliance.login(await appliance.addUser(['read', 'createVault', 'admin', 'active']))
    expectFault(await stranger.get(`/object/${id}`), 404, 1610)
    expectFault(await stranger.call('PUT', `/object/${id}`, { body: {} }), 404, 1610)
    expectFault(await stranger.call('DELETE', `/object/${id}`), 404, 1610)
    expectFault(await stranger.post('/object', { groupid: vault.id, ...server }), 404, 1400)
    expectFault(await admin.call('GET', `/object/${id}`, { token: null }), 403, 1200)
  })

  it('end with the membership', async () => {
    const user = await appliance.addUser()
    await vault.share(String(user.id), 'Write')
    const member = await appliance.login(user)
    const id = await createObject(member, vault.id)
    await vault.share(String(user.id), undefined)
    expectFault(await member.get(`/object/${id}?decrypt=true`), 404, 1610)
    expectFault(await member.call('PUT', `/object/${id}`, { body: { host: 'x' } }), 404, 1610)
  })

  it('do not reach into another vault by its parent', async () => {
    const other = await makeVault(appliance, 'Other')
    const foreign = await createObject(other.admin, other.id, { templateid: 2, name: 'Folder' })
    expectFault(await create({ ...server, parentid: foreign }), 400, 1612)
    expect((await readObject(other.admin, foreign))['children']).toBe('0')
  })
})

describe('GET /vault/:vaultid', () => {
  it('lists every object of the vault, secrets left out, and the templates that occur', async () => {
    const full = await makeVault(appliance, 'Full')
    const folder = await createObject(full.admin, full.id, { templateid: 2, name: 'Folder' })
    const inside = await createObject(full.admin, full.id, { parentid: folder })
    const gone = await createObject(full.admin, full.id)
    await full.admin.must('DELETE', `/object/${gone}`)
    const { OBJECTS, TEMPLATES } = await full.admin.must('GET', `/vault/${full.id}`)
    expect(OBJECTS).toEqual([await readObject(full.admin, folder), await readObject(full.admin, inside)])
    expect((TEMPLATES as { id: string }[]).map(({ id }) => id)).toEqual(['1', '2'])
  })

  it('lists ten thousand objects', async () => {
    const large = await makeVault(appliance, 'Large')
    const first = await createObject(large.admin, large.id)
    const row = await appliance.store.read.query(`SELECT * FROM vault_objects WHERE id = ${first}`)
    const columns = Object.keys((row as object[])[0] ?? {}).filter((name) => name !== 'id')
    await appliance.sql(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
         INSERT INTO vault_objects (${columns.join()}) SELECT ${columns.join()} FROM vault_objects, n WHERE id = ${first}`,
    )
    const { OBJECTS, TEMPLATES } = await large.admin.must('GET', `/vault/${large.id}`)
    expect([(OBJECTS as unknown[]).length, (TEMPLATES as unknown[]).length]).toEqual([10_000, 1])
  })
})

describe('the audit trail', () => {
  it('tells who made, changed, read and deleted what, and each secret that was decrypted', async () => {
    const id = await createObject(admin, vault.id, { cryptedinfo: 'more' })
    await admin.must('PUT', `/object/${id}`, { info: 'x' })
    await admin.must('GET', `/object/${id}`)
    await admin.must('GET', `/object/${id}?decrypt=true`)
    await admin.must('DELETE', `/object/${id}`)
    const records = recordsAbout(appliance, `object ${id}`)
    expect(records.map((record) => `${String(record['operation'])} ${String(record['subject'])}`).toSorted()).toEqual([
      `object.create object ${id}`,
      `object.decrypt object ${id}: cryptedinfo`,
      `object.decrypt object ${id}: password`,
      `object.delete object ${id}`,
      `object.edit object ${id}`,
      `object.read object ${id}`,
      `object.read object ${id}`,
    ])
    for (const record of records) expect(record).toMatchObject({ outcome: 'allowed', vault: vault.id })
  })

  it('marks the decryption of an object with an alarm, and warns in the journal', async () => {
    const id = await createObject(admin, vault.id)
    await admin.must('PUT', `/object/${id}/alarm`, { alarm: true })
    await admin.must('PUT', `/object/${id}`, { password: 'watched' })
    expect(await readObject(admin, id, '?decrypt=true')).toMatchObject({ status: '160', alarmed: expect.any(String) })
    expect(recordsAbout(appliance, `object ${id}`)).toContainEqual(
      expect.objectContaining({ operation: 'object.decrypt.alarm', subject: `object ${id}: password` }),
    )
    await expect.poll(() => appliance.journal).toMatch(new RegExp(`object ${id}: password.*an alarm was raised`))
  })
})
