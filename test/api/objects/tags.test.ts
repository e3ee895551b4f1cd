import { beforeAll, expect, it } from 'vitest'
import type { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { onBothDatabases } from '../../support/both-databases.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { createObject, objectsIn, recordsAbout } from '../../support/object-kit.ts'
import { makeVault } from '../../support/vault.ts'

interface Listed {
  readonly tag: string
  readonly objects: readonly string[]
}

function tagsOfPeople(start: () => Promise<TestAppliance>): void {
  const appliance = applianceForTests(start)
  const vault = vaultForTests(appliance)
  let admin: TestClient

  beforeAll(async () => {
    ;({ admin } = vault)
  })

  const put = (client: TestClient, id: string, tags: unknown) =>
    client.call('PUT', `/object/${id}/tags`, { body: { tags } })
  const clear = (client: TestClient, id: string, of = 'tags') => client.call('DELETE', `/object/${id}/${of}`)
  const list = async (client: TestClient) => {
    const answer = await client.must('GET', '/tags')
    return { tags: answer['TAGS'] as Listed[], ids: objectsIn(answer).map(({ id }) => id) }
  }
  async function reader() {
    const user = await appliance.addUser()
    await vault.share(String(user.id), 'Read')
    return { user, client: await appliance.login(user) }
  }

  it('are of one user, by their letters, with objects in vaults that are shared with the user at that moment', async () => {
    const { user, client } = await reader()
    const [first, second] = [await createObject(admin, vault.id), await createObject(admin, vault.id)]
    expect((await put(client, first, ['rack 4', ' Örebro '])).json['CALLINFO']).toMatchObject({ objectid: first })
    expect((await put(client, second, ['Rack 4'])).status).toBe(200)
    expect(await list(client)).toEqual({
      tags: [
        { tag: 'Rack 4', objects: [first, second] },
        { tag: 'Örebro', objects: [first] },
      ],
      ids: [first, second],
    })
    expect(await list(admin)).toEqual({ tags: [], ids: [] })
    expect(recordsAbout(appliance, `object ${first}`).map(({ operation }) => operation)).toContain('object.tags.set')

    await admin.must('DELETE', `/object/${second}`)
    expect((await list(client)).ids).toEqual([first])
    expectFault(await put(client, second, ['late']), 404, 1610)
    await admin.must('POST', `/object/${second}/undelete`, {})
    await put(client, first, ['Örebro'])
    expect((await list(client)).tags.map(({ objects }) => objects)).toEqual([[second], [first]])
    await put(client, second, [])
    expect((await list(client)).ids).toEqual([first])
    await vault.share(String(user.id), undefined)
    expect(await list(client)).toEqual({ tags: [], ids: [] })
    expectFault(await put(client, first, ['more']), 404, 1610)
  })

  it('and favourites are taken away where the object is out of reach, by an answer that tells nothing of it', async () => {
    const { user, client } = await reader()
    const { client: other } = await reader()
    const id = await createObject(admin, vault.id)
    for (const one of [client, other]) {
      await put(one, id, ['network'])
      await one.must('PUT', `/object/${id}/favourite`, { favourite: true })
    }
    const unknown = await createObject(admin, vault.id)
    await vault.share(String(user.id), undefined)
    for (const of of ['tags', 'favourite']) {
      expect((await clear(client, id, of)).status).toBe(200)
      const refusals = await Promise.all(
        [id, unknown, '999999999', 'none', '0'].map(async (named) => {
          const { status, json } = await clear(client, named, of)
          return [status, json.ERRORCODES]
        }),
      )
      expect(refusals[0]).toMatchObject([404, { 1610: expect.anything() }])
      expect(refusals).toEqual(refusals.map(() => refusals[0]))
    }
    await vault.share(String(user.id), 'Read')
    expect((await list(client)).ids).toEqual([])
    expect(objectsIn(await client.must('GET', '/favourites'))).toEqual([])
    expect((await list(other)).ids).toEqual([id])
    expect(objectsIn(await other.must('GET', '/favourites'))).toHaveLength(1)
  })

  it.each([
    ['no list', 'network', 'must be'],
    ['none', undefined, 'tags'],
    ['an empty one', [' '], 'must not be empty'],
    ['41 characters', ['a'.repeat(41)], '40 characters at most'],
    ['40 that are 80 as they are kept', ['\u095b'.repeat(40)], '40 characters at most'],
    ['control characters', ['a\nb'], 'no control characters'],
    ['one of which nothing is seen', ['\u200b'], 'must have something to see'],
    ['one twice', ['Örebro', 'o\u0308rebro'], 'must not hold a tag twice'],
    ['21 of them', Array.from({ length: 21 }, (_, at) => `tag ${at}`), 'tags must have 20 entries at most.'],
  ])('refuses %s, and leaves what was', async (_what, tags, sentence) => {
    const { client } = await reader()
    const id = await createObject(admin, vault.id)
    await put(client, id, ['before'])
    const answer = await put(client, id, tags)
    expect(answer.status).toBe(400)
    expect(JSON.stringify(answer.json)).toContain(sentence)
    expect((await list(client)).tags).toEqual([{ tag: 'before', objects: [id] }])
  })

  it('takes 20 of 40 characters each, of any script', async () => {
    const { client } = await reader()
    const id = await createObject(admin, vault.id)
    const tags = Array.from({ length: 20 }, (_, at) => `<b>"'\\%_שלום${at}`.padEnd(40, 'ß'))
    await put(client, id, tags)
    expect((await list(client)).tags.map(({ tag }) => tag).toSorted()).toEqual(tags.toSorted())
  })

  it('counts characters as they are kept', async () => {
    const { client } = await reader()
    const id = await createObject(admin, vault.id)
    await put(client, id, ['e\u0301'.repeat(40)])
    expect((await list(client)).tags).toEqual([{ tag: 'é'.repeat(40), objects: [id] }])
  })

  it('refuses a megabyte of accents without putting them in order', async () => {
    const { client } = await reader()
    const id = await createObject(admin, vault.id)
    const answer = await put(client, id, ['\u0301\u0327'.repeat(500_000)])
    expectFault(answer, 400, 1804)
    expect(answer.json.ERRORS).toEqual(['tags.0 must have 40 characters at most.'])
  })

  it('of two calls at once leaves what one of them wrote', async () => {
    const { client } = await reader()
    const id = await createObject(admin, vault.id)
    await Promise.all([put(client, id, ['a', 'b']), put(client, id, ['c', 'd'])])
    expect([
      ['a', 'b'],
      ['c', 'd'],
    ]).toContainEqual((await list(client)).tags.map(({ tag }) => tag))
  })

  it('are at 2,000 objects at most, and go with the vault', async () => {
    const user = await appliance.addUser()
    const client = await appliance.login(user)
    const own = await makeVault(appliance, 'Many', client)
    const row = `(${own.id}, 0, 2, 'Part', 1, '{}', '', '[]', 128, 0, 1, 1, 1, 1, 1)`
    await appliance.sql(`INSERT INTO vault_objects (vault_id, parent_id, template_id, name, name_given, public_fields, search_text,
      weak_fields, status, children, version, created_at, created_by, changed_at, changed_by)
      VALUES ${Array.from({ length: 2_001 }, () => row).join(', ')}`)
    const ids = objectsIn(await client.must('GET', `/vault/${own.id}`), 'OBJECTS').map(({ id }) => id)
    const [first = '', last = ''] = [ids[0], ids.at(-1)]
    await appliance.sql(`INSERT INTO object_tags (user_id, object_id, tags, changed_at)
      SELECT ${user.id}, id, '["one"]', 1 FROM vault_objects WHERE vault_id = ${own.id} AND id <> ${last}`)
    expectFault(await put(client, last, ['two']), 400, 1611)
    expect((await put(client, first, ['two'])).status).toBe(200)
    const { tags } = await list(client)
    expect(tags.map(({ tag, objects }) => [tag, objects.length])).toEqual([
      ['one', 1_999],
      ['two', 1],
    ])
    await appliance.sql(`UPDATE vault_objects SET deleted_at = 1, trashed_with = id WHERE vault_id = ${own.id}`)
    await client.must('DELETE', `/vault/${own.id}`)
    expect(await appliance.store.query('SELECT 1 FROM object_tags WHERE user_id = $1', [user.id])).toEqual([])
  })

  it('go when the object is destroyed', async () => {
    const id = await createObject(admin, vault.id)
    await put(admin, id, ['network'])
    await admin.must('DELETE', `/object/${id}`)
    await appliance.sql(`UPDATE vault_objects SET deleted_at = 1 WHERE id = ${id}`)
    await appliance.services.objectDestruction.destroyExpired()
    expect(await appliance.store.query('SELECT 1 FROM object_tags WHERE object_id = $1', [id])).toEqual([])
  })
}

onBothDatabases('tags', tagsOfPeople)
