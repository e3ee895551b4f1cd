import { beforeAll, describe, expect, it } from 'vitest'
import type { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { onBothDatabases } from '../../support/both-databases.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { createObject, objectsIn, readObject, recordsAbout, server, upload } from '../../support/object-kit.ts'
import { makeVault } from '../../support/vault.ts'

const windowMs = 1_000_000
const content = Buffer.alloc(700_000, 'content')

function comeBack(start: () => Promise<TestAppliance>): void {
  const appliance = applianceForTests(start)
  const vault = vaultForTests(appliance)
  let admin: TestClient

  beforeAll(async () => {
    ;({ admin } = vault)
  })

  const folderIn = (parentid = '0') => createObject(admin, vault.id, { templateid: 2, name: 'Folder', parentid })
  const trashOf = async (client = admin, id = vault.id) =>
    (await client.must('GET', `/vault/${id}/trash`))['TRASH'] as Record<string, string>[]
  const shown = async () => objectsIn(await admin.must('GET', `/vault/${vault.id}`), 'OBJECTS').map(({ id }) => id)

  it('a deleted object is in the trash, and comes back as it was', async () => {
    const folder = await folderIn()
    const id = await createObject(admin, vault.id, { parentid: folder, host: 'come-back.example.test' })
    const before = await readObject(admin, id, '?decrypt=true')
    await admin.must('DELETE', `/object/${id}`)
    expect(await readObject(admin, folder)).toMatchObject({ children: '0' })
    const [first] = await trashOf()
    expect(first).toMatchObject({ objectid: id, objectname: 'come-back.example.test', objects: '1', templateid: '1' })
    expect(Date.parse(`${first?.['destroyed']}Z`) - Date.parse(`${first?.['deleted']}Z`)).toBe(windowMs)
    expectFault(await admin.get(`/object/${id}`), 404, 1610)
    expect(objectsIn(await admin.must('GET', '/find?needle=come-back'))).toEqual([])
    const { CALLINFO } = await admin.must('POST', `/object/${id}/undelete`, {})
    expect(CALLINFO).toMatchObject({ objectid: id, parentid: folder, objects: '1' })
    const after = await readObject(admin, id, '?decrypt=true')
    expect({ ...after, version: '' }).toEqual({ ...before, version: '' })
    expect(await readObject(admin, folder)).toMatchObject({ children: '1' })
    expect(objectsIn(await admin.must('GET', '/find?needle=come-back')).map((object) => object.id)).toEqual([id])
    expect((await trashOf()).map(({ objectid }) => objectid)).not.toContain(id)
    expect(recordsAbout(appliance, `object ${id}`).map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(['object.delete', 'object.undelete']),
    )
  })

  it('a folder goes with all that lies in it where the call says so, and comes back with that, and no more', async () => {
    const top = await folderIn()
    const below = await folderIn(top)
    const early = await createObject(admin, vault.id, { parentid: below })
    const late = await createObject(admin, vault.id, { parentid: below })
    const file = await upload(admin, { groupid: vault.id, parentid: top }, content)
    await admin.must('DELETE', `/object/${early}`)
    expectFault(await admin.call('DELETE', `/object/${top}`), 409, 1613)
    await admin.must('DELETE', `/object/${top}`, { children: true })
    expect(await shown()).not.toEqual(expect.arrayContaining([top]))
    for (const id of [top, below, late, file]) expectFault(await admin.get(`/object/${id}`), 404, 1610)
    const listed = await trashOf()
    expect(listed.filter(({ objectid }) => [top, below, late, file].includes(String(objectid)))).toMatchObject([
      { objectid: top, objects: '4' },
    ])
    // Objects that were deleted with a folder are restored only with it.
    expectFault(await admin.post(`/object/${late}/undelete`, {}), 404, 1610)
    const { CALLINFO: alone } = await admin.must('POST', `/object/${early}/undelete`, {})
    expect(alone).toMatchObject({ parentid: '0', objects: '1' })
    const { CALLINFO } = await admin.must('POST', `/object/${top}/undelete`, {})
    expect(CALLINFO).toMatchObject({ parentid: '0', objects: '4' })
    expect(await readObject(admin, late, '?decrypt=true')).toMatchObject({
      parentid: below,
      crypted: { password: server.password },
    })
    expect((await admin.must('GET', `/object/${file}?filedata=true`))['FILEDATA']).toBe(content.toString('base64'))
    expect(await readObject(admin, below)).toMatchObject({ children: '1' })
  })

  it('takes 32 MiB of open fields at once, and what it took is found again when it comes back', async () => {
    const top = await folderIn()
    for (let at = 0; at < 5; at++)
      await createObject(admin, vault.id, {
        parentid: top,
        host: `again-${at}`,
        info: `gone ${'x'.repeat(at * 15_000)}`,
      })
    const set = (text: string) =>
      appliance.sql(`UPDATE vault_objects SET public_fields = '${text}' WHERE parent_id = ${top}`)
    await admin.must('DELETE', `/object/${top}`, { children: true })
    await admin.must('POST', `/object/${top}/undelete`, {})
    for (const needle of ['again-0', 'again-4'])
      expect(objectsIn(await admin.must('GET', `/find?needle=${needle}`))).toHaveLength(1)
    await set(JSON.stringify({ host: 'x'.repeat(7_000_000) }))
    const answer = await admin.call('DELETE', `/object/${top}`, { body: { children: true } })
    expectFault(answer, 400, 1611)
    expect(answer.json.ERRORS?.[0]).toContain('Its open fields are more than 33554432 bytes')
    await set(JSON.stringify({ host: 'x' }))
    await admin.must('DELETE', `/object/${top}`, { children: true })
    expect(objectsIn(await admin.must('GET', '/find?needle=again-'))).toEqual([])
  })

  it('needs Write in the vault, at the time of each call', async () => {
    const id = await createObject(admin, vault.id)
    const [reader, user] = [await vault.member('Read'), await appliance.addUser()]
    await vault.share(String(user.id), 'Write')
    const writer = await appliance.login(user)
    await writer.must('DELETE', `/object/${id}`)
    expect((await trashOf(writer))[0]).toMatchObject({ objectid: id, deletedby: user.username })
    expectFault(await reader.get(`/vault/${vault.id}/trash`), 403, 1301)
    expectFault(await reader.post(`/object/${id}/undelete`, {}), 403, 1301)
    await vault.share(String(user.id), undefined)
    expectFault(await writer.get(`/vault/${vault.id}/trash`), 404, 1400)
    expectFault(await writer.post(`/object/${id}/undelete`, {}), 404, 1610)
    expectFault(await admin.post(`/object/${await createObject(admin, vault.id)}/undelete`, {}), 404, 1610)
    expect(await shown()).not.toContain(id)
  })

  it('cannot be restored after the recovery window, and is destroyed with all that was deleted with it', async () => {
    const top = await folderIn()
    const inside = await createObject(admin, vault.id, { parentid: top })
    await admin.must('PUT', `/object/${inside}/favourite`, { favourite: true })
    await admin.must('DELETE', `/object/${top}`, { children: true })
    await appliance.sql(
      `UPDATE vault_objects SET deleted_at = deleted_at - ${windowMs + 1} WHERE trashed_with = ${top}`,
    )
    expect((await trashOf()).map(({ objectid }) => objectid)).not.toContain(top)
    expectFault(await admin.post(`/object/${top}/undelete`, {}), 404, 1610)
    const destroyed = await appliance.services.objectDestruction.destroyExpired()
    expect(destroyed.map(({ id }) => String(id))).toEqual(expect.arrayContaining([top, inside]))
    expect(await appliance.store.query('SELECT 1 FROM object_favourites WHERE object_id = $1', [inside])).toEqual([])
  })

  it('goes with its vault', async () => {
    const other = await makeVault(appliance, 'Going', admin)
    const id = await createObject(admin, other.id)
    await admin.must('PUT', `/object/${id}/favourite`, { favourite: true })
    await admin.must('DELETE', `/object/${id}`)
    await admin.must('DELETE', `/vault/${other.id}`)
    expect(await appliance.store.query('SELECT 1 FROM vault_objects WHERE id = $1', [id])).toEqual([])
  })

  it('a row in the trash that the database’s owner puts into a vault of his own gives no secret there', async () => {
    const id = await createObject(admin, vault.id)
    await admin.must('DELETE', `/object/${id}`)
    const thief = await makeVault(appliance)
    await appliance.sql(`UPDATE vault_objects SET vault_id = ${thief.id} WHERE id = ${id}`)
    await thief.admin.must('POST', `/object/${id}/undelete`, {})
    expectFault(await thief.admin.get(`/object/${id}?decrypt=true`), 503, 1614)
  })

  it('of two who take it back one does', async () => {
    const id = await createObject(admin, vault.id)
    await admin.must('DELETE', `/object/${id}`)
    const answers = await Promise.all([1, 2, 3].map(() => admin.post(`/object/${id}/undelete`, {})))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 200) expect([404, 409]).toContain(answer.status)
  })

  describe('favourites', () => {
    const favourites = async (client: TestClient) =>
      objectsIn(await client.must('GET', '/favourites')).map(({ id }) => id)

    it('are of one user, in vaults that are shared with the user, and not in the trash', async () => {
      const user = await appliance.addUser()
      await vault.share(String(user.id), 'Read')
      const reader = await appliance.login(user)
      const ids = [
        await createObject(admin, vault.id, { host: 'b' }),
        await createObject(admin, vault.id, { host: 'a' }),
      ]
      for (const id of [...ids, ...ids]) await reader.must('PUT', `/object/${id}/favourite`, { favourite: true })
      expect(await favourites(reader)).toEqual(ids.toReversed())
      expect(await favourites(admin)).toEqual([])
      const [first, second] = ids
      await admin.must('DELETE', `/object/${second}`)
      expect(await favourites(reader)).toEqual([first])
      await admin.must('POST', `/object/${second}/undelete`, {})
      await reader.must('PUT', `/object/${first}/favourite`, { favourite: false })
      expect(await favourites(reader)).toEqual([second])
      await vault.share(String(user.id), undefined)
      expect(await favourites(reader)).toEqual([])
      expectFault(await reader.call('PUT', `/object/${first}/favourite`, { body: { favourite: true } }), 404, 1610)
    })

    it('are 500 at most', async () => {
      const user = await appliance.addUser()
      const client = await appliance.login(user)
      const own = await makeVault(appliance, 'Many', client)
      const row = `(${own.id}, 0, 2, 'Part', 1, '{}', '', '[]', 128, 0, 1, 1, 1, 1, 1)`
      await appliance.sql(`INSERT INTO vault_objects (vault_id, parent_id, template_id, name, name_given, public_fields, search_text,
        weak_fields, status, children, version, created_at, created_by, changed_at, changed_by)
        VALUES ${Array.from({ length: 501 }, () => row).join(', ')}`)
      const ids = objectsIn(await client.must('GET', `/vault/${own.id}`), 'OBJECTS').map(({ id }) => id)
      await appliance.sql(`INSERT INTO object_favourites (user_id, object_id, added_at)
        SELECT ${user.id}, id, 1 FROM vault_objects WHERE vault_id = ${own.id} AND id <> ${ids[500]}`)
      const put = (id = '') => client.call('PUT', `/object/${id}/favourite`, { body: { favourite: true } })
      expectFault(await put(ids[500]), 400, 1611)
      expect((await put(ids[0])).status).toBe(200)
      expect(await favourites(client)).toHaveLength(500)
    })
  })
}

onBothDatabases('deleted objects', comeBack, { objects: { recoveryWindowMs: windowMs } })
