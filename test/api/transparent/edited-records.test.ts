import type Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type Answer, type TestClient } from '../../support/client.ts'
import { openDatabase } from '../../support/database-owner.ts'
import { expectUnharmed } from '../../support/health.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'

// Every encryption is counted in the database, and so reads the count.
const appliance = applianceForTests(() => TestAppliance.own({ transparent: { invocationLease: 1 } }))
let database: Database.Database
let vault: TestVault
let reader: TestClient
let ciphertext: string

type Value = string | number | null
type Use = 'encrypt' | 'decrypt' | 'read' | 'rotate'

beforeAll(async () => {
  database = openDatabase(appliance)
  vault = await makeVault(appliance)
  reader = await vault.member('Read')
  for (const key of ['k', 'twin', 'spare']) {
    await vault.encrypt(key, 'AAAA')
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/${key}/rotate`)
  }
  ciphertext = await vault.encrypt('k', 'c2VjcmV0')
})
afterAll(async () => {
  database.close()
  await expectUnharmed(appliance)
})

const uses: Readonly<Record<Use, () => Promise<Answer>>> = {
  // By a user who may not make keys, since otherwise a key of another name would be made.
  encrypt: () => reader.post(`/transparent/${vault.id}/encrypt/k`, { plaintext: 'AAAA' }),
  decrypt: () => reader.post(`/transparent/${vault.id}/decrypt/k`, { ciphertext }),
  read: () => reader.get(`/transparent/${vault.id}/keys/k`),
  rotate: () => vault.admin.post(`/transparent/${vault.id}/keys/k/rotate`),
}

const columnsOf = (table: string) =>
  (database.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name)
const keyRow = "rowid = (SELECT rowid FROM transparent_keys WHERE name = 'k')"
const versionRow =
  "rowid = (SELECT kv.rowid FROM key_versions kv JOIN transparent_keys k ON k.id = kv.key_id WHERE k.name = 'k' AND kv.version = 2)"
const twinsRow = versionRow.replace("'k'", "'twin'")

/** Runs `work` while a column of a row has other values, one after another, and restores it. */
async function edited(
  table: string,
  where: string,
  column: string,
  values: (original: Value) => readonly Value[],
  work: (value: Value) => Promise<void>,
) {
  const { at: rowid, value: original } = database
    .prepare(`SELECT rowid AS at, ${column} AS value FROM ${table} WHERE ${where}`)
    .get() as { at: number; value: Value }
  const write = (value: Value) =>
    database.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(value, rowid)
  for (const value of values(original)) {
    // A numeric column stores the text '1' as the number.
    if (String(value) === String(original)) continue
    expect(write(value).changes).toBe(1)
    try {
      await work(value)
    } finally {
      write(original)
    }
  }
}

async function refusedInEveryUse(refused: readonly Use[], journalSays = true) {
  for (const use of refused) {
    const before = appliance.journal.length
    expectFault(await uses[use](), 503, 1505)
    // The journal arrives through its own pipe, a moment after the answer.
    if (journalSays) await expect.poll(() => appliance.journal.slice(before)).toContain('"code":"key.tampered"')
  }
}

async function worksAgain() {
  for (const use of ['encrypt', 'decrypt', 'read'] as const)
    expect([use, (await uses[use]()).status]).toEqual([use, use === 'encrypt' ? 201 : 200])
}

const everyUse: readonly Use[] = ['encrypt', 'decrypt', 'read', 'rotate']
const flips = (original: Value): Value[] => [original === 0 ? 1 : 0, 7, '1', 'x']
const numbers = (original: Value): Value[] => [Number(original) + 1, Number(original) + 1000, 0, -1, 'x', 2 ** 60]
const bytes = (original: Value): Value[] => {
  const changed = Buffer.from(String(original), 'base64')
  changed[0] = (changed[0] ?? 0) ^ 1
  return [changed.toString('base64'), String(original).slice(0, 20), '', 'AAAA']
}

/** Wrong values for every column. A column without a row here fails the test. */
const keyColumns: Readonly<Record<string, (original: Value) => readonly Value[]>> = {
  identity: (original) => [null, ...bytes(original)],
  type: () => ['aes256-gcm96', 'aes192-gcm96', 'constructor', ''],
  info: () => ['edited', ' '],
  allow_export: flips,
  allow_backup: flips,
  allow_delete: flips,
  latest_version: numbers,
  min_encryption_version: numbers,
  min_decryption_version: numbers,
  created_at: numbers,
  residency: () => ['token', ''],
  allow_plaintext_export: flips,
  auto_rotate_period_ms: (original) => [Number(original) + 1, -1, 2 ** 60],
  oldest_version: numbers,
  generation: numbers,
  seal: bytes,
}

const versionColumns: Readonly<Record<string, (original: Value) => readonly Value[]>> = {
  kek: () => ['exportable.v1', 'backup.v1', 'strict.v9', ''],
  blob: bytes,
  backup_kek: () => [null, 'strict.v1', ''],
  backup_blob: (original) => [null, ...bytes(original)],
  created_at: numbers,
  generation: numbers,
  seal: bytes,
  key_id: () => [424_242],
  version: () => [7],
  public_key: () => ['AAAA', ''],
}

describe('a row that was edited in the database', () => {
  it('has a case for every column', () => {
    expect(columnsOf('transparent_keys').toSorted()).toEqual(
      // Records are bound to the identity of the row, not to its number.
      ['id', ...Object.keys(keyColumns), 'name', 'vault_id', 'deleted_at'].toSorted(),
    )
    expect(columnsOf('key_versions').toSorted()).toEqual(
      [...Object.keys(versionColumns), 'invocations', 'invocations_seal', 'disabled'].toSorted(),
    )
  })

  it.each(Object.entries(keyColumns))(
    'transparent_keys.%s: every use is refused with 503 1505 and reported',
    async (column, values) => {
      await edited('transparent_keys', keyRow, column, values, () => refusedInEveryUse(everyUse))
      await worksAgain()
    },
  )

  it.each(Object.entries(versionColumns))(
    'key_versions.%s: every use of the version is refused with 503 1505 and reported',
    async (column, values) => {
      await edited('key_versions', versionRow, column, values, () => refusedInEveryUse(['encrypt', 'decrypt', 'read']))
      await worksAgain()
    },
  )

  it.each([
    ['invocations', numbers],
    ['invocations_seal', bytes],
  ] as const)('key_versions.%s: what counts is refused', async (column, values) => {
    await edited('key_versions', versionRow, column, values, () => refusedInEveryUse(['read', 'encrypt']))
    await worksAgain()
  })

  it('disabled turned off: the version stays refused; turned on: it is refused as disabled', async () => {
    await edited(
      'key_versions',
      versionRow,
      'disabled',
      () => [1],
      async () => {
        for (const use of ['encrypt', 'decrypt'] as const) expectFault(await uses[use](), 409, 1509)
      },
    )
    const off = (enabled: boolean) =>
      vault.admin.call('PUT', `/transparent/${vault.id}/keys/k/versions/2`, { body: { enabled } })
    expect((await off(false)).status).toBe(200)
    await edited(
      'key_versions',
      versionRow,
      'disabled',
      () => [0],
      () => refusedInEveryUse(['encrypt', 'decrypt', 'read']),
    )
    expect((await off(true)).status).toBe(200)
    await worksAgain()
  })

  it('deleted: a key is not brought back, nor ended, in the database alone', async () => {
    await edited(
      'transparent_keys',
      keyRow,
      'deleted_at',
      () => [1],
      async () => {
        expectFault(await uses.decrypt(), 404, 1500)
        expectFault(await vault.admin.post(`/transparent/${vault.id}/keys/k/undelete`), 503, 1505)
      },
    )
    await vault.admin.must('DELETE', `/transparent/${vault.id}/keys/k`)
    await edited(
      'transparent_keys',
      keyRow,
      'deleted_at',
      () => [null],
      () => refusedInEveryUse(everyUse),
    )
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/k/undelete`)
    await worksAgain()
  })

  it('a count set back with a seal of its own past is refused by encrypt until it grows beyond', async () => {
    const row = () =>
      database.prepare(`SELECT invocations, invocations_seal AS seal FROM key_versions WHERE ${twinsRow}`).get() as {
        invocations: number
        seal: string
      }
    const past = row()
    await vault.encrypt('twin', 'AAAA')
    expect(row().invocations).toBeGreaterThanOrEqual(past.invocations)
  })

  it('a name: the key is not found under the old one, and refused under the new', async () => {
    await edited(
      'transparent_keys',
      keyRow,
      'name',
      () => ['renamed'],
      async () => {
        expectFault(await uses.read(), 404, 1500)
        expectFault(await uses.decrypt(), 404, 1500)
        expectFault(await uses.encrypt(), 403, 1301)
        expectFault(await reader.get(`/transparent/${vault.id}/keys/renamed`), 503, 1505)
        expectFault(await reader.post(`/transparent/${vault.id}/decrypt/renamed`, { ciphertext }), 503, 1505)
        expectFault(await reader.post(`/transparent/${vault.id}/encrypt/renamed`, { plaintext: 'AAAA' }), 503, 1505)
      },
    ).catch((error: Error) => {
      database.prepare("UPDATE transparent_keys SET name = 'k' WHERE name = 'renamed'").run()
      throw error
    })
    await worksAgain()
  })

  it('a vault: whoever moves a key to a vault of his own gains nothing', async () => {
    const thief = await makeVault(appliance, 'Thief')
    await edited(
      'transparent_keys',
      keyRow,
      'vault_id',
      () => [Number(thief.id)],
      async () => {
        expectFault(await thief.admin.post(`/transparent/${thief.id}/decrypt/k`, { ciphertext }), 503, 1505)
        expectFault(await thief.admin.post(`/transparent/${thief.id}/encrypt/k`, { plaintext: 'AAAA' }), 503, 1505)
        expectFault(await thief.admin.get(`/transparent/${thief.id}/keys/k`), 503, 1505)
        expectFault(await thief.admin.post(`/transparent/${thief.id}/keys/k/rotate`), 503, 1505)
        expectFault(await uses.decrypt(), 404, 1500)
      },
    )
    await worksAgain()
  })

  it('a blob of another key, with its KEK, and with its seal: refused', async () => {
    const row = (where: string) =>
      database.prepare(`SELECT kek, blob, seal FROM key_versions WHERE ${where}`).get() as {
        kek: string
        blob: string
        seal: string
      }
    const write = ({ kek, blob, seal }: { kek: string; blob: string; seal: string }) =>
      database.prepare(`UPDATE key_versions SET kek = ?, blob = ?, seal = ? WHERE ${versionRow}`).run(kek, blob, seal)
    const [own, twin] = [row(versionRow), row(twinsRow)]
    for (const mixed of [{ ...own, blob: twin.blob }, { ...own, seal: twin.seal }, twin]) {
      write(mixed)
      await refusedInEveryUse(['encrypt', 'decrypt', 'read'])
    }
    write(own)
    await worksAgain()
  })

  it('a version that was deleted: refused, not unknown', async () => {
    const kept = database.prepare(`SELECT * FROM key_versions WHERE ${versionRow}`).get() as Record<string, Value>
    database.prepare(`DELETE FROM key_versions WHERE ${versionRow}`).run()
    await refusedInEveryUse(['encrypt', 'decrypt', 'read'])
    database
      .prepare(
        `INSERT INTO key_versions (${Object.keys(kept).join()}) VALUES (${Object.keys(kept)
          .map(() => '?')
          .join()})`,
      )
      .run(...Object.values(kept))
    await worksAgain()
  })

  it('an older policy with its genuine seal: a rotation is not taken back unseen', async () => {
    const old = database
      .prepare("SELECT latest_version, generation, seal FROM transparent_keys WHERE name = 'spare'")
      .get() as {
      latest_version: number
      generation: number
      seal: string
    }
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/spare/rotate`)
    const of3 = await vault.encrypt('spare', 'AAAA')
    database
      .prepare("UPDATE transparent_keys SET latest_version = ?, generation = ?, seal = ? WHERE name = 'spare'")
      .run(old.latest_version, old.generation, old.seal)
    // Later ciphertexts are refused and not misread.
    const answer = await vault.admin.post(`/transparent/${vault.id}/decrypt/spare`, { ciphertext: of3 })
    expectFault(answer, 400, 1503)
  })
})
