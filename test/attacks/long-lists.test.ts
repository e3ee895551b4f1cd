import { beforeAll, describe, expect, it } from 'vitest'
import type { TestAppliance } from '../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../support/for-tests.ts'
import { onBothDatabases } from '../support/both-databases.ts'
import { expectFault } from '../support/client.ts'
import { card, euros, longNotes } from '../support/long-objects.ts'
import { createObject, objectsIn, readObject, type ObjectRecord } from '../support/object-kit.ts'
import { makeVault } from '../support/vault.ts'
import type { TestClient } from '../support/client.ts'

const longFields = { service: euros, ...longNotes }
const long = { ...card, ...longFields }
const mostBytes = 16 * 1024 * 1024

const publicBytes = (objects: readonly Pick<ObjectRecord, 'public'>[]) =>
  objects.reduce((sum, object) => sum + Buffer.byteLength(JSON.stringify(object.public)), 0)

function fillVaults(start: () => Promise<TestAppliance>): void {
  const appliance = applianceForTests(start)
  const shared = vaultForTests(appliance)
  const victim = vaultForTests(appliance)
  let member: TestClient
  let folder: string
  let usual: string

  beforeAll(async () => {
    member = await shared.member('Write')
    folder = await createObject(shared.admin, shared.id, { templateid: '2', name: 'Folder' })
    usual = await createObject(shared.admin, shared.id, { parentid: folder, host: 'core.€€€€.example.test' })
  })

  const addLong = async (count: number) => {
    for (let at = 0; at < count; at++)
      await createObject(member, shared.id, { ...long, parentid: folder, objectname: `long ${at}` })
  }

  describe('long lists that a member asks for again and again', () => {
    it('are written two at once in a worker, and hold no worker up until it is replaced', async () => {
      await addLong(12)
      const lists = Promise.all(Array.from({ length: 24 }, () => member.get(`/vault/${shared.id}`)))
      const others = Promise.all(Array.from({ length: 10 }, () => createObject(victim.admin, victim.id)))
      const answers = await lists
      expect(await others).toHaveLength(10)
      const refused = answers.filter(({ status }) => status !== 200)
      // The limit holds at each moment: calls arrive one after another, so that more than four are answered in all.
      expect(refused.length).toBeGreaterThan(0)
      for (const answer of refused) {
        expectFault(answer, 429, 1820)
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
      }
      // The quota concerns only the member.
      expect((await victim.admin.get(`/vault/${victim.id}`)).status).toBe(200)
      expect((await shared.admin.get(`/vault/${shared.id}`)).status).toBe(200)
      expect(appliance.journal).not.toContain('the worker does not answer')
    })
  })

  describe('a shared vault full of long texts', () => {
    beforeAll(() => addLong(8))

    function expectAbridged(objects: readonly ObjectRecord[]): void {
      expect(publicBytes(objects)).toBeLessThan(mostBytes)
      expect(objects.filter(({ id }) => id === usual)).toEqual([
        expect.objectContaining({ public: expect.objectContaining({ host: 'core.€€€€.example.test' }) }),
      ])
      const abridged = objects.filter((object) => object['abridged'] === true)
      expect(abridged).toHaveLength(20)
      for (const object of abridged) expect([object['templateid'], object.public]).toEqual(['11', {}])
    }

    it('is listed for its members without these texts, and all else of it whole', async () => {
      expectAbridged(objectsIn(await shared.admin.must('GET', `/vault/${shared.id}`), 'OBJECTS'))
      expectAbridged(objectsIn(await shared.admin.must('GET', `/object/${folder}?children=true`)))
      expectAbridged(objectsIn(await shared.admin.must('GET', `/find?needle=${encodeURIComponent('€€€€')}`)))
      const [, , ...ids] = objectsIn(await shared.admin.must('GET', `/vault/${shared.id}`), 'OBJECTS').map(
        ({ id }) => id,
      )
      for (const id of [usual, ...ids]) {
        await shared.admin.must('PUT', `/object/${id}/favourite`, { favourite: true })
        await shared.admin.must('PUT', `/object/${id}/tags`, { tags: ['mine'] })
      }
      expectAbridged(objectsIn(await shared.admin.must('GET', '/favourites')))
      expectAbridged(objectsIn(await shared.admin.must('GET', '/tags')))
    })

    it('shows each of them by itself, and an Admin can delete them', async () => {
      const objects = objectsIn(await shared.admin.must('GET', `/vault/${shared.id}`), 'OBJECTS')
      const [first] = objects.filter((object) => object['abridged'] === true)
      const read = await readObject(shared.admin, String(first?.id))
      expect(read.public).toMatchObject(longFields)
      expect(read['abridged']).toBeUndefined()
      await shared.admin.must('DELETE', `/object/${folder}`, { children: true })
      expect(objectsIn(await shared.admin.must('GET', `/vault/${shared.id}`), 'OBJECTS')).toEqual([])
    })
  })

  it('the history of an object that has had long texts again and again is listed without them', async () => {
    const vault = await makeVault(appliance)
    await vault.admin.must('PUT', `/vault/${vault.id}`, { history: 100 })
    const id = await createObject(vault.admin, vault.id, card)
    for (let at = 0; at < 20; at++)
      await vault.admin.must('PUT', `/object/${id}`, { ...longFields, note2: `${euros.slice(9)}${at}` })
    const { HISTORY } = await vault.admin.must('GET', `/object/${id}/history`)
    const versions = HISTORY as (Pick<ObjectRecord, 'public'> & { version: string; abridged?: true })[]
    expect(versions).toHaveLength(20)
    expect(publicBytes(versions)).toBeLessThan(mostBytes)
    expect(versions.at(-1)?.public).toMatchObject({ service: 'short' })
    expect(versions.filter(({ abridged }) => abridged === true)).toHaveLength(19)
    const { HISTORY: alone } = await vault.admin.must('GET', `/object/${id}/history/2`)
    expect(alone).toEqual([expect.objectContaining({ public: expect.objectContaining({ service: euros }) })])
  })
}

onBothDatabases('a member who fills vaults with the longest open fields', fillVaults, { http: { workers: 2 } })
