import type Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { openDatabase, putRows, rowsOf } from '../../support/database-owner.ts'
import { expectUnharmed } from '../../support/health.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'
import { createObject, readObject, recordsAbout, server } from '../../support/object-kit.ts'

const appliance = applianceForTests()
let database: Database.Database
let vault: TestVault
let other: TestVault
let admin: TestClient
let id: string
let twin: string

beforeAll(async () => {
  database = openDatabase(appliance)
  vault = await makeVault(appliance)
  other = await makeVault(appliance)
  ;({ admin } = vault)
  id = await createObject(admin, vault.id, { cryptedinfo: 'hidden' })
  twin = await createObject(admin, vault.id, { password: 'of the twin', cryptedinfo: 'hidden too' })
  await admin.must('PUT', `/object/${id}`, { password: 'second password' })
  await admin.must('PUT', `/object/${twin}`, { password: 'of the twin, again' })
})
afterAll(async () => {
  database.close()
  await expectUnharmed(appliance)
})

interface Row {
  readonly version: number
  readonly sealed_text: string
}

const secret = (object: string, field: string): Row =>
  database
    .prepare('SELECT version, sealed_text FROM object_secrets WHERE object_id = ? AND field = ?')
    .get(object, field) as Row

/** Changes rows, requests the object's secrets, and puts the rows back. */
async function whileChanged(change: () => void) {
  const tables = ['vault_objects', 'object_secrets'] as const
  const kept = tables.map((table) => rowsOf(database, table))
  change()
  try {
    return await admin.get(`/object/${id}?decrypt=true`)
  } finally {
    for (const [at, table] of tables.entries()) putRows(database, table, kept[at] ?? [])
  }
}

const put = (column: 'version' | 'sealed_text', value: unknown, field = 'password'): void => {
  database.prepare(`UPDATE object_secrets SET ${column} = ? WHERE object_id = ? AND field = ?`).run(value, id, field)
}
const putRow = (row: Row, field = 'password'): void => {
  put('version', row.version, field)
  put('sealed_text', row.sealed_text, field)
}

function flipped(base64: string): string {
  const bytes = Buffer.from(base64, 'base64')
  bytes.writeUInt8(bytes.readUInt8(14) ^ 1, 14)
  return bytes.toString('base64')
}

describe('a secret that somebody edits in the database', () => {
  const edits: readonly (readonly [string, () => void])[] = [
    ['taken from another object of the vault', () => putRow(secret(twin, 'password'))],
    ['taken from another field of the object', () => putRow(secret(id, 'cryptedinfo'))],
    ['put into another field of the object', () => putRow(secret(id, 'password'), 'cryptedinfo')],
    ['given another version', () => put('version', 1)],
    [
      'given another template',
      () => void database.prepare('UPDATE vault_objects SET template_id = 4 WHERE id = ?').run(id),
    ],
    ['with one bit changed', () => put('sealed_text', flipped(secret(id, 'password').sealed_text))],
    ['cut short', () => put('sealed_text', secret(id, 'password').sealed_text.slice(0, 24))],
    ['emptied', () => put('sealed_text', '')],
  ]
  it.each(edits)('is not shown: %s', async (_what, change) => {
    expect((await readObject(admin, id, '?decrypt=true')).crypted).toMatchObject({ password: 'second password' })
    const before = recordsAbout(appliance, `object ${id}`).length
    const answer = await whileChanged(change)
    expectFault(answer, 503, 1614)
    expect(answer.json).not.toHaveProperty('OBJECT')
    const told = recordsAbout(appliance, `object ${id}`).slice(before)
    expect(told.map(({ operation, outcome }) => [operation, outcome])).toEqual([['object.read', 'object.tampered']])
    await expect.poll(() => appliance.journal).toContain('"code":"object.tampered"')
  })

  it('does not open in another vault, whoever is a member of that', async () => {
    database.prepare('UPDATE vault_objects SET vault_id = ? WHERE id = ?').run(other.id, twin)
    expectFault(await other.admin.get(`/object/${twin}?decrypt=true`), 503, 1614)
    expectFault(await admin.get(`/object/${twin}`), 404, 1610)
    database.prepare('UPDATE vault_objects SET vault_id = ? WHERE id = ?').run(vault.id, twin)
    expect((await readObject(admin, twin, '?decrypt=true')).crypted).toMatchObject({ password: 'of the twin, again' })
  })

  it('spoils no other object, and no edit of another field', async () => {
    const broken = await createObject(admin, vault.id, { cryptedinfo: 'x' })
    database
      .prepare("UPDATE object_secrets SET sealed_text = '' WHERE object_id = ? AND field = 'cryptedinfo'")
      .run(broken)
    await admin.must('PUT', `/object/${broken}`, { password: 'changed' })
    expectFault(await admin.get(`/object/${broken}?decrypt=true`), 503, 1614)
    await admin.must('PUT', `/object/${broken}`, { cryptedinfo: 'mended' })
    expect((await readObject(admin, broken, '?decrypt=true')).crypted).toEqual({
      password: 'changed',
      cryptedinfo: 'mended',
    })
  })
})

describe('the database', () => {
  it('has each search text once in its index after rows were put back', async () => {
    putRows(database, 'vault_objects', rowsOf(database, 'vault_objects'))
    // With a rank the check compares the index to the table (FTS5, "The 'integrity-check' Command").
    database.exec("INSERT INTO object_trigrams (object_trigrams, rank) VALUES ('integrity-check', 1)")
  })

  it('holds no secret in plain, and search finds none', async () => {
    await createObject(admin, vault.id, { password: 'Xq7-needle-in-plain', cryptedinfo: 'Xq7-needle-too' })
    const dump = JSON.stringify(
      ['vault_objects', 'object_secrets', 'object_trigrams'].map((table) =>
        database.prepare(`SELECT * FROM ${table}`).all(),
      ),
    )
    expect(dump).toContain(server.host)
    expect(dump).not.toContain('Xq7-needle')
    expect(dump).not.toContain(Buffer.from('Xq7-needle').toString('base64').slice(0, 12))
    expect((await admin.must('GET', '/find?needle=Xq7-needle'))['OBJECT']).toEqual([])
  })

  it('counts each encryption with the vault’s key, and refuses at the limit', async () => {
    const uses = () =>
      (database.prepare('SELECT key_uses FROM vaults WHERE id = ?').get(other.id) as { key_uses: number }).key_uses
    const before = uses()
    const made = await createObject(other.admin, other.id, { cryptedinfo: 'two secrets' })
    expect(uses()).toBe(before + 2)
    await other.admin.must('PUT', `/object/${made}`, { info: 'no secret' })
    // The earlier version has both.
    expect(uses()).toBe(before + 4)
    await other.admin.must('PUT', `/vault/${other.id}`, { history: 0 })
    await other.admin.must('PUT', `/object/${made}`, { info: 'none is kept' })
    expect(uses()).toBe(before + 4)
    database.prepare('UPDATE vaults SET key_uses = ? WHERE id = ?').run(2 ** 32 - 1, other.id)
    expectFault(await other.admin.post('/object', { ...server, groupid: other.id, cryptedinfo: 'x' }), 409, 1615)
    expectFault(
      await other.admin.call('PUT', `/object/${made}`, { body: { cryptedinfo: 'x', password: 'y' } }),
      409,
      1615,
    )
    await other.admin.must('PUT', `/object/${made}`, { password: 'the last one' })
    expectFault(await other.admin.call('PUT', `/object/${made}`, { body: { password: 'y' } }), 409, 1615)
    expect((await readObject(other.admin, made, '?decrypt=true')).crypted).toMatchObject({ password: 'the last one' })
  })
})
