import { beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { createObject, readObject, recordsAbout } from '../../support/object-kit.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)
let admin: TestClient

beforeAll(async () => {
  ;({ admin } = vault)
})

const put = (client: TestClient, id: string, body: unknown) => client.call('PUT', `/object/${id}/alarm`, { body })
const decryptions = (id: string) =>
  recordsAbout(appliance, `object ${id}`)
    .map(({ operation }) => String(operation))
    .filter((operation) => operation.startsWith('object.decrypt'))

describe('PUT /object/:objectid/alarm', () => {
  it('sets an alarm that edits leave alone, and clears it; both are recorded', async () => {
    const id = await createObject(admin, vault.id)
    const alarmed = async () => (await readObject(admin, id, '?decrypt=true'))['alarmed']
    const { CALLINFO } = await admin.must('PUT', `/object/${id}/alarm`, { alarm: true })
    expect(CALLINFO).toMatchObject({ objectid: id, message: 'Alarm set' })
    await admin.must('PUT', `/object/${id}`, { info: 'edited' })
    expect(await alarmed()).toBe('Decrypting this object raises an alarm.')
    expect(decryptions(id)).toEqual(['object.decrypt.alarm'])
    for (const alarm of ['true', 'false', false]) await admin.must('PUT', `/object/${id}/alarm`, { alarm })
    expect(await alarmed()).toBe(false)
    expect((await readObject(admin, id))['status']).toBe('128')
    expect(decryptions(id).toSorted()).toEqual(['object.decrypt', 'object.decrypt.alarm'])
    const records = recordsAbout(appliance, `object ${id}`).filter(({ operation }) => operation === 'object.alarm')
    expect(records.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining([`object ${id}: on`, `object ${id}: off`]),
    )
  })

  it('is for those who share the vault: who may write cannot silence it, and strangers find nothing', async () => {
    const id = await createObject(admin, vault.id)
    await admin.must('PUT', `/object/${id}/alarm`, { alarm: true })
    for (const permission of ['Read', 'Write'] as const)
      expectFault(await put(await vault.member(permission), id, { alarm: false }), 403, 1301)
    expectFault(await put(await appliance.login(), id, { alarm: false }), 404, 1610)
    expect((await readObject(admin, id))['status']).toBe('160')
  })

  it.each([undefined, null, 0, 1, 'on', '', 'TRUE', [true], {}])('refuses %j', async (alarm) => {
    expectFault(await put(admin, await createObject(admin, vault.id), { alarm }), 400, 1804)
  })

  it.each(['0', '-1', '0x1', '999999999', '9'.repeat(30), 'x'])('knows no object %s', async (id) => {
    expectFault(await put(admin, id, { alarm: true }), 404, 1610)
  })

  it('finds no object that is deleted', async () => {
    const id = await createObject(admin, vault.id)
    await admin.must('DELETE', `/object/${id}`)
    expectFault(await put(admin, id, { alarm: true }), 404, 1610)
  })
})
