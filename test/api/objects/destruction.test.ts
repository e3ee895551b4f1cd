import { describe, expect, it } from 'vitest'
import type { AuditEvent } from '../../../src/audit/event.ts'
import { systemClock } from '../../../src/clock.ts'
import { createServices } from '../../../src/daemon/services.ts'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { eventsOf } from '../../support/trail.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'
import { createObject, readObject, upload } from '../../support/object-kit.ts'

const appliance = applianceForTests(() => TestAppliance.own({ objects: { recoveryWindowMs: 1_000_000 } }))
const vault = vaultForTests(appliance)

const rows = async (sql: string, ...parameters: unknown[]) => (await appliance.store.query(sql, parameters)).length
const content = Buffer.alloc(700_000, 'content')

/** The rows of an object: itself, its secrets, the chunks of its file. */
const traces = async (id: string) => [
  await rows('SELECT 1 FROM vault_objects WHERE id = $1', id),
  await rows('SELECT 1 FROM object_secrets WHERE object_id = $1', id),
  await rows('SELECT 1 FROM file_chunks c JOIN file_uploads u ON u.id = c.upload_id WHERE u.object_id = $1', id),
]

/** Destroys what has expired, as two housekeepers do it at the same time; resolves to the records that they leave. */
async function destroyTwice() {
  const { store, hsm, config } = appliance
  const records: AuditEvent[] = []
  const append = (event: AuditEvent) => Promise.resolve(void records.push(event))
  const { objectDestruction } = createServices({ config, store, hsm, clock: systemClock, audit: { append } })
  const destroyed = await Promise.all([objectDestruction.destroyExpired(), objectDestruction.destroyExpired()])
  return { destroyed: destroyed.flat(), records }
}
const uploads = () => rows('SELECT 1 FROM file_uploads')
const age = (upload: string) =>
  appliance.sql(`UPDATE file_uploads SET touched_at = touched_at - 3600001 WHERE ${upload}`)

describe('a deleted object', () => {
  it('is kept for its recovery window and then destroyed, secrets and file and all', async () => {
    const { objectDestruction } = appliance.services
    const plain = await createObject(vault.admin, vault.id)
    const file = await upload(vault.admin, { groupid: vault.id }, content)
    const kept = await createObject(vault.admin, vault.id)
    for (const id of [plain, file]) await vault.admin.must('DELETE', `/object/${id}`)
    expect(await objectDestruction.destroyExpired()).toEqual([])
    expect([await traces(plain), await traces(file)]).toEqual([
      [1, 1, 0],
      [1, 1, 4],
    ])
    await appliance.sql('UPDATE vault_objects SET deleted_at = deleted_at - 1000001 WHERE deleted_at IS NOT NULL')
    expect(await objectDestruction.destroyExpired()).toEqual(
      expect.arrayContaining([plain, file].map((id) => ({ id: Number(id), vaultId: Number(vault.id) }))),
    )
    expect([await traces(plain), await traces(file)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ])
    expect(await traces(kept)).toEqual([1, 1, 0])
    expect(await objectDestruction.sweepUploads()).toBe(0)
    await age('object_id IS NULL')
    expect(await objectDestruction.sweepUploads()).toBe(1)
    expect([await uploads(), await rows('SELECT 1 FROM file_chunks')]).toEqual([0, 0])
  })

  it('has one record of its destruction, which names it, where two destroy it at the same time', async () => {
    const id = await createObject(vault.admin, vault.id)
    await vault.admin.must('DELETE', `/object/${id}`)
    await appliance.sql('UPDATE vault_objects SET deleted_at = deleted_at - 1000001 WHERE deleted_at IS NOT NULL')
    const { destroyed, records } = await destroyTwice()
    expect(destroyed).toEqual([{ id: Number(id), vaultId: Number(vault.id) }])
    expect(records).toMatchObject([{ operation: 'object.destroy', vault: vault.id, target: `object ${id}` }])
  })
})

describe('a vault that goes', () => {
  it('takes its deleted objects with it, and is not touched while it holds others', async () => {
    const other = await makeVault(appliance)
    const gone = await upload(other.admin, { groupid: other.id }, content)
    const live = await createObject(other.admin, other.id)
    await other.admin.must('DELETE', `/object/${gone}`)
    const refused = await other.admin.call('DELETE', `/vault/${other.id}`)
    expectFault(refused, 409, 1402)
    expect(refused.json.ERRORS).toEqual(['The vault holds 1 object: delete what is in it first.'])
    expect([await traces(gone), await traces(live)]).toEqual([
      [1, 1, 4],
      [1, 1, 0],
    ])
    await other.admin.must('DELETE', `/object/${live}`)
    await other.admin.must('DELETE', `/vault/${other.id}`)
    expect([await traces(gone), await traces(live)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ])
    expect(await rows('SELECT 1 FROM vault_objects WHERE vault_id = $1', other.id)).toBe(0)
  })
})

describe('the sweep', () => {
  it('leaves what an object has, and what is still coming in', async () => {
    const { objectDestruction } = appliance.services
    const file = await upload(vault.admin, { groupid: vault.id }, content)
    await age('object_id IS NOT NULL')
    await age('object_id IS NULL')
    await objectDestruction.sweepUploads()
    await appliance.sql(
      `INSERT INTO file_uploads (id, vault_id, touched_at) VALUES ('young', ${vault.id}, ${Date.now()})`,
    )
    expect(await objectDestruction.sweepUploads()).toBe(0)
    expect(await uploads()).toBe(2)
    expect((await readObject(vault.admin, file)).fileinfo).toMatchObject({ size: '700000' })
    const { FILEDATA } = await vault.admin.must('GET', `/object/${file}?filedata=true`)
    expect(FILEDATA).toBe(content.toString('base64'))
  })
})

describe('a vault with a full trash', () => {
  const trashed = 1_100

  /** Puts objects into the trash of the vault: copies of a deleted one. */
  async function givenTrash(of: TestVault): Promise<void> {
    const id = await createObject(of.admin, of.id)
    await of.admin.must('DELETE', `/object/${id}`)
    const columns = (
      await appliance.store.query<{ name: string }>("SELECT name FROM pragma_table_info('vault_objects')", [])
    )
      .map(({ name }) => name)
      .filter((name) => name !== 'id')
      .join(', ')
    await appliance.sql(
      `WITH RECURSIVE counted(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM counted WHERE n < ${trashed})
       INSERT INTO vault_objects (${columns}) SELECT ${columns} FROM (SELECT * FROM vault_objects WHERE id = ${id}), counted`,
    )
  }
  const left = (of: TestVault) => rows('SELECT 1 FROM vault_objects WHERE vault_id = $1', of.id)

  it('has it destroyed in groups when it goes, each with its record, and none of it while it holds a key', async () => {
    const full = await makeVault(appliance)
    await givenTrash(full)
    await full.admin.must('POST', `/transparent/${full.id}/keys/kept`)
    expectFault(await full.admin.call('DELETE', `/vault/${full.id}`), 409, 1402)
    expect(await left(full)).toBe(trashed)
    await appliance.sql(
      `DELETE FROM key_versions WHERE key_id IN (SELECT id FROM transparent_keys WHERE vault_id = ${full.id})`,
    )
    await appliance.sql(`DELETE FROM transparent_keys WHERE vault_id = ${full.id}`)
    await full.admin.must('DELETE', `/vault/${full.id}`)
    expect(await left(full)).toBe(0)
    const records = eventsOf(appliance).filter(({ vault: of }) => of === full.id)
    expect(records.filter(({ operation }) => operation === 'object.destroy').map(({ subject }) => subject)).toEqual([
      '500 deleted objects',
      '500 deleted objects',
    ])
  })

  it('goes on where a deletion broke off', async () => {
    const full = await makeVault(appliance)
    await givenTrash(full)
    const { objectDestruction } = appliance.services
    let announced = 0
    const announce = () => ((announced += 1) > 1 ? Promise.reject(new Error('broken off')) : Promise.resolve())
    await expect(objectDestruction.thinTrash(Number(full.id), announce)).rejects.toThrow('broken off')
    expect(await left(full)).toBe(trashed - 500)
    await full.admin.must('DELETE', `/vault/${full.id}`)
    expect(await left(full)).toBe(0)
  })
})
