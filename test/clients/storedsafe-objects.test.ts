import type { StoredSafe } from 'storedsafe'
import { beforeAll, expect, it } from 'vitest'
import { formWith } from '../support/object-kit.ts'
import type { TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { accepted, npmClient, startForClients } from './client-kit.ts'

const appliance = applianceForTests(startForClients)
let user: TestUser
let client: StoredSafe
let vaultId: string

beforeAll(async () => {
  user = await appliance.addUser()
  client = await npmClient(appliance, user)
  vaultId =
    accepted(await client.createVault({ groupname: 'Objects', policy: '7', description: '' })).data?.VAULT[0]?.id ?? ''
})

it('makes, reads, decrypts, edits, finds and deletes an object', async () => {
  const created = accepted(
    await client.createObject({
      groupid: vaultId,
      templateid: '20',
      parentid: '0',
      objectname: 'Portal',
      name: 'Portal',
      url: 'https://portal.example.test',
      username: 'netops',
      password: 'weak',
    }),
  )
  expect(created.data?.CALLINFO.general).toEqual(['BAD_POLICY'])
  const id = created.data?.CALLINFO.objectid ?? ''
  expect(id).toMatch(/^\d+$/)
  expect(accepted(await client.vaultObjects(vaultId)).data?.OBJECTS).toMatchObject([{ id, status: '1152' }])
  const read = accepted(await client.getObject(id)).data?.OBJECT[0]
  expect(read).toMatchObject({ objectname: 'Portal', public: { username: 'netops' } })
  expect(read).not.toHaveProperty('crypted')
  expect(accepted(await client.decryptObject(id)).data?.OBJECT[0]?.crypted).toEqual({ password: 'weak' })
  accepted(await client.editObject(id, { password: 'Str0ng-enough.phrase' }))
  expect(accepted(await client.decryptObject(id)).data?.OBJECT[0]).toMatchObject({
    status: '128',
    crypted: { password: 'Str0ng-enough.phrase' },
  })
  const found = accepted(await client.find('portal.example')).data
  expect(found?.OBJECT).toMatchObject([{ id, templateid: '20' }])
  expect(found?.TEMPLATES).toMatchObject([{ id: '20' }])
  accepted(await client.deleteObject(id))
  expect(await client.getObject(id)).toMatchObject({ success: false, status: 404, unauthorized: false })
  expect(accepted(await client.find('portal.example')).data?.OBJECT).toEqual([])
})

it('reads a folder with what lies in it', async () => {
  const make = async (members: object) =>
    accepted(await client.createObject({ groupid: vaultId, parentid: '0', ...members })).data?.CALLINFO.objectid ?? ''
  const folder = await make({ templateid: '2', name: 'Folder' })
  const inside = await make({ templateid: '2', name: 'Inside', parentid: folder })
  const read = accepted(await client.getObject(folder, true)).data
  expect(read?.OBJECT.map(({ id }) => id)).toEqual([folder, inside])
})

it('downloads a file', async () => {
  const content = Buffer.from(Array.from({ length: 256 }, (_, at) => at))
  const session = await appliance.login(user)
  const { json } = await session.call('POST', '/object', formWith({ groupid: vaultId }, content, 'all.bin'))
  const file = accepted(await client.getFile(String(json.CALLINFO['objectid']))).data
  expect(file).toMatchObject({ FILEDATA: content.toString('base64') })
  expect(file?.OBJECT[0]?.fileinfo).toMatchObject({ name: 'all.bin', size: '256', ext: 'bin' })
})
