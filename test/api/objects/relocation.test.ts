import { beforeAll, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { onBothDatabases } from '../../support/both-databases.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { createObject, objectsIn, readObject, recordsAbout, server, upload } from '../../support/object-kit.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'

/** An object that cannot contain others. */
const note = { templateid: 8, name: 'Note' }
const content = Buffer.alloc(1_000_000, 'What a file is made of. ')

function goElsewhere(start: () => Promise<TestAppliance>): void {
  const appliance = applianceForTests(start)
  const vault = vaultForTests(appliance)
  let other: TestVault
  let admin: TestClient

  beforeAll(async () => {
    ;({ admin } = vault)
    other = await makeVault(appliance, 'Other', admin)
  })

  const folderIn = (groupid: string, parentid = '0') =>
    createObject(admin, groupid, { templateid: 2, name: 'Folder', parentid })
  const send = async (how: 'move' | 'copy', id: string, body: object) =>
    (await admin.must('POST', `/object/${id}/${how}`, body)).CALLINFO
  const refused = (client: TestClient, how: 'move' | 'copy', id: string, body: object) =>
    client.post(`/object/${id}/${how}`, body)
  const fileOf = async (id: string) => (await admin.must('GET', `/object/${id}?filedata=true`))['FILEDATA']
  const idsIn = async (groupid: string) =>
    objectsIn(await admin.must('GET', `/vault/${groupid}`), 'OBJECTS').map(({ id }) => id)
  const operationsAbout = (id: string) =>
    recordsAbout(appliance, `object ${id}`).map(
      ({ operation, vault: place }) => `${String(operation)} ${String(place)}`,
    )

  /** A folder with a file and a folder, which contains a server. */
  async function tree(groupid: string) {
    const top = await folderIn(groupid)
    const below = await folderIn(groupid, top)
    const secret = await createObject(admin, groupid, { parentid: below, cryptedinfo: 'hidden' })
    const file = await upload(admin, { groupid, parentid: top }, content)
    return { top, below, secret, file }
  }

  it('an object goes into another of its vault and back, and nothing is decrypted for that', async () => {
    const [from, to] = [await folderIn(vault.id), await folderIn(vault.id)]
    const id = await createObject(admin, vault.id, { parentid: from })
    expect(await send('move', id, { parentid: to })).toMatchObject({ objectid: id, objects: '1' })
    expect([await readObject(admin, from), await readObject(admin, to)]).toMatchObject([
      { children: '0' },
      { children: '1' },
    ])
    expect(await readObject(admin, id)).toMatchObject({ parentid: to, groupid: vault.id })
    await send('move', id, { groupid: vault.id, parentid: 0 })
    expect([await readObject(admin, id), await readObject(admin, to)]).toMatchObject([
      { parentid: '0' },
      { children: '0' },
    ])
    expect(operationsAbout(id).filter((operation) => operation.startsWith('object.decrypt'))).toEqual([])
    expect((await readObject(admin, id, '?decrypt=true')).crypted).toMatchObject({ password: server.password })
    expect(recordsAbout(appliance, `object ${id}`).map(({ subject }) => subject)).toContain(
      `object ${id}: to vault ${vault.id}, object ${to}`,
    )
  })

  it('a folder goes into another vault with all that lies in it, and keeps its ids', async () => {
    const { top, below, secret, file } = await tree(vault.id)
    const place = await folderIn(other.id)
    expect(await send('move', top, { groupid: other.id, parentid: place })).toMatchObject({
      objectid: top,
      objects: '4',
    })
    for (const id of [top, below, secret, file]) expect((await readObject(admin, id))['groupid']).toBe(other.id)
    expect(await idsIn(vault.id)).not.toEqual(expect.arrayContaining([top]))
    expect(await readObject(admin, secret, '?decrypt=true')).toMatchObject({
      parentid: below,
      crypted: { password: server.password, cryptedinfo: 'hidden' },
    })
    expect(await fileOf(file)).toBe(content.toString('base64'))
    expect(operationsAbout(secret)).toEqual(expect.arrayContaining([`object.decrypt ${vault.id}`]))
    expect(operationsAbout(top)).toEqual(
      expect.arrayContaining([`object.move ${vault.id}`, `object.move.in ${other.id}`]),
    )
    await admin.must('PUT', `/object/${secret}`, { password: 'Written-th3re.too' })
    expect((await readObject(admin, secret, '?decrypt=true')).crypted).toMatchObject({ password: 'Written-th3re.too' })
  })

  it.each(['its own vault', 'another vault'])(
    'a folder is copied into %s, and both go on by themselves',
    async (which) => {
      const { top, secret, file } = await tree(vault.id)
      const target = which === 'its own vault' ? vault : other
      const { objectid, objects } = await send('copy', top, { groupid: target.id, parentid: 0 })
      expect([objectid === top, objects]).toEqual([false, '4'])
      const read = await admin.must('GET', `/object/${String(objectid)}?children=true`)
      const [copy, ...children] = objectsIn(read)
      expect(copy).toMatchObject({ groupid: target.id, parentid: '0', children: '2', objectname: 'Folder' })
      const copiedFile = children.find(({ fileinfo }) => fileinfo !== undefined)?.id ?? ''
      const copiedFolder = children.find(({ fileinfo }) => fileinfo === undefined)?.id ?? ''
      const [, copiedSecret] = objectsIn(await admin.must('GET', `/object/${copiedFolder}?children=true`))
      await admin.must('PUT', `/object/${secret}`, { password: 'Of-the-f1rst.alone' })
      expect((await readObject(admin, copiedSecret?.id ?? '', '?decrypt=true')).crypted).toMatchObject({
        password: server.password,
        cryptedinfo: 'hidden',
      })
      await admin.must('DELETE', `/object/${file}`)
      expect(await fileOf(copiedFile)).toBe(content.toString('base64'))
    },
  )

  it('an object goes neither into itself nor into what lies in it', async () => {
    const { top, below, secret } = await tree(vault.id)
    for (const how of ['move', 'copy'] as const)
      for (const parentid of [top, below]) {
        const answer = await refused(admin, how, top, { parentid })
        expectFault(answer, 400, 1611)
        expect(answer.json.ERRORS?.[0]).toContain('into itself')
      }
    expectFault(await refused(admin, 'move', secret, { groupid: other.id, parentid: below }), 400, 1612)
    expectFault(await refused(admin, 'move', below, { parentid: 999_999 }), 400, 1612)
    expectFault(await refused(admin, 'move', below, { parentid: await createObject(admin, vault.id, note) }), 400, 1611)
    expect(await readObject(admin, top)).toMatchObject({ parentid: '0', children: '2' })
  })

  it('needs Write where it goes, and Write where a move comes from', async () => {
    const id = await createObject(admin, vault.id)
    const reader = await vault.member('Read')
    const own = await makeVault(appliance, 'Own', reader)
    expectFault(await refused(reader, 'move', id, { groupid: own.id, parentid: 0 }), 403, 1301)
    expectFault(await refused(reader, 'copy', id, { parentid: 0 }), 403, 1301)
    expectFault(await refused(reader, 'copy', id, { groupid: other.id, parentid: 0 }), 404, 1400)
    expectFault(await refused(admin, 'copy', id, { groupid: own.id, parentid: 0 }), 404, 1400)
    const writer = await appliance.addUser()
    await vault.share(String(writer.id), 'Write')
    await other.share(String(writer.id), 'Read')
    const client = await appliance.login(writer)
    for (const how of ['move', 'copy'] as const) {
      const answer = await refused(client, how, id, { groupid: other.id, parentid: 0 })
      expectFault(answer, 403, 1301)
      expect(answer.json.ERRORS?.[0]).toContain('in the vault into which it goes')
    }
    await other.share(String(writer.id), undefined)
    expectFault(await refused(client, 'move', id, { groupid: other.id, parentid: 0 }), 404, 1400)
    expect((await readObject(admin, id))['groupid']).toBe(vault.id)
  })

  it('a copy into a vault of one’s own dodges neither record nor alarm', async () => {
    const id = await createObject(admin, vault.id)
    const file = await upload(admin, { groupid: vault.id }, content)
    for (const one of [id, file]) await admin.must('PUT', `/object/${one}/alarm`, { alarm: true })
    const reader = await vault.member('Read')
    const own = await makeVault(appliance, 'Own', reader)
    for (const one of [id, file]) {
      const { CALLINFO } = await reader.must('POST', `/object/${one}/copy`, { groupid: own.id, parentid: 0 })
      expect(operationsAbout(one)).toEqual(
        expect.arrayContaining([`object.decrypt.alarm ${vault.id}`, `object.copy ${vault.id}`]),
      )
      const copy = String(CALLINFO['objectid'])
      expect(operationsAbout(copy)).toContain(`object.copy.in ${own.id}`)
      expect((await readObject(reader, copy))['status']).toBe('160')
    }
  })

  it('the policy of the other vault judges what comes', async () => {
    const [{ id: strictId }] = (await admin.must('POST', '/vault', { vaultname: 'Strict', policy: 7 }))['VAULT'] as [
      { id: string },
    ]
    const id = await createObject(admin, vault.id, { password: 'weak' })
    expect((await readObject(admin, id))['status']).toBe('128')
    const { objectid } = await send('copy', id, { groupid: strictId, parentid: 0 })
    expect((await readObject(admin, String(objectid)))['status']).toBe('1152')
    await send('move', String(objectid), { groupid: vault.id, parentid: 0 })
    expect((await readObject(admin, String(objectid)))['status']).toBe('128')
  })

  it('a folder with a tampered object is neither moved nor copied', async () => {
    const { top, secret, file } = await tree(vault.id)
    await appliance.sql(`UPDATE object_secrets SET version = version + 1 WHERE object_id = ${secret}`)
    for (const how of ['move', 'copy'] as const)
      expectFault(await refused(admin, how, top, { groupid: other.id, parentid: 0 }), 503, 1614)
    await appliance.sql(`UPDATE object_secrets SET version = version - 1 WHERE object_id = ${secret}`)
    await appliance.sql(
      `DELETE FROM file_chunks WHERE place = 3 AND upload_id IN (SELECT id FROM file_uploads WHERE object_id = ${file})`,
    )
    for (const how of ['move', 'copy'] as const)
      expectFault(await refused(admin, how, top, { groupid: other.id, parentid: 0 }), 503, 1614)
    expect((await readObject(admin, top))['groupid']).toBe(vault.id)
    expect(await idsIn(vault.id)).toEqual(expect.arrayContaining([top, secret, file]))
  })

  it('more than 500 objects are refused, and stay', async () => {
    const top = await folderIn(vault.id)
    const many = Array.from(
      { length: 500 },
      () => `(${vault.id}, ${top}, 2, 'Part', 1, '{}', '', '[]', 128, 0, 1, 1, 1, 1, 1)`,
    )
    await appliance.sql(`INSERT INTO vault_objects (vault_id, parent_id, template_id, name, name_given, public_fields, search_text,
        weak_fields, status, children, version, created_at, created_by, changed_at, changed_by) VALUES ${many.join(', ')}`)
    const answer = await refused(admin, 'copy', top, { parentid: 0 })
    expectFault(answer, 400, 1611)
    expect(answer.json.ERRORS?.[0]).toContain('500')
    expect((await readObject(admin, top))['groupid']).toBe(vault.id)
  })

  /** Sets a column of all objects in a folder directly, which calls would set one by one. */
  const setBelow = (top: string, column: string, text: string) =>
    appliance.sql(`UPDATE vault_objects SET ${column} = '${text}' WHERE parent_id = ${top}`)

  it('more than 16 MiB of open fields, or 1 MiB of what a search looks through, are refused, and stay', async () => {
    const top = await folderIn(vault.id)
    await Promise.all(Array.from({ length: 24 }, () => createObject(admin, vault.id, { ...note, parentid: top })))
    await setBelow(top, 'public_fields', JSON.stringify({ name: 'x'.repeat(800_000) }))
    for (const how of ['move', 'copy'] as const) {
      const answer = await refused(admin, how, top, { groupid: other.id, parentid: 0 })
      expectFault(answer, 400, 1611)
      expect(answer.json.ERRORS?.[0]).toContain('Its open fields are more than 16777216 bytes')
    }
    await setBelow(top, 'public_fields', '{}')
    await setBelow(top, 'search_text', 'x'.repeat(49_000))
    const answer = await refused(admin, 'copy', top, { groupid: other.id, parentid: 0 })
    expectFault(answer, 400, 1611)
    expect(answer.json.ERRORS?.[0]).toContain('in smaller parts')
    expectFault(await admin.call('DELETE', `/object/${top}`, { body: { children: true } }), 400, 1611)
    expect((await readObject(admin, top))['children']).toBe('24')
    await setBelow(top, 'search_text', 'x'.repeat(40_000))
    await send('move', top, { groupid: other.id, parentid: 0 })
  })

  it('copies are found, also those of long texts', async () => {
    const top = await folderIn(vault.id)
    const infos = Array.from({ length: 12 }, (_, at) => `place-${at}-of-copies ${'x'.repeat(at * 2_000)}`)
    for (const info of infos) await createObject(admin, vault.id, { parentid: top, info })
    const { objectid } = await send('copy', top, { parentid: 0 })
    for (const at of [0, 7, 11]) {
      const found = objectsIn(await admin.must('GET', `/find?needle=place-${at}-of-COPIES`))
      expect(new Set(found.map(({ parentid }) => parentid))).toEqual(new Set([top, String(objectid)]))
    }
  })

  it('of two moves into each other one comes about', async () => {
    for (let round = 0; round < 5; round++) {
      const [one, two] = [await folderIn(vault.id), await folderIn(vault.id)]
      const answers = await Promise.all([
        admin.post(`/object/${one}/move`, { parentid: two }),
        admin.post(`/object/${two}/move`, { parentid: one }),
      ])
      expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1)
      const parents = [await readObject(admin, one), await readObject(admin, two)].map(({ parentid }) => parentid)
      expect(parents.filter((parentid) => parentid === '0')).toHaveLength(1)
    }
  })

  it('of a move away and a new object in it the database decides which comes first', async () => {
    for (let round = 0; round < 5; round++) {
      const folder = await folderIn(vault.id)
      const [moved, made] = await Promise.all([
        admin.post(`/object/${folder}/move`, { groupid: other.id, parentid: 0 }),
        admin.post('/object', { ...server, groupid: vault.id, parentid: folder }),
      ])
      const { children, groupid } = await readObject(admin, folder)
      if (moved.status !== 200) expectFault(moved, 409, 1906)
      expect(groupid).toBe(moved.status === 200 ? other.id : vault.id)
      expect(children).toBe(made.status === 200 ? '1' : '0')
      if (made.status === 200)
        expect((await readObject(admin, String(made.json.CALLINFO['objectid'])))['groupid']).toBe(groupid)
      else expectFault(made, 400, 1612)
    }
  })
}

onBothDatabases('objects that go elsewhere', goElsewhere, {}, () => TestAppliance.shared())
