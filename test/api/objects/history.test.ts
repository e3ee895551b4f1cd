import { beforeAll, expect, it } from 'vitest'
import type { TestAppliance, TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { onBothDatabases } from '../../support/both-databases.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { createObject, readObject, recordsAbout, server, upload } from '../../support/object-kit.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'

interface Earlier {
  readonly version: string
  readonly objectname: string
  readonly replaced: string
  readonly replacedby: string
  readonly public: Readonly<Record<string, string>>
  readonly crypted?: Readonly<Record<string, string>>
}

function keepHistory(start: () => Promise<TestAppliance>): void {
  const appliance = applianceForTests(start)
  let vault: TestVault
  let admin: TestClient
  let chief: TestUser

  beforeAll(async () => {
    chief = await appliance.addUser()
    admin = await appliance.login(chief)
    vault = await makeVault(appliance, 'Test', admin)
  })

  const historyOf = async (id: string, client = admin) =>
    (await client.must('GET', `/object/${id}/history`))['HISTORY'] as Earlier[]
  const versionsOf = async (id: string) => (await historyOf(id)).map(({ version }) => version)
  const secretsAt = async (id: string, version: string, client = admin) => {
    const { HISTORY } = await client.must('GET', `/object/${id}/history/${version}?decrypt=true`)
    return (HISTORY as Earlier[])[0]?.crypted
  }
  const edit = (id: string, members: Record<string, unknown>, client = admin) =>
    client.must('PUT', `/object/${id}`, members)
  const decryptionsOf = (id: string) =>
    recordsAbout(appliance, `object ${id}`).filter(({ subject }) => String(subject).endsWith(': password of version 1'))
  const kept = async (id: string) => [
    ...(await appliance.store.query('SELECT version FROM earlier_versions WHERE object_id = $1', [id])),
    ...(await appliance.store.query('SELECT version FROM earlier_secrets WHERE object_id = $1', [id])),
  ]

  it('an edit keeps what the object was: name, open and secret values, and who replaced it', async () => {
    const id = await createObject(admin, vault.id, { host: 'first.example.test', password: 'one', cryptedinfo: 'note' })
    expect(await historyOf(id)).toEqual([])
    const user = await appliance.addUser()
    await vault.share(String(user.id), 'Write')
    const writer = await appliance.login(user)
    await edit(id, { host: 'second.example.test', password: 'two' }, writer)
    await edit(id, { info: 'renewed' })
    const [second, first] = await historyOf(id)
    expect(first).toMatchObject({ version: '1', objectname: 'first.example.test', replacedby: user.username })
    expect(first?.public).toMatchObject({ host: 'first.example.test', username: server.username })
    expect(first?.replaced).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    expect(second).toMatchObject({ version: '2', objectname: 'second.example.test', replacedby: chief.username })
    expect(JSON.stringify([first, second])).not.toContain('crypted')
    expect(await secretsAt(id, '1')).toEqual({ password: 'one', cryptedinfo: 'note' })
    expect(await secretsAt(id, '2')).toEqual({ password: 'two', cryptedinfo: 'note' })
    expect(await readObject(admin, id, '?decrypt=true')).toMatchObject({
      version: '3',
      crypted: { password: 'two', cryptedinfo: 'note' },
    })
  })

  it('an edit that gives nothing new, an alarm, a move within the vault and the trash add none, and lose none', async () => {
    const id = await createObject(admin, vault.id, { password: 'one' })
    const folder = await createObject(admin, vault.id, { templateid: 2, name: 'Folder' })
    await edit(id, { password: 'two' })
    const { public: open } = await readObject(admin, id)
    await edit(id, { ...(open as object) })
    await admin.must('PUT', `/object/${id}/alarm`, { alarm: false })
    await admin.must('POST', `/object/${id}/move`, { parentid: folder })
    await admin.must('DELETE', `/object/${id}`)
    expectFault(await admin.get(`/object/${id}/history`), 404, 1610)
    await admin.must('POST', `/object/${id}/undelete`, {})
    expect(await versionsOf(id)).toEqual(['1'])
    expect(await secretsAt(id, '1')).toMatchObject({ password: 'one' })
  })

  it('a value that is emptied, and one that comes, are told apart', async () => {
    const id = await createObject(admin, vault.id, { password: 'one' })
    await edit(id, { cryptedinfo: 'new' })
    await edit(id, { cryptedinfo: '' })
    expect(await secretsAt(id, '1')).toEqual({ password: 'one' })
    expect(await secretsAt(id, '2')).toEqual({ password: 'one', cryptedinfo: 'new' })
  })

  it('the vault says how many are kept, and older ones go with the edit that exceeds it', async () => {
    const small = await makeVault(appliance, 'Small', admin)
    const { VAULT } = await admin.must('PUT', `/vault/${small.id}`, { history: '2' })
    expect(VAULT).toMatchObject([{ history: '2' }])
    const id = await createObject(admin, small.id, { password: 'value 1' })
    for (const number of [2, 3, 4]) await edit(id, { password: `value ${number}` })
    expect(await versionsOf(id)).toEqual(['3', '2'])
    expectFault(await admin.get(`/object/${id}/history/1`), 404, 1610)
    expect(await secretsAt(id, '2')).toMatchObject({ password: 'value 2' })
    await admin.must('PUT', `/vault/${small.id}`, { history: 1 })
    expect(await versionsOf(id)).toEqual(['3'])
    expectFault(await admin.get(`/object/${id}/history/2?decrypt=true`), 404, 1610)
    await admin.must('PUT', `/vault/${small.id}`, { history: 0 })
    expect(await versionsOf(id)).toEqual([])
    expectFault(await admin.get(`/object/${id}/history/3?decrypt=true`), 404, 1610)
    // An edit that changes nothing removes them as well.
    await edit(id, {})
    expect(await kept(id)).toEqual([])
    await edit(id, { password: 'value 5' })
    expect(await kept(id)).toEqual([])
    for (const history of [-1, 101, '07', 'many', null])
      expectFault(await admin.call('PUT', `/vault/${small.id}`, { body: { history } }), 400, 1804)
    const { VAULT: made } = await admin.must('POST', '/vault', { vaultname: 'Given', history: 3 })
    expect(made).toMatchObject([{ history: '3' }])
    const { VAULT: plain } = await admin.must('POST', '/vault', { vaultname: 'Not given' })
    expect((plain as object[])[0]).not.toHaveProperty('history')
  })

  it('is read by those who may read the present values, and each secret is recorded', async () => {
    const id = await createObject(admin, vault.id, { password: 'one' })
    await edit(id, { password: 'two' })
    const reader = await vault.member('Read')
    expect(await secretsAt(id, '1', reader)).toMatchObject({ password: 'one' })
    expect(decryptionsOf(id)).toMatchObject([{ operation: 'object.decrypt', outcome: 'allowed' }])
    await admin.must('PUT', `/object/${id}/alarm`, { alarm: true })
    await secretsAt(id, '1', reader)
    expect(decryptionsOf(id).at(-1)).toMatchObject({
      operation: 'object.decrypt.alarm',
    })
    const stranger = (await makeVault(appliance)).admin
    expectFault(await stranger.get(`/object/${id}/history`), 404, 1610)
    expectFault(await stranger.get(`/object/${id}/history/1?decrypt=true`), 404, 1610)
    for (const version of ['2', '99', '0', 'x', '1.0'])
      expectFault(await admin.get(`/object/${id}/history/${version}`), 404, 1610)
  })

  it('a move to another vault ends it, and a copy begins without', async () => {
    const other = await makeVault(appliance, 'Other', admin)
    const id = await createObject(admin, vault.id, { password: 'one' })
    await edit(id, { password: 'two' })
    const { CALLINFO } = await admin.must('POST', `/object/${id}/copy`, { parentid: 0 })
    expect(await historyOf(String(CALLINFO['objectid']))).toEqual([])
    await admin.must('POST', `/object/${id}/move`, { groupid: other.id, parentid: 0 })
    expect(await kept(id)).toEqual([])
    await edit(id, { password: 'three' })
    expect(await secretsAt(id, '3')).toMatchObject({ password: 'two' })
  })

  it('of a file that is replaced its name is kept, and not its content', async () => {
    const id = await upload(admin, { groupid: vault.id, description: 'before' }, Buffer.from('content'))
    await edit(id, { description: 'after' })
    expect(await historyOf(id)).toMatchObject([{ version: '1', public: { description: 'before' } }])
    expect(await secretsAt(id, '1')).toEqual({})
    expect((await admin.must('GET', `/object/${id}?filedata=true`))['FILEDATA']).toBe(
      Buffer.from('content').toString('base64'),
    )
  })

  it('goes for good with its object, and with its vault', async () => {
    const going = await makeVault(appliance, 'Going', admin)
    const [first, second] = [await createObject(admin, going.id), await createObject(admin, going.id)]
    for (const id of [first, second]) {
      await edit(id, { password: 'other' })
      await admin.must('DELETE', `/object/${id}`)
    }
    await appliance.sql(`UPDATE vault_objects SET deleted_at = 1 WHERE id = ${first}`)
    await appliance.services.objectDestruction.destroyExpired()
    expect(await kept(first)).toEqual([])
    expect(await kept(second)).toHaveLength(2)
    await admin.must('DELETE', `/vault/${going.id}`)
    expect(await kept(second)).toEqual([])
  })

  it('of edits at one moment each keeps what it replaced', async () => {
    const id = await createObject(admin, vault.id, { password: 'value 0' })
    const values = ['value 1', 'value 2', 'value 3', 'value 4']
    const answers = await Promise.all(
      values.map((password) => admin.call('PUT', `/object/${id}`, { body: { password } })),
    )
    const done = answers.filter(({ status }) => status === 200)
    expect(done.length).toBeGreaterThan(0)
    const versions = await versionsOf(id)
    expect(versions).toHaveLength(done.length)
    const seen = [
      (await readObject(admin, id, '?decrypt=true'))['crypted'],
      ...(await Promise.all(versions.map((version) => secretsAt(id, version)))),
    ]
    expect(new Set(seen.map((crypted) => (crypted as Record<string, string>)['password'])).size).toBe(done.length + 1)
  })
}

onBothDatabases('earlier versions of objects', keepHistory)
