import type Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { expectFault, type TestClient } from '../support/client.ts'
import { openDatabase } from '../support/database-owner.ts'
import { createObject, readObject } from '../support/object-kit.ts'
import { makeVault, type TestVault } from '../support/vault.ts'

// The attacker writes to the database, which contains the ciphertexts of earlier values too. None can be decrypted in
// another place than its own.

const appliance = applianceForTests(() => TestAppliance.own())
let database: Database.Database
let vault: TestVault
let admin: TestClient
let id: string
let twin: string

beforeAll(async () => {
  database = openDatabase(appliance)
  vault = await makeVault(appliance)
  ;({ admin } = vault)
  const members = { password: 'first', cryptedinfo: 'first note' }
  ;[id, twin] = [await createObject(admin, vault.id, members), await createObject(admin, vault.id, members)]
  for (const object of [id, twin])
    for (const password of ['second', 'third']) await admin.must('PUT', `/object/${object}`, { password })
})
afterAll(() => database.close())

interface Sealed {
  readonly sealed_text: string
}

const present = (): Sealed & { readonly version: number } =>
  database.prepare("SELECT * FROM object_secrets WHERE object_id = ? AND field = 'password'").get(id) as never
const earlier = (object: string, version: number, field = 'password'): Sealed =>
  database
    .prepare('SELECT * FROM earlier_secrets WHERE object_id = ? AND version = ? AND field = ?')
    .get(object, version, field) as never

const putPresent = ({ sealed_text: sealed }: Sealed, version: number): void => {
  database
    .prepare("UPDATE object_secrets SET sealed_text = ?, version = ? WHERE object_id = ? AND field = 'password'")
    .run(sealed, version, id)
}
const putEarlier = ({ sealed_text: sealed }: Sealed, version = 1): void => {
  database
    .prepare("UPDATE earlier_secrets SET sealed_text = ? WHERE object_id = ? AND version = ? AND field = 'password'")
    .run(sealed, id, version)
}

const readEarlier = (version = 1) => admin.get(`/object/${id}/history/${version}?decrypt=true`)

it('an earlier value does not open as the present one, under whatever version it is put there', async () => {
  const before = present()
  for (const version of [1, 2])
    for (const claimed of [1, 2, before.version]) {
      putPresent(earlier(id, version), claimed)
      expectFault(await admin.get(`/object/${id}?decrypt=true`), 503, 1614)
    }
  putPresent(before, before.version)
  expect((await readObject(admin, id, '?decrypt=true')).crypted).toMatchObject({ password: 'third' })
})

it('a value opens in no other version, object or field of the history', async () => {
  const before = earlier(id, 1)
  const others = {
    'of another version': earlier(id, 2),
    'of another object': earlier(twin, 1),
    'of another field': earlier(id, 1, 'cryptedinfo'),
    'of the present': present(),
    'that is cut short': { sealed_text: before.sealed_text.slice(0, 24) },
  }
  for (const [what, other] of Object.entries(others)) {
    putEarlier(other)
    const answer = await readEarlier()
    expectFault(answer, 503, 1614)
    expect(answer.json, what).not.toHaveProperty('HISTORY')
  }
  putEarlier(before)
  expect((await readEarlier()).json['HISTORY']).toMatchObject([{ crypted: { password: 'first' } }])
})

it('a history gives no secret in a vault of the attacker’s', async () => {
  const thief = await makeVault(appliance)
  const move = database.prepare('UPDATE vault_objects SET vault_id = ? WHERE id = ?')
  move.run(thief.id, id)
  expectFault(await thief.admin.get(`/object/${id}/history/1?decrypt=true`), 503, 1614)
  move.run(vault.id, id)
  const own = await createObject(thief.admin, thief.id)
  await thief.admin.must('PUT', `/object/${own}`, { password: 'other' })
  database
    .prepare('UPDATE earlier_secrets SET sealed_text = ? WHERE object_id = ?')
    .run(earlier(id, 1).sealed_text, own)
  expectFault(await thief.admin.get(`/object/${own}/history/1?decrypt=true`), 503, 1614)
})

it('a damaged secret is edited all the same, and its earlier version says that it was damaged', async () => {
  const broken = await createObject(admin, vault.id)
  database.prepare("UPDATE object_secrets SET sealed_text = '' WHERE object_id = ?").run(broken)
  await admin.must('PUT', `/object/${broken}`, { password: 'mended' })
  expect((await readObject(admin, broken, '?decrypt=true')).crypted).toMatchObject({ password: 'mended' })
  expectFault(await admin.get(`/object/${broken}/history/1?decrypt=true`), 503, 1614)
})

it('a value that was open in a field that is secret now is not shown', async () => {
  const opened = await createObject(admin, vault.id, { password: 'sealed' })
  const put = (fields: string) =>
    database.prepare('UPDATE vault_objects SET public_fields = ? WHERE id = ?').run(fields, opened)
  put('{"host":"core","password":"was-open"}')
  await admin.must('PUT', `/object/${opened}`, { host: 'core2' })
  for (const path of ['history', 'history/1', 'history/1?decrypt=true'])
    expect(JSON.stringify(await admin.must('GET', `/object/${opened}/${path}`))).not.toContain('was-open')
})

it('holds no secret in plain', () => {
  const rows = JSON.stringify(database.prepare('SELECT * FROM earlier_secrets').all())
  expect(rows).toContain('cryptedinfo')
  for (const value of ['first', 'second']) {
    expect(rows).not.toContain(`"${value}`)
    expect(rows).not.toContain(Buffer.from(value).toString('base64').slice(0, 6))
  }
})
