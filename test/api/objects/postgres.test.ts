import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { twoWorkers, TestAppliance } from '../../support/appliance.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../../support/postgres.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'
import { createObject, formWith, objectsIn, readObject, server, upload } from '../../support/object-kit.ts'

describe.runIf(hasPostgres)('objects in PostgreSQL', () => {
  let database: TestPostgres
  let appliance: TestAppliance
  let vault: TestVault
  let admin: TestClient

  beforeAll(async () => {
    database = startPostgres()
    appliance = await TestAppliance.own({ ...twoWorkers, store: { postgresUrlFile: database.urlFile } })
    vault = await makeVault(appliance)
    ;({ admin } = vault)
  })
  afterAll(async () => {
    await appliance.close()
    database.cleanup()
  })

  it('are made, found, changed and deleted as in SQLite', async () => {
    const folder = await createObject(admin, vault.id, { templateid: 2, name: 'Folder' })
    const id = await createObject(admin, vault.id, { parentid: folder, cryptedinfo: 'hidden' })
    await admin.must('PUT', `/object/${id}`, { password: 'second', info: '100%_sure' })
    expect(await readObject(admin, id, '?decrypt=true')).toMatchObject({
      public: { host: server.host, info: '100%_sure' },
      crypted: { password: 'second', cryptedinfo: 'hidden' },
    })
    for (const [alarm, status] of [
      [true, '160'],
      [false, '128'],
    ] as const) {
      await admin.must('PUT', `/object/${id}/alarm`, { alarm })
      expect((await readObject(admin, id))['status']).toBe(status)
    }
    const read = await admin.must('GET', `/object/${id}`)
    expect(read['BREADCRUMB']).toEqual([{ objectid: folder, objectname: 'Folder', icon: 'ico_folder' }])
    expect(objectsIn(await admin.must('GET', '/find?needle=%25_SURE')).map((object) => object.id)).toEqual([id])
    expect(objectsIn(await admin.must('GET', `/vault/${vault.id}`), 'OBJECTS')).toHaveLength(2)
    expectFault(await admin.call('DELETE', `/object/${folder}`), 409, 1613)
    await admin.must('DELETE', `/object/${id}`)
    await admin.must('DELETE', `/object/${folder}`)
    expect((await admin.must('GET', '/find?needle=sure'))['OBJECT']).toEqual([])
  })

  it('are found in the order of their ids, whichever was changed last', async () => {
    const ids: string[] = []
    for (const info of ['in order', 'in order', 'in order']) ids.push(await createObject(admin, vault.id, { info }))
    await admin.must('PUT', `/object/${ids[0]}`, { host: 'changed' })
    const found = objectsIn(await admin.must('GET', '/find?needle=in+order'))
    expect(found.map(({ id }) => id)).toEqual(ids)
  })

  it('keep files, and let go of those that were replaced', async () => {
    const [first, second] = [Buffer.alloc(1_500_000, 'first'), Buffer.alloc(400_000, 'second')]
    const id = await upload(admin, { groupid: vault.id }, first)
    const file = async () => (await admin.must('GET', `/object/${id}?filedata=true`))['FILEDATA']
    expect(await file()).toBe(first.toString('base64'))
    await admin.call('PUT', `/object/${id}`, formWith({}, second))
    expect(await file()).toBe(second.toString('base64'))
    await appliance.sql('UPDATE file_uploads SET touched_at = 0')
    expect(await appliance.services.objectDestruction.sweepUploads()).toBe(1)
    expect(await file()).toBe(second.toString('base64'))
  })

  it('decide races in the database', async () => {
    for (let round = 0; round < 6; round++) {
      const folder = await createObject(admin, vault.id, { templateid: 2, name: 'Race' })
      const [made, gone] = await Promise.all([
        admin.post('/object', { ...server, groupid: vault.id, parentid: folder }),
        admin.call('DELETE', `/object/${folder}`),
      ])
      expect([
        [200, 409],
        [400, 200],
      ]).toContainEqual([made.status, gone.status])
    }
    const edits = [{ username: 'a' }, { info: 'b' }, { password: 'c' }, { cryptedinfo: 'd' }]
    for (let round = 0; round < 6; round++) {
      const id = await createObject(admin, vault.id)
      await Promise.all(edits.map((body) => admin.must('PUT', `/object/${id}`, body)))
      expect(await readObject(admin, id, '?decrypt=true')).toMatchObject({
        public: { username: 'a', info: 'b' },
        crypted: { password: 'c', cryptedinfo: 'd' },
      })
      expect((await admin.must('GET', `/object/${id}/history`))['HISTORY']).toHaveLength(edits.length)
    }
  })

  it('go with their vault, or keep it', async () => {
    for (let round = 0; round < 4; round++) {
      const other = await makeVault(appliance)
      const deleted = await createObject(other.admin, other.id)
      await other.admin.must('DELETE', `/object/${deleted}`)
      const [made, gone] = await Promise.all([
        other.admin.post('/object', { ...server, groupid: other.id }),
        other.admin.call('DELETE', `/vault/${other.id}`),
      ])
      expect([made.status === 200, gone.status === 200]).toContain(true)
      expect(made.status === 200 && gone.status === 200).toBe(false)
      const left = await appliance.store.query('SELECT 1 FROM vault_objects WHERE vault_id = $1', [other.id])
      expect(left).toHaveLength(gone.status === 200 ? 0 : 2)
    }
  })
})
