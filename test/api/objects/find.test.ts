import { beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { verdict } from '../../support/fault-kit.ts'
import { type TestClient } from '../../support/client.ts'
import { createObject, objectsIn, readObject } from '../../support/object-kit.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance, 'Found')
let admin: TestClient
let ids: Readonly<Record<'router' | 'note' | 'odd', string>>

beforeAll(async () => {
  ;({ admin } = vault)
  ids = {
    router: await createObject(admin, vault.id, {
      host: 'Router-7.Example.Test',
      info: 'Grüße aus Köln',
      cryptedinfo: 'zebra',
    }),
    note: await createObject(admin, vault.id, { templateid: 8, name: 'A plain note', note: 'zebra' }),
    odd: await createObject(admin, vault.id, { host: '100%_of "it"', username: 'a+b&c', objectname: 'Odd \u{1f511}' }),
  }
})

const find = async (needle: string, client = admin) =>
  objectsIn(await client.must('GET', `/find?needle=${encodeURIComponent(needle)}`)).map(({ id }) => id)

describe('GET /find', () => {
  it('answers with objects, their templates and their vaults', async () => {
    const found = await admin.must('GET', '/find?needle=router-7')
    expect(found.CALLINFO.handler).toBe('FindHandler')
    expect(found['OBJECT']).toEqual([await readObject(admin, ids.router)])
    expect(found['TEMPLATES']).toMatchObject([{ id: '1', info: { name: 'Server' } }])
    expect(found['VAULTS']).toMatchObject([{ id: vault.id, groupname: 'Found', status: '4' }])
  })

  it('answers with empty lists where nothing is found', async () => {
    const found = await admin.must('GET', '/find?needle=nowhere-to-be-seen')
    expect(found).toMatchObject({ OBJECT: [], TEMPLATES: [], VAULTS: [] })
  })

  it.each([
    ['ROUTER-7', 'router'],
    ['grÜSSe', undefined],
    ['GRÜßE', 'router'],
    ['netops', 'router'],
    ['100%_of', 'odd'],
    ['"it"', 'odd'],
    ['a+b&c', 'odd'],
    ['\u{1f511}', 'odd'],
    ['7.', 'router'],
    ['%', 'odd'],
    ['_', 'odd'],
    ['plain note', 'note'],
    ['zebra', undefined],
    ['Router-7*', undefined],
    ['router AND example', undefined],
  ] as const)('finds %s in names and open fields, in any case, as it stands', async (needle, what) => {
    expect(await find(needle)).toEqual(what === undefined ? [] : [ids[what]])
  })

  it('finds accents however they are written', async () => {
    const written = ['Ångström', 'Ole\u0301'].map((name) =>
      createObject(admin, vault.id, { objectname: name, username: 'x' }),
    )
    const [composed, decomposed] = await Promise.all(written)
    for (const form of ['NFC', 'NFD'] as const) {
      expect(await find('ångström'.normalize(form)), form).toEqual([composed])
      expect(await find('OLÉ'.normalize(form)), form).toEqual([decomposed])
    }
  })

  it('finds accents in a long value as they were written', async () => {
    const info = `${'-'.repeat(1_100)} Rene\u0301`
    const id = await createObject(admin, vault.id, { username: 'x', info })
    expect(await find('Rene\u0301')).toEqual([id])
  })

  it('takes a blank as + or %20, and the needle in the path', async () => {
    for (const address of [
      '/find?needle=plain+note',
      '/find?needle=plain%20note',
      '/find/plain%20note',
      '/find/PLAIN%20note/',
    ])
      expect(
        objectsIn(await admin.must('GET', address)).map(({ id }) => id),
        address,
      ).toEqual([ids.note])
  })

  it('answers with as many as are wanted, and refuses to answer with more than a thousand', async () => {
    expect(await find('netops')).toHaveLength(1)
    const several = await Promise.all(
      ['a', 'b', 'c'].map((name) => createObject(admin, vault.id, { info: `many ${name}` })),
    )
    const limited = async (limit: string) =>
      objectsIn(await admin.must('GET', `/find?needle=many&limit=${limit}`)).length
    expect([await limited('2'), await limited('3'), await limited('1000')]).toEqual([2, 3, several.length])
    for (const limit of ['0', '1001', '-1', 'all', ''])
      expect(verdict(await admin.get(`/find?needle=many&limit=${limit}`)), limit).toBe('400 1804')
  })

  it('follows edits and deletions', async () => {
    const id = await createObject(admin, vault.id, { info: 'before-the-edit' })
    expect(await find('before-the-edit')).toEqual([id])
    await admin.must('PUT', `/object/${id}`, { info: 'after-the-edit' })
    expect([await find('before-the-edit'), await find('after-the-edit')]).toEqual([[], [id]])
    await admin.must('DELETE', `/object/${id}`)
    expect(await find('after-the-edit')).toEqual([])
  })

  it('looks into the vaults of the caller, at this moment, and no others', async () => {
    const user = await appliance.addUser()
    const client = await appliance.login(user)
    expect(await find('router-7', client)).toEqual([])
    await vault.share(String(user.id), 'Read')
    expect(await find('router-7', client)).toEqual([ids.router])
    await vault.share(String(user.id), undefined)
    expect(await find('router-7', client)).toEqual([])
  })
})
