import { beforeAll, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { createObject, formWith, readObject, upload } from '../../support/object-kit.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance, 'Conflicts')
let admin: TestClient

beforeAll(async () => {
  ;({ admin } = vault)
})

const edit = (id: string, members: object) => admin.call('PUT', `/object/${id}`, { body: members })
const versionOf = async (id: string): Promise<unknown> => (await readObject(admin, id))['version']

it('changes an object that is as its caller has read it, and no other', async () => {
  const id = await createObject(admin, vault.id)
  expect(await versionOf(id)).toBe('1')
  expect((await edit(id, { username: 'first', ifVersion: '1' })).status).toBe(200)
  expect(await versionOf(id)).toBe('2')
  expectFault(await edit(id, { username: 'second', password: 'lost', ifVersion: '1' }), 409, 1618)
  expectFault(await edit(id, { username: 'second', ifVersion: 3 }), 409, 1618)
  const kept = await readObject(admin, id, '?decrypt=true')
  expect(kept).toMatchObject({
    version: '2',
    public: { username: 'first' },
    crypted: { password: 'S3cret-pass.phrase' },
  })
  expect((await edit(id, { username: 'second', ifVersion: 2 })).status).toBe(200)
})

it('lets one of many edits of the same version through', async () => {
  const id = await createObject(admin, vault.id)
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, at) => edit(id, { username: `user ${at}`, ifVersion: '1' })),
  )
  const [winner, ...others] = answers.flatMap(({ status }, at) => (status === 200 ? [at] : []))
  expect(others).toEqual([])
  for (const { status } of answers) expect([200, 409]).toContain(status)
  expect(await readObject(admin, id)).toMatchObject({ version: '2', public: { username: `user ${winner}` } })
})

it('takes the alarm for a change, and what is put into a folder for none', async () => {
  const folder = await createObject(admin, vault.id, { templateid: '2', name: 'Folder' })
  await createObject(admin, vault.id, { parentid: folder })
  expect((await edit(folder, { info: 'x', ifVersion: '1' })).status).toBe(200)
  await admin.must('PUT', `/object/${folder}/alarm`, { alarm: true })
  expectFault(await edit(folder, { info: 'y', ifVersion: '2' }), 409, 1618)
})

it('takes a form with another file in the same way', async () => {
  const id = await upload(admin, { groupid: vault.id, templateid: '3' }, Buffer.from('first'), 'first.txt')
  const put = (ifVersion: string) => admin.call('PUT', `/object/${id}`, formWith({ ifVersion }, Buffer.from('second')))
  await edit(id, { description: 'told' })
  expectFault(await put('1'), 409, 1618)
  const read = await admin.must('GET', `/object/${id}?filedata=true`)
  expect(read['FILEDATA']).toBe(Buffer.from('first').toString('base64'))
  expect((await put('2')).status).toBe(200)
})

it.each(['0', '-1', 'x', '1.5', '', true])('refuses %s for a version', async (ifVersion) => {
  const id = await createObject(admin, vault.id)
  expectFault(await edit(id, { username: 'x', ifVersion }), 400, 1804)
  expect(await versionOf(id)).toBe('1')
})

it('says of a deleted object that there is none', async () => {
  const id = await createObject(admin, vault.id)
  await admin.must('DELETE', `/object/${id}`)
  expectFault(await edit(id, { username: 'x', ifVersion: '1' }), 404, 1610)
})
